"""Evaluate build constraints of Go files in three values: built, not built, unknown.

As in `go help buildconstraint`. Unknown conditions (cgo if not stated, the toolchain's release tags) count as built wherever
that only makes the closure larger.
"""

import re
from dataclasses import dataclass
from typing import Final

KNOWN_OS: Final = frozenset(
    [
        "aix",
        "android",
        "darwin",
        "dragonfly",
        "freebsd",
        "hurd",
        "illumos",
        "ios",
        "js",
        "linux",
        "nacl",
        "netbsd",
        "openbsd",
        "plan9",
        "solaris",
        "wasip1",
        "windows",
        "zos",
    ]
)
KNOWN_ARCH: Final = frozenset(
    [
        "386",
        "amd64",
        "amd64p32",
        "arm",
        "armbe",
        "arm64",
        "arm64be",
        "loong64",
        "mips",
        "mipsle",
        "mips64",
        "mips64le",
        "mips64p32",
        "mips64p32le",
        "ppc",
        "ppc64",
        "ppc64le",
        "riscv",
        "riscv64",
        "s390",
        "s390x",
        "sparc",
        "sparc64",
        "wasm",
    ]
)
UNIX: Final = frozenset(
    [
        "aix",
        "android",
        "darwin",
        "dragonfly",
        "freebsd",
        "hurd",
        "illumos",
        "ios",
        "linux",
        "netbsd",
        "openbsd",
        "solaris",
    ]
)
IMPLIED: Final = {"android": "linux", "illumos": "solaris", "ios": "darwin"}
RELEASE: Final = re.compile(r"go1\.\d+")
TOKEN: Final = re.compile(r"\s*(\|\||&&|!|\(|\)|[^\s()!&|]+)")
MOST_TOKENS: Final = 500

Truth = bool | None


@dataclass(frozen=True)
class BuildTarget:
    """The target of a build."""

    goos: str = "linux"
    goarch: str = "amd64"
    tags: frozenset[str] = frozenset()
    cgo: Truth = None
    """None: not stated, both ways of building count."""

    def has(self, tag: str) -> Truth:
        """Return whether a tag is set."""
        if tag in self.tags or tag in {self.goos, self.goarch, "gc"} or tag == IMPLIED.get(self.goos):
            return True
        if tag == "unix":
            return self.goos in UNIX
        if tag == "cgo":
            return self.cgo
        if (
            RELEASE.fullmatch(tag)
            or tag.startswith(("goexperiment.", self.goarch + "."))
            or tag in {"boringcrypto", "race", "msan", "asan"}
        ):
            return None
        return False


def by_name(name: str, target: BuildTarget) -> bool:
    """Return whether a file's name allows building it: name_GOOS_GOARCH.go, as in go/build."""
    stem = name.split(".", 1)[0]
    _, underscore, rest = stem.partition("_")
    if not underscore:
        return True
    parts = rest.split("_")
    if parts and parts[-1] == "test":
        parts = parts[:-1]
    if len(parts) >= 2 and parts[-2] in KNOWN_OS and parts[-1] in KNOWN_ARCH:
        return _os_or_arch(parts[-2], target) and parts[-1] == target.goarch
    if parts and (parts[-1] in KNOWN_OS or parts[-1] in KNOWN_ARCH):
        return _os_or_arch(parts[-1], target)
    return True


def _os_or_arch(tag: str, target: BuildTarget) -> bool:
    return target.has(tag) is True


def holds(expression: str, target: BuildTarget) -> Truth:
    """Return whether a `//go:build` expression is true; None if unknown or invalid."""
    tokens = TOKEN.findall(expression)
    if not tokens or len(tokens) > MOST_TOKENS or "".join(tokens) != "".join(expression.split()):
        return None
    reader = _ConstraintParser(tokens, target)
    try:
        found = reader.either()
    except (IndexError, RecursionError):
        return None
    return found if reader.at == len(tokens) else None


def holds_plus(lines: tuple[str, ...], target: BuildTarget) -> Truth:
    """Return whether old `// +build` lines are true: all lines, of each any word, of each word all parts."""
    return _all(
        [_any([_all([_part(part, target) for part in word.split(",")]) for word in line.split()]) for line in lines]
    )


def _part(part: str, target: BuildTarget) -> Truth:
    return _not(target.has(part[1:])) if part.startswith("!") else target.has(part)


class _ConstraintParser:
    """A recursive-descent parser of an expression."""

    def __init__(self, tokens: list[str], target: BuildTarget) -> None:
        self._tokens, self._target, self.at = tokens, target, 0

    def either(self) -> Truth:
        found = [self.both()]
        while self._next() == "||":
            self.at += 1
            found.append(self.both())
        return _any(found)

    def both(self) -> Truth:
        found = [self.one()]
        while self._next() == "&&":
            self.at += 1
            found.append(self.one())
        return _all(found)

    def one(self) -> Truth:
        part = self._tokens[self.at]
        self.at += 1
        if part == "!":
            return _not(self.one())
        if part == "(":
            found = self.either()
            if self._tokens[self.at] != ")":
                raise IndexError
            self.at += 1
            return found
        if part in {"||", "&&", ")"}:
            raise IndexError
        return self._target.has(part)

    def _next(self) -> str | None:
        return self._tokens[self.at] if self.at < len(self._tokens) else None


def _not(one: Truth) -> Truth:
    return None if one is None else not one


def _any(many: list[Truth]) -> Truth:
    return True if True in many else None if None in many else False


def _all(many: list[Truth]) -> Truth:
    return False if False in many else None if None in many else True
