"""Verbs on bisects, runners and probes."""
