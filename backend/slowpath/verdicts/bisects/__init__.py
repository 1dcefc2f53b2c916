"""Bisects: which commit made a service slower, found by deploying commits in between through runners."""
