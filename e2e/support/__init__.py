"""What benchmarks and demos share: a demo user, doubles of CI and of receivers, a demo repository, and a Prometheus."""
