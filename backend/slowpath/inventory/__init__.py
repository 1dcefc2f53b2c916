"""What a team runs: services, builds, deployments, repositories and webhooks."""
