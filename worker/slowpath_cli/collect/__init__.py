"""Collecting a set from a running process: what to ask for (plan), asking (fetch), what is known of the run (facts), where it goes (sink)."""
