"""Decoded output of `go test -bench`."""
