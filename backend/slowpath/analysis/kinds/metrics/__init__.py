"""Compute rates, quantiles, panels and change points from series of samples."""
