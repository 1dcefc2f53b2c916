"""Compare benchmark output with benchstat's statistics."""
