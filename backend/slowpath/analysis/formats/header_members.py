"""Read members of the JSON header of a column file with their types."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeVar

from slowpath.analysis.formats.column_file import ColumnFileError

Value = TypeVar("Value")


@dataclass(frozen=True)
class HeaderMembers:
    """A JSON object of a header. A member that is absent or null has its default, if it has one.

    All methods raise `ColumnFileError` for a member that is missing or has another type.
    """

    members: Mapping[str, object]

    def text(self, name: str, default: str | None = None) -> str:
        """Return a string."""
        return self._value(name, str, default)

    def integer(self, name: str, default: int | None = None) -> int:
        """Return an integer."""
        return self._value(name, int, default)

    def find_integer(self, name: str) -> int | None:
        """Return an integer, or None if it is absent or null."""
        return None if self.members.get(name) is None else self.integer(name)

    def boolean(self, name: str, default: bool | None = None) -> bool:
        """Return a boolean."""
        return self._value(name, bool, default)

    def number(self, name: str, default: float | None = None) -> float:
        """Return a finite number."""
        value = self.members.get(name)
        number = float(self.integer(name)) if isinstance(value, int) else self._value(name, float, default)
        if not isfinite(number):
            raise ColumnFileError("header-damaged", f"{name} in the header is a number that is not finite")
        return number

    def inner(self, name: str, default: Mapping[str, object] | None = None) -> "HeaderMembers":
        """Return an object."""
        return HeaderMembers(self._value(name, dict, None if default is None else dict(default)))

    def each(self, name: str, default: Sequence[object] | None = None) -> list["HeaderMembers"]:
        """Return a list of objects."""
        values = self._value(name, list, None if default is None else list(default))
        return [HeaderMembers({name: value}).inner(name) for value in values]

    def texts(self, name: str, default: Sequence[str] | None = None) -> tuple[str, ...]:
        """Return a list of strings."""
        values = self._value(name, list, None if default is None else list(default))
        return tuple(HeaderMembers({name: value}).text(name) for value in values)

    def _value(self, name: str, kind: type[Value], default: Value | None) -> Value:
        value = self.members.get(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise ColumnFileError("header-damaged", f"the header lacks or mistypes {name}")
        return value
