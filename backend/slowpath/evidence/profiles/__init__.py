"""Decoded pprof: what each profile holds, and where its columns lie."""
