"""Links to files, commits and comparisons at code hosts. Pure: this is the only place that knows their addresses."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlsplit

MOST_TEMPLATE: Final = 1_000
PLACEHOLDERS: Final = ("{commit}", "{path}", "{line}")
PLACEHOLDER: Final = re.compile(r"\{[^{}]*\}")
SAMPLE: Final = {"{commit}": "0" * 40, "{path}": "a/b.go", "{line}": "1"}


@dataclass(frozen=True)
class CodeHost:
    """The address of a repository at its code host.

    `web_url` is the page of the repository. `file_template` is the address of a file with the placeholders {commit}, {path}
    and {line}; it precedes the address that follows from the kind.
    """

    kind: str
    web_url: str | None
    file_template: str | None = None


@dataclass(frozen=True)
class _Paths:
    """Paths below the page of a repository."""

    file: str
    lines: Callable[[int, int], str]
    commit: str
    comparison: str


_GITHUB = _Paths(
    "/blob/{commit}/{path}", lambda a, b: f"#L{a}-L{b}", "/commit/{commit}", "/compare/{base}...{candidate}"
)
_KINDS: Final[Mapping[str, _Paths]] = {
    "github": _GITHUB,
    "gitlab": _Paths(
        "/-/blob/{commit}/{path}",
        lambda a, b: f"#L{a}-{b}",
        "/-/commit/{commit}",
        "/-/compare/{base}...{candidate}",
    ),
    "bitbucket": _Paths(
        "/src/{commit}/{path}",
        lambda a, b: f"#lines-{a}:{b}",
        "/commits/{commit}",
        "/branches/compare/{candidate}%0D{base}",
    ),
    "gitea": _Paths(
        "/src/commit/{commit}/{path}",
        lambda a, b: f"#L{a}-L{b}",
        "/commit/{commit}",
        "/compare/{base}...{candidate}",
    ),
}
LINKED_KINDS: Final = frozenset(_KINDS)
"""Kinds whose web URL follows from the URL to fetch from."""


def make_file_link(host: CodeHost, commit: str, path: str, first: int | None, last: int | None) -> str | None:
    """Return the address of lines of a file at a commit or tag; None if the host is unknown. Lines count from 1."""
    quoted = quote(path, safe="/@+~")
    if host.file_template is not None:
        values = {"{commit}": quote(commit, safe=""), "{path}": quoted, "{line}": str(first or 1)}
        return PLACEHOLDER.sub(lambda found: values[found[0]], host.file_template)
    paths = _KINDS.get(host.kind)
    if host.web_url is None or paths is None:
        return None
    place = "" if first is None else paths.lines(first, first if last is None else last)
    return host.web_url + paths.file.format(commit=quote(commit, safe="/"), path=quoted) + place


def make_commit_link(host: CodeHost, commit: str) -> str | None:
    """Return the address of a commit; None if the repository has no page."""
    if host.web_url is None:
        return None
    return host.web_url + _KINDS.get(host.kind, _GITHUB).commit.format(commit=commit)


def make_comparison_link(host: CodeHost, base: str, candidate: str) -> str | None:
    """Return the address of the difference between two commits; None if the host is unknown."""
    paths = _KINDS.get(host.kind)
    if host.web_url is None or paths is None:
        return None
    return host.web_url + paths.comparison.format(base=base, candidate=candidate)


def check_file_template(template: str) -> str:
    """Return a template if it can be used. Raises `ValueError` with the reason."""
    if len(template) > MOST_TEMPLATE:
        raise ValueError(f"at most {MOST_TEMPLATE} characters, not {len(template)}")
    if not template.isascii() or not template.isprintable() or " " in template:
        raise ValueError("visible ASCII characters only")
    used = set(PLACEHOLDER.findall(template))
    if unknown := sorted(used - set(PLACEHOLDERS)):
        raise ValueError(f"unknown placeholder {unknown[0]}; use {{commit}}, {{path}} and {{line}}")
    if missing := [one for one in PLACEHOLDERS[:2] if one not in used]:
        raise ValueError(f"the placeholder {missing[0]} is missing")
    plain = PLACEHOLDER.sub(lambda found: SAMPLE[found[0]], template)
    if "{" in plain or "}" in plain:
        raise ValueError("braces only around placeholders")
    authority = template.removeprefix("https://").split("/", 1)[0]
    if not template.startswith("https://") or "{" in authority or "@" in authority or not urlsplit(plain).hostname:
        raise ValueError("an address that begins with https:// and a host")
    return template
