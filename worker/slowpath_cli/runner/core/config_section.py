"""Reading a driver's part of the configuration: every key is named, typed, and known, or the runner does not start."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from slowpath_cli.runner.core.driver_interface import InvalidDriverConfig
from slowpath_cli.runner.core.placeholders import PLACEHOLDER

T = TypeVar("T")


class ConfigSection:
    """A table of the configuration. Ask for every key there may be, then `done`."""

    def __init__(self, values: Mapping[str, Any], name: str = "deploy") -> None:
        self._values = values
        self._name = name
        self._asked = {"driver"}

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text; without a default it must be there. Raises `InvalidDriverConfig`."""
        found = self._of(key, str, "a text", default)
        if found is None or not found.strip() or not found.isprintable():
            raise InvalidDriverConfig(f"[{self._name}] needs {key}: a text.")
        return found

    def maybe(self, key: str) -> str | None:
        """Return a text, or None where it is not there."""
        return self.text(key) if key in self._values else self._of(key, str, "a text", None)

    def file(self, key: str) -> Path | None:
        """Return a path, or None."""
        found = self.maybe(key)
        return None if found is None else Path(found).expanduser()

    def number(self, key: str, default: float, least: float, most: float) -> float:
        """Return a number within bounds. Raises `InvalidDriverConfig`."""
        found = self._of(key, (int, float), "a number", default)
        if found is None or isinstance(found, bool) or not least <= found <= most:
            raise InvalidDriverConfig(f"[{self._name}] {key} is {found!r}: give a number from {least:g} to {most:g}.")
        return float(found)

    def whole(self, key: str, default: int, least: int, most: int) -> int:
        """Return a whole number within bounds. Raises `InvalidDriverConfig`."""
        found = self.number(key, default, least, most)
        if found != int(found):
            raise InvalidDriverConfig(f"[{self._name}] {key} is {found!r}: give a whole number.")
        return int(found)

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false. Raises `InvalidDriverConfig`."""
        found = self._of(key, bool, "true or false", default)
        assert found is not None
        return found

    def choice(self, key: str, default: str, known: tuple[str, ...]) -> str:
        """Return one of these. Raises `InvalidDriverConfig`."""
        found = self.text(key, default)
        if found not in known:
            raise InvalidDriverConfig(f"[{self._name}] {key} is {found!r}: give one of {', '.join(known)}.")
        return found

    def texts(self, key: str) -> dict[str, str]:
        """Return a table of texts; none is an empty one. Raises `InvalidDriverConfig`."""
        found = self.table(key)
        for name, value in found.items():
            if not isinstance(value, str):
                raise InvalidDriverConfig(f"[{self._name}] {key}.{name} is {value!r}: give a text.")
        return found

    def table(self, key: str) -> dict[str, Any]:
        """Return a table; none is an empty one. Raises `InvalidDriverConfig`."""
        return dict(self._of(key, dict, "a table", {}) or {})

    def words(self, key: str) -> list[str]:
        """Return a list of texts: a command, or names; none is an empty one. Raises `InvalidDriverConfig`."""
        found = self._of(key, list, "a list of texts", []) or []
        if not all(isinstance(word, str) for word in found):
            raise InvalidDriverConfig(f"[{self._name}] {key} is {found!r}: give a list of texts.")
        return list(found)

    def secret(self, key: str, default: str | None = None) -> Callable[[], str]:
        """Return how to read the secret whose variable `key` names. Raises `InvalidDriverConfig` where it is not set now."""
        return secret_of(self.text(key, default))

    def done(self) -> None:
        """Refuse keys that nobody asked for. Raises `InvalidDriverConfig`."""
        unknown = sorted(set(self._values) - self._asked)
        if unknown:
            raise InvalidDriverConfig(
                f"[{self._name}] does not know {unknown[0]!r}; it knows {', '.join(sorted(self._asked))}."
            )

    def _of(self, key: str, kind: "type[T] | tuple[type[T], ...]", called: str, default: T | None) -> T | None:
        self._asked.add(key)
        found = self._values.get(key, default)
        if found is not None and not isinstance(found, kind):
            raise InvalidDriverConfig(f"[{self._name}] {key} is {found!r}: give {called}.")
        return found


def secret_of(variable: str) -> Callable[[], str]:
    """Return how to read a variable's secret. Raises `InvalidDriverConfig` where it is not set, or no header could carry it."""
    value = os.environ.get(variable, "").strip()
    if not value or not value.isascii() or not value.isprintable():
        raise InvalidDriverConfig(f"The variable {variable} holds no token: set it where the runner starts.")
    return lambda: value


def read_file(path: Path) -> str:
    """Return a token from a file. Raises `InvalidDriverConfig` where there is none."""
    try:
        value = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidDriverConfig(f"{path} holds no token: {error}.") from error
    if not value or not value.isprintable():
        raise InvalidDriverConfig(f"{path} holds no token.")
    return value


def check_placeholders(text: str, known: tuple[str, ...], key: str) -> None:
    """Refuse placeholders that mean nothing here. Raises `InvalidDriverConfig`."""
    for name in PLACEHOLDER.findall(text):
        if name not in known:
            raise InvalidDriverConfig(f"{key} has {{{name}}}; known are {', '.join(f'{{{each}}}' for each in known)}.")
