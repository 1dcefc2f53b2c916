"""Which corner of the Go runtime a function belongs to: the rules of `go_runtime_categories.json`, compiled.

The rules are package data, because they are knowledge about Go releases and not about our code. A function gets a
set of bits; a stack's category is read from the OR of the bits along its runtime prefix (see `attribution`).
"""

import json
import pkgutil
import re
from dataclasses import dataclass
from functools import cache

APP = "app"


@dataclass(frozen=True)
class RuntimeCategoryRule:
    """One category: patterns for any frame of the runtime prefix, for none of them, and for the leaf."""

    category: str
    any: re.Pattern[str] | None
    unless: re.Pattern[str] | None
    leaf: re.Pattern[str] | None


@dataclass(frozen=True)
class FunctionBits:
    """What a function's name says, one bit per rule in order of precedence."""

    is_runtime: bool
    any: int
    unless: int
    leaf: int


_NOT_RUNTIME = FunctionBits(is_runtime=False, any=0, unless=0, leaf=0)


@dataclass(frozen=True)
class RuntimeCategoryRules:
    """All rules in order of precedence."""

    version: int
    rules: tuple[RuntimeCategoryRule, ...]
    runtime_prefix: re.Pattern[str]

    @property
    def categories(self) -> tuple[str, ...]:
        """Ids of all categories: `app` first, then those of the rules in order of precedence."""
        return (APP, *(rule.category for rule in self.rules))

    def bits(self, key: str) -> FunctionBits:
        """What the rules say of one function name."""
        if self.runtime_prefix.match(key) is None:
            return _NOT_RUNTIME
        return FunctionBits(
            is_runtime=True,
            any=self._bits(key, [rule.any for rule in self.rules]),
            unless=self._bits(key, [rule.unless for rule in self.rules]),
            leaf=self._bits(key, [rule.leaf for rule in self.rules]),
        )

    @staticmethod
    def _bits(key: str, patterns: list[re.Pattern[str] | None]) -> int:
        return sum(1 << i for i, pattern in enumerate(patterns) if pattern is not None and pattern.search(key))


@cache
def runtime_rules() -> RuntimeCategoryRules:
    """The rules shipped with this package."""
    data = pkgutil.get_data(__package__, "go_runtime_categories.json")
    if data is None:
        raise FileNotFoundError("go_runtime_categories.json is missing from the package")
    described = json.loads(data)
    return RuntimeCategoryRules(
        version=int(described["version"]),
        rules=tuple(
            RuntimeCategoryRule(
                category=str(entry["id"]),
                any=_compiled(entry.get("any")),
                unless=_compiled(entry.get("not")),
                leaf=_compiled(entry.get("leaf")),
            )
            for entry in described["categories"]
        ),
        runtime_prefix=re.compile(described["runtime_prefix"]),
    )


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    return None if pattern is None else re.compile(pattern)
