"""Stacks of many profiles: distinct ones, in order, as trees, with names that are equal on both sides."""
