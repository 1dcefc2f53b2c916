"""All measurements of one kind of profile: variances, totals, significance and direction."""
