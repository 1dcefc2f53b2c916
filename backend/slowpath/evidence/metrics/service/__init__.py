"""Verbs of metrics: take samples in, fold them, read them, say what they are."""
