"""Packages of benchmarks: a skill and profile (D1), rollouts (D2), golden reports (D3); made, validated, sanitised."""
