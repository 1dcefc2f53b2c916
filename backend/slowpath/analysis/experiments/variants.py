"""Variants of a commit: environment variables of the Go runtime, profile-guided optimization, a revert, a patch.

A variant is written as words: `GOGC=200 GOMEMLIMIT=1GiB`, `pgo=off`, `revert`, `patch`. Its name is this text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

BASE: Final = "base"
PARENT: Final = "parent"
"""Names of the unchanged commit and of the culprit's parent among the builds of an experiment."""
MAX_VARIANTS: Final = 16
MAX_NAME: Final = 200
SETTING: Final = r"[a-z][a-z0-9_.]{0,40}=[A-Za-z0-9]{1,20}"
VALUES: Final[Mapping[str, re.Pattern[str]]] = {
    "GOGC": re.compile(r"off|[1-9][0-9]{0,4}"),
    "GOMEMLIMIT": re.compile(r"off|[1-9][0-9]{0,17}(?:B|KiB|MiB|GiB|TiB)?"),
    "GOMAXPROCS": re.compile(r"[1-9][0-9]{0,3}"),
    "GODEBUG": re.compile(rf"{SETTING}(?:,{SETTING}){{0,9}}"),
}
"""Environment variables that a variant may set, and their values as in the documentation of package runtime."""
EXAMPLES: Final = {
    "GOGC": "GOGC=200", "GOMEMLIMIT": "GOMEMLIMIT=1GiB", "GOMAXPROCS": "GOMAXPROCS=4", "GODEBUG": "GODEBUG=madvdontneed=0",
}  # fmt: skip
PGO: Final = ("off", "auto")
REVERT: Final = "revert"
PATCH: Final = "patch"


class InvalidVariant(ValueError):
    """A variant is invalid; the message gives the reason, the limit and the remedy."""


@dataclass(frozen=True)
class Variant:
    """How a variant differs from the commit. Without any difference it is the unchanged commit."""

    name: str
    environment: Mapping[str, str] = field(default_factory=dict)
    pgo: str | None = None
    """Value of the build option `-pgo`."""
    reverts: bool = False
    """Whether the culprit is reverted."""
    patch: str | None = None
    """The patch: a file's name or a content's hash, as its place requires."""

    def variables(self, passed: Mapping[str, str]) -> dict[str, str]:
        """Return the environment variables of the variant; `passed` are those of the base."""
        out = dict(self.environment)
        if self.pgo is not None:
            out["GOFLAGS"] = f"{passed.get('GOFLAGS', '')} -pgo={self.pgo}".strip()
        return out


def parse_variant(text: str) -> Variant:
    """Parse the words of a variant. Raises `InvalidVariant`."""
    words = text.split()
    name = " ".join(words)
    if not words or len(name) > MAX_NAME or not name.isprintable():
        raise InvalidVariant(f"A variant has 1 to {MAX_NAME} printable characters, not {len(name)}.")
    environment: dict[str, str] = {}
    pgo, patch, reverts = None, None, False
    for word in words:
        key, equals, value = word.partition("=")
        if word == REVERT:
            reverts = True
        elif key == PATCH and value:
            patch = value
        elif key == "pgo" and value:
            pgo = value
        elif equals and key in VALUES:
            if key in environment:
                raise InvalidVariant(f"The variant {name!r} sets {key} twice.")
            environment[key] = _require_value(key, value)
        else:
            raise InvalidVariant(
                f"{word!r} is not part of a variant. "
                f"Use {', '.join(EXAMPLES.values())}, pgo=off, pgo=auto, {REVERT} or {PATCH}=FILE."
            )
    return Variant(name, environment, pgo, reverts, patch)


def validate_names(names: list[str]) -> None:
    """Check the number and names of the variants of an experiment. Raises `InvalidVariant`."""
    if not 1 <= len(names) <= MAX_VARIANTS:
        raise InvalidVariant(f"An experiment has 1 to {MAX_VARIANTS} variants, not {len(names)}.")
    double = next((one for one in names if names.count(one) > 1), None)
    if double is not None:
        raise InvalidVariant(f"The variant {double!r} is there twice.")


def _require_value(key: str, value: str) -> str:
    if not VALUES[key].fullmatch(value):
        raise InvalidVariant(f"{value!r} is not a value of {key}. Example: {EXAMPLES[key]}.")
    return value
