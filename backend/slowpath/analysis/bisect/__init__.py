"""Search for the commit that made something slower, from measurements and with as few probes as possible.

One sequence of candidates holds all levels: a candidate that contains others (a merge, a dependency update) is replaced
by them. `candidate_sequence` and `prior` define the hypotheses, `likelihood` rates them by the measurements, `posterior`
combines both, `probe_selection` chooses the next probes, and `search` drives it all from a state that can be stored as
JSON.
"""
