"""Subscriptions of users to the events of services, and when their mails are sent."""
