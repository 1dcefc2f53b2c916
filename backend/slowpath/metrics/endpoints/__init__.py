"""Metrics over HTTP."""
