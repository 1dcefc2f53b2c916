"""Metrics: series of samples in; rates, quantiles and panels out. Everything here is arithmetic on arrays."""
