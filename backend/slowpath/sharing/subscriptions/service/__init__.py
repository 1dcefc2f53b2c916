"""Verbs of subscriptions."""
