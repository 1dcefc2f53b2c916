"""Searching the commit that made something slower, from measured evidence and with as few deploys as can be.

One line of candidates holds all levels: a candidate that turns out to hide others (a merge, a version bump) is replaced by
them. `line` and `prior` say what may be guilty, `evidence` what was measured, `belief` joins them, `choosing` says what to
measure next, `search` is the whole as a value that can be kept as JSON.
"""
