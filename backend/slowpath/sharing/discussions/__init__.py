"""Discussions of results: comments, mentions, and the activity feed of the team and Slowpath."""
