"""The command line of Slowpath."""
