"""Metrics: what services push about themselves, kept as compressed series, and what the board reads of it."""
