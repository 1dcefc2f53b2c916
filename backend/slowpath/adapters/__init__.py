"""The real twins of the ports in `core.ports`, plugged in by the apps and nowhere else."""
