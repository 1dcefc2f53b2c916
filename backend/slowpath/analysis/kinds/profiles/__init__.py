"""Compare two sets of decoded profiles: findings and diff views, computed on columns."""
