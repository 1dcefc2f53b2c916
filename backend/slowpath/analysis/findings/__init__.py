"""Findings, caveats, verdicts and run metadata, and the words for them."""
