"""The verbs on discussions, mentions and news."""
