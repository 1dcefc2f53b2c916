"""Shared by several commands: errors, input files, sidecars and renamed options."""
