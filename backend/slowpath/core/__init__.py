"""Ports, jobs, error bases, ids, settings and the table base: what every storey stands on."""
