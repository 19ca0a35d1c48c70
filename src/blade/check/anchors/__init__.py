"""Anchor facts: what a report must know that nobody could guess from tables of aggregates."""
