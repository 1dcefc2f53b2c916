"""Parts of bootstrap.py, which starts, tests and stops Slowpath, with only the standard library."""
