"""Panels of a service, and its cells of time."""
