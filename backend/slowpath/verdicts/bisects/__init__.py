"""Bisects: find the commit that made a service slower by deploying commits through runners."""
