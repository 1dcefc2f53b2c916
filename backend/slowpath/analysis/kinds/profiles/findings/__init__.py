"""Findings on categories, functions, labels and cost shifts."""
