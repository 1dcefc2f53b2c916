"""Experiments: variants of one commit, measured in randomized blocks beside the unchanged commit."""
