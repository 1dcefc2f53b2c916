"""Decoded Go execution traces: what each holds, its page, its worst waits, and pieces cut out of it."""
