"""Talking about what was found: comments, the people they name, and the news of what the team did and Slowpath found."""
