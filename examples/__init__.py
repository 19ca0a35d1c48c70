"""Worked examples: small simulated benchmarks whose truth is known by construction."""
