"""Request and response bodies of regressions, build verdicts, series and lists of builds."""
