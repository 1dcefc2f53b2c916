"""Rates and quantiles of counters and histograms at grid times, as Prometheus computes them."""
