"""Request and response bodies of regressions, series and build verdicts."""
