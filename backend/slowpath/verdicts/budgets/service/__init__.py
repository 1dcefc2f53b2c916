"""Verbs of budgets."""
