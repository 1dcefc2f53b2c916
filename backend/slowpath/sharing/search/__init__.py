"""Search over the objects of a team."""
