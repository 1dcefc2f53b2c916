"""Metrics: pushed samples, stored as compressed series, and the dashboard that reads them."""
