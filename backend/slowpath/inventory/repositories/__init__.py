"""Repositories and their commits: what came between two builds, and which of it may have made a service slower."""
