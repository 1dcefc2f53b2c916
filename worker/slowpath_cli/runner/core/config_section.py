"""Read a driver's section of the configuration; unknown keys and wrong types are errors."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from slowpath_cli.runner.core.driver_interface import InvalidDriverConfig
from slowpath_cli.runner.core.placeholders import PLACEHOLDER

T = TypeVar("T")


class ConfigSection:
    """A table of the configuration. Read every possible key, then call `done`."""

    def __init__(self, values: Mapping[str, Any], name: str = "deploy") -> None:
        self._values = values
        self._name = name
        self._read_keys = {"driver"}

    def text(self, key: str, default: str | None = None) -> str:
        """Return a string, required without a default. Raises `InvalidDriverConfig`."""
        found = self._get(key, str, "a string", default)
        if found is None or not found.strip() or not found.isprintable():
            raise InvalidDriverConfig(f"[{self._name}] needs {key}, a non-empty string.")
        return found

    def find_string(self, key: str) -> str | None:
        """Return a string, or None if it is missing. Raises `InvalidDriverConfig`."""
        return self.text(key) if key in self._values else self._get(key, str, "a string", None)

    def file(self, key: str) -> Path | None:
        """Return a path, or None."""
        found = self.find_string(key)
        return None if found is None else Path(found).expanduser()

    def number(self, key: str, default: float, low: float, high: float) -> float:
        """Return a number within bounds. Raises `InvalidDriverConfig`."""
        found = self._get(key, (int, float), "a number", default)
        if found is None or isinstance(found, bool) or not low <= found <= high:
            raise InvalidDriverConfig(f"[{self._name}] {key} must be a number from {low:g} to {high:g}, not {found!r}.")
        return float(found)

    def get_integer(self, key: str, default: int, low: int, high: int) -> int:
        """Return a whole number within bounds. Raises `InvalidDriverConfig`."""
        found = self.number(key, default, low, high)
        if found != int(found):
            raise InvalidDriverConfig(f"[{self._name}] {key} must be a whole number, not {found!r}.")
        return int(found)

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false. Raises `InvalidDriverConfig`."""
        found = self._get(key, bool, "true or false", default)
        assert found is not None
        return found

    def choice(self, key: str, default: str, known: tuple[str, ...]) -> str:
        """Return one of the known strings. Raises `InvalidDriverConfig`."""
        found = self.text(key, default)
        if found not in known:
            raise InvalidDriverConfig(f"[{self._name}] {key} must be one of {', '.join(known)}, not {found!r}.")
        return found

    def texts(self, key: str) -> dict[str, str]:
        """Return a table of strings, empty by default. Raises `InvalidDriverConfig`."""
        found = self.table(key)
        for name, value in found.items():
            if not isinstance(value, str):
                raise InvalidDriverConfig(f"[{self._name}] {key}.{name} must be a string, not {value!r}.")
        return found

    def table(self, key: str) -> dict[str, Any]:
        """Return a table, empty by default. Raises `InvalidDriverConfig`."""
        return dict(self._get(key, dict, "a table", {}) or {})

    def get_strings(self, key: str) -> list[str]:
        """Return a list of strings (a command, or names), empty by default. Raises `InvalidDriverConfig`."""
        found = self._get(key, list, "a list of strings", []) or []
        if not all(isinstance(word, str) for word in found):
            raise InvalidDriverConfig(f"[{self._name}] {key} must be a list of strings, not {found!r}.")
        return list(found)

    def secret(self, key: str, default: str | None = None) -> Callable[[], str]:
        """Return a reader of the secret in the variable that `key` names. Raises `InvalidDriverConfig` if it is not set."""
        return secret_of(self.text(key, default))

    def done(self) -> None:
        """Check that no key is unknown. Raises `InvalidDriverConfig`."""
        unknown = sorted(set(self._values) - self._read_keys)
        if unknown:
            raise InvalidDriverConfig(
                f"[{self._name}] has an unknown key {unknown[0]!r}; known keys are {', '.join(sorted(self._read_keys))}."
            )

    def _get(self, key: str, kind: "type[T] | tuple[type[T], ...]", description: str, default: T | None) -> T | None:
        self._read_keys.add(key)
        found = self._values.get(key, default)
        if found is not None and not isinstance(found, kind):
            raise InvalidDriverConfig(f"[{self._name}] {key} must be {description}, not {found!r}.")
        return found


def secret_of(variable: str) -> Callable[[], str]:
    """Return a reader of a variable's secret. Raises `InvalidDriverConfig` if it is unset or invalid in an HTTP header."""
    value = os.environ.get(variable, "").strip()
    if not value or not value.isascii() or not value.isprintable():
        raise InvalidDriverConfig(f"The variable {variable} has no valid token. Set it in the runner's environment.")
    return lambda: value


def read_file(path: Path) -> str:
    """Read a token from a file. Raises `InvalidDriverConfig` if it has none."""
    try:
        value = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidDriverConfig(f"{path} has no valid token: {error}.") from error
    if not value or not value.isprintable():
        raise InvalidDriverConfig(f"{path} has no valid token.")
    return value


def check_placeholders(text: str, known: tuple[str, ...], key: str) -> None:
    """Check that all placeholders are known. Raises `InvalidDriverConfig`."""
    for name in PLACEHOLDER.findall(text):
        if name not in known:
            raise InvalidDriverConfig(
                f"{key} has an unknown placeholder {{{name}}}; known are {', '.join(f'{{{each}}}' for each in known)}."
            )
