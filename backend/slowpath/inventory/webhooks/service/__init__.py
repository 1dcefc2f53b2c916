"""Verbs on hooks: keeping them, believing and taking in messages, doing what they say, asking for what is missing."""
