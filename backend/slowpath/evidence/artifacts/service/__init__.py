"""Verbs on files: receiving them whole or in parts, reading, trying again, forgetting."""
