"""Retention rules and usage of a team."""
