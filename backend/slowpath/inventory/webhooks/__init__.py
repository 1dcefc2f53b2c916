"""Webhooks: deliveries of GitHub and GitLab, authenticated by signature and processed once."""
