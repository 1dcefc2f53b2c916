"""Every SELECT of discussions and of the feed."""
