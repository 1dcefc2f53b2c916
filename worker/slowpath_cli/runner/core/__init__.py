"""The runner: leases, probes, measurements and their limits."""
