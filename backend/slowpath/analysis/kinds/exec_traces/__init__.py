"""Compare two sets of decoded execution traces: findings and a page, computed on columns."""
