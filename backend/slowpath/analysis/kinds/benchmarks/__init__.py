"""Benchmark output: what benchstat's arithmetic says, as findings."""
