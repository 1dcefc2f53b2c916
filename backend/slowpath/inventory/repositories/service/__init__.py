"""Verbs of commits."""
