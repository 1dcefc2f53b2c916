"""Hooks: what GitHub and GitLab tell by themselves, believed by its signature and done once."""
