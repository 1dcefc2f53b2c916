"""Verbs on comparisons: asking for one, recording what was found, looking at views, taking things away."""
