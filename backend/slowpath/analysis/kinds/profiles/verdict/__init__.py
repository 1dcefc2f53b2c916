"""The verdict and the headline of a comparison of profiles."""
