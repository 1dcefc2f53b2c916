"""Services of bisects, runners and probes."""
