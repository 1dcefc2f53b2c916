"""Determine which files of a repository a Go binary is built from."""
