"""Panels of the dashboard on pages of others, by signed links that expire."""
