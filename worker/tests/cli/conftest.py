"""The app over a real database, for commands that speak to the same one."""

from tests.conftest import app, emptied, engine, migrated  # noqa: F401 - pytest finds fixtures by name
