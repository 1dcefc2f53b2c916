"""The real example program, for what is collected from a process."""

from tests.collect.conftest import programs, start_ingester  # noqa: F401 - pytest finds fixtures by name
