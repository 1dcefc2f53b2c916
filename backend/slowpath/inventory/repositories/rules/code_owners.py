"""Read CODEOWNERS files of GitHub and GitLab: patterns and owners, the last match wins. Pure; files are hostile."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import re2

GITHUB_PATHS: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
GITLAB_PATHS: Final = ("CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")
MOST_FILE_BYTES: Final = 1 << 20
MOST_RULES: Final = 10_000
MOST_PATTERN: Final = 500
MOST_OWNERS: Final = 50
_TOKEN = re.compile(r"^\*\*/|/\*\*/|/\*\*$|\*+|\?|[^*?/]+|/")
_GLOBS: Final[Mapping[str, str]] = {
    "**/": "(?:.*/)?", "/**/": "/(?:.*/)?", "/**": "/.*", "?": "[^/]", "*": "[^/]*", "**": "[^/]*", "/": "/",
}  # fmt: skip
OPTIONS = re2.Options()
OPTIONS.log_errors = False
_SECTION = re.compile(r"\^?\[([^\]]+)\](?:\[\d+\])?(?:\s+(.*))?")


@dataclass(frozen=True)
class OwnerRule:
    """A pattern and the owners of what it matches; without owners, what it matches has no owners."""

    section: str
    pattern: str
    owners: tuple[str, ...]
    is_exclusion: bool = False
    """Whether a pattern begins with `!`: matching paths have no owners in its section (GitLab)."""


def parse_code_owners(text: str, *, with_sections: bool) -> list[OwnerRule]:
    """Return the rules in their order. Sections, their default owners and exclusions are of GitLab only."""
    rules: list[OwnerRule] = []
    section, defaults = "", _owners(())
    for line in text.splitlines():
        plain = line.strip()
        if not plain or plain.startswith("#"):
            continue
        heading = _SECTION.fullmatch(plain) if with_sections else None
        if heading:
            section, defaults = heading[1].strip().casefold(), _owners((heading[2] or "").split())
            continue
        words = re.split(r"(?<!\\)\s+", plain)
        pattern = words[0].replace("\\ ", " ")
        excluded = with_sections and pattern.startswith("!")
        pattern = pattern.removeprefix("!") if excluded else pattern.removeprefix("\\")
        if len(pattern) > MOST_PATTERN:
            continue
        owners = _owners(words[1:])
        rules.append(OwnerRule(section, pattern, () if excluded else owners or defaults, excluded))
        if len(rules) >= MOST_RULES:
            break
    return rules


def find_owners(rules: Sequence[OwnerRule], path: str) -> tuple[str, ...]:
    """Return the owners of a path: of each section the last rule that matches, unless an exclusion matches."""
    found: dict[str, tuple[str, ...]] = {}
    excluded: set[str] = set()
    for rule in rules:
        if make_matcher(rule.pattern)(path):
            found[rule.section] = rule.owners
            excluded |= {rule.section} if rule.is_exclusion else set()
    owners = [owner for section, each in found.items() if section not in excluded for owner in each]
    return tuple(dict.fromkeys(owners))


def _owners(words: Sequence[str]) -> tuple[str, ...]:
    owners = []
    for word in words:
        if word.startswith("#"):
            break
        if "@" in word:
            owners.append(word[:200])
    return tuple(owners[:MOST_OWNERS])


@lru_cache(maxsize=20_000)
def make_matcher(pattern: str) -> Callable[[str], bool]:
    """Return whether a path matches a pattern as in .gitignore. RE2 runs in linear time.

    A pattern with a slash inside or in front begins at the root, others at any depth. A pattern of a folder matches all below
    it; `docs/*` matches only the files directly in docs.
    """
    body = pattern.strip("/")
    if not body:
        return lambda path: pattern == "/" and bool(path)
    anchored = pattern.startswith("/") or "/" in body
    text = "" if anchored else "(?:.*/)?"
    for token in _TOKEN.findall(body):
        text += _GLOBS.get(token) or re2.escape(token)
    if pattern.endswith("/"):
        text += "/.+"
    elif not body.endswith("/*"):
        text += "(?:/.*)?"
    try:
        compiled = re2.compile(f"(?s){text}", OPTIONS)
    except re2.error:  # an unpaired surrogate, or too many wildcards
        return lambda _: False
    return lambda path: compiled.fullmatch(path) is not None
