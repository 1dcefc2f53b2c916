"""Shared HTTP code: request sessions, pagination, problems, headers, health."""
