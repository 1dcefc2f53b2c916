"""The verbs of the inbox."""
