"""Repositories and their commits: commit ranges between builds, and suspect commits."""
