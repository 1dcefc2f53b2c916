"""Verbs of keeping: for how long, how much, and all of it at once."""
