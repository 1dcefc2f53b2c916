"""Comparisons of two sets of artifacts: findings with their uncertainty, views, exports."""
