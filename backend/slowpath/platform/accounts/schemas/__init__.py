"""Wire shapes of users and teams."""
