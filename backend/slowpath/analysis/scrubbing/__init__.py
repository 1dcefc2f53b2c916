"""Scrub label values, paths, hosts and people from shared documents."""
