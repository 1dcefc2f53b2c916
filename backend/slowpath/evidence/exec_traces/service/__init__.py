"""Verbs on execution traces: writing down what the decoder found, reading it, cutting pieces out."""
