"""Measure builds from their artifacts, and detect changes over a build history."""
