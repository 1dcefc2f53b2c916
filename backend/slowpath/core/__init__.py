"""Ports, jobs, error bases, IDs, settings and the table base, used by all other packages."""
