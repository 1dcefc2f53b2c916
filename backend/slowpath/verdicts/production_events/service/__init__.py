"""The verbs of production events."""
