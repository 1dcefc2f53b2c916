"""The rules of `go_runtime_categories.json`: which runtime category a function belongs to.

The rules are package data, because they depend on Go releases and not on our code. A function gets a set of bits; a stack's
category is derived from the OR of the bits along its runtime prefix (see `stack_attribution`).
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
    """The rules that a function's name matches, one bit per rule in order of precedence."""

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
        """Return the ids of all categories: `app` first, then those of the rules in order of precedence."""
        return (APP, *(rule.category for rule in self.rules))

    def bits(self, key: str) -> FunctionBits:
        """Return the rules that one function name matches."""
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
    """Return the rules shipped with this package."""
    data = pkgutil.get_data(__package__, "go_runtime_categories.json")
    if data is None:
        raise FileNotFoundError("go_runtime_categories.json is missing from the package")
    rule_file = json.loads(data)
    return RuntimeCategoryRules(
        version=int(rule_file["version"]),
        rules=tuple(
            RuntimeCategoryRule(
                category=str(entry["id"]),
                any=_compile(entry.get("any")),
                unless=_compile(entry.get("not")),
                leaf=_compile(entry.get("leaf")),
            )
            for entry in rule_file["categories"]
        ),
        runtime_prefix=re.compile(rule_file["runtime_prefix"]),
    )


def _compile(pattern: str | None) -> re.Pattern[str] | None:
    return None if pattern is None else re.compile(pattern)
