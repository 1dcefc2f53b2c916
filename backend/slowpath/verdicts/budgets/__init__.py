"""Budgets of a service: limits of its latency and of its CPU per request, evaluated with the intervals of measurements."""
