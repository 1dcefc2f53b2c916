"""The wire shapes of people and teams."""
