"""Source text of functions on both sides of a comparison, and the commits of the sides."""
