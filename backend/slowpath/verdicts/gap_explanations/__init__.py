"""Gaps between spans, explained from execution traces of the same process and time."""
