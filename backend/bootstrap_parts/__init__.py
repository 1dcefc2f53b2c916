"""The parts of bootstrap.py: what it takes to start, test and stop Slowpath, from the standard library alone."""
