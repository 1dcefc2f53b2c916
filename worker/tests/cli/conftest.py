"""The app over a real database, for commands that speak to the same one."""

from tests.conftest import emptied, engine, house, migrated  # noqa: F401 - pytest finds fixtures by name
