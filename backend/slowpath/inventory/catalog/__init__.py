"""Services, environments, builds and deployments."""
