"""Plans of the example under `worker/example`: builds, deployments, metrics and spans, moved in time."""
