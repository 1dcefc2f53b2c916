"""Change points, checks of deployments, and comparisons of time ranges."""
