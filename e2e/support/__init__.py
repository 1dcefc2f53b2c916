"""Shared by benchmarks and demos: a demo user, doubles of CI and of receivers, a demo repository, and a Prometheus."""
