"""Notifications: channels, and the delivery of each event until it succeeds or is abandoned."""
