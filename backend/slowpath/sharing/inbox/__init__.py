"""The inbox: one list of everything that needs an action, with triage, saved views and subscriptions."""
