"""Verbs of sources."""
