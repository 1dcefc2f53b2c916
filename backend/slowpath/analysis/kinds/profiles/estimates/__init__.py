"""Rates, ratios, intervals and p-values of many subjects at once, and the thresholds."""
