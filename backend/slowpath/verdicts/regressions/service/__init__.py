"""The verbs on builds and regressions, one module per family."""
