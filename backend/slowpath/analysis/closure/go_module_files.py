"""Parse go.mod, go.work, go.sum and vendor/modules.txt, as far as they determine a binary.

As in https://go.dev/ref/mod. Unknown lines are recorded as text, so that a change of them is detected.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

WORD: Final = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`|=>|[()]|[^\s"`()]+')
MOST_BYTES: Final = 4 << 20
GO, TOOLCHAIN = "go", "toolchain"


@dataclass(frozen=True)
class ReplaceDirective:
    """A replacement of a module."""

    module: str
    version: str | None
    """None: for every version."""
    by: str
    by_version: str | None
    """None: `by` is a folder."""


@dataclass(frozen=True)
class GoModFile:
    """A go.mod or go.work."""

    module: str = ""
    go: str | None = None
    toolchain: str | None = None
    requires: Mapping[str, str] = field(default_factory=dict)
    replaces: tuple[ReplaceDirective, ...] = ()
    uses: tuple[str, ...] = ()
    """Folders of a go.work."""
    others: tuple[str, ...] = ()
    """Exclude, godebug and other lines that may change the build; not retract and tool."""

    @property
    def go_minor(self) -> int:
        """Return N of the language version go1.N; 16 if it is not stated, as in Go."""
        found = re.match(r"1\.(\d+)", self.go or "1.16")
        return int(found[1]) if found else 16


def parse_go_mod(text: str) -> GoModFile:
    """Parse a go.mod or go.work. Never fails: unknown lines are added to `others`."""
    module, go, toolchain = "", None, None
    requires: dict[str, str] = {}
    replaces: list[ReplaceDirective] = []
    uses: list[str] = []
    others: list[str] = []
    for verb, words in _directives(text):
        if verb == "module" and words:
            module = words[0]
        elif verb == GO and words:
            go = words[0]
        elif verb == TOOLCHAIN and words:
            toolchain = words[0]
        elif verb == "require" and len(words) == 2:
            requires[words[0]] = words[1]
        elif verb == "use" and len(words) == 1:
            uses.append(words[0])
        elif verb == "replace" and (replace := _replace(words)) is not None:
            replaces.append(replace)
        elif verb not in {"retract", "tool", "ignore"}:
            others.append(" ".join([verb, *words]))
    return GoModFile(module, go, toolchain, requires, tuple(replaces), tuple(uses), tuple(others))


def parse_go_sum(text: str) -> dict[tuple[str, str], str]:
    """Return the checksums of module contents (not those of their go.mod), by module and version."""
    sums = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 3 and not words[1].endswith("/go.mod"):
            sums[words[0], words[1]] = words[2]
    return sums


def read_vendored(text: str) -> dict[str, str]:
    """Return by package the line of vendor/modules.txt with the package's module."""
    found, module = {}, ""
    for line in text.splitlines():
        if line.startswith("# "):
            module = line[2:].strip()
        elif line and not line.startswith("#"):
            found[line.strip()] = module
    return found


def changed_versions(before: GoModFile | None, after: GoModFile | None) -> list[tuple[str, str | None, str | None]]:
    """Return the modules with another version, before and after, including `go` and `toolchain`."""
    old, new = _versions(before), _versions(after)
    return [
        (name, old.get(name), new.get(name))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


LOCKED: Final = re.compile(r"^\s*-?\s*(?:name|package|import|\"?name\"?)\s*[:=]\s*[\"']?([^\s\"']+)[\"']?\s*$")
LOCKED_VERSION: Final = re.compile(r"^\s*(?:version|revision|\"?revision\"?)\s*[:=]\s*[\"']?([^\s\"']+)[\"']?\s*$")


def read_lock(text: str) -> GoModFile:
    """Parse glide.lock, glide.yaml or Gopkg.lock, whose entries have a package and then its revision."""
    found: dict[str, str] = {}
    name = None
    for line in text.splitlines():
        if (named := LOCKED.match(line)) is not None:
            name = named[1]
        elif name is not None and (version := LOCKED_VERSION.match(line)) is not None:
            found.setdefault(name, version[1])
    return GoModFile(requires=found)


def _versions(mod: GoModFile | None) -> dict[str, str]:
    if mod is None:
        return {}
    versions = dict(mod.requires)
    for one in mod.replaces:
        replacement = one.by if one.by_version is None else f"{one.by} {one.by_version}"
        if one.version is None or versions.get(one.module) == one.version:
            versions[one.module] = f"=> {replacement}"
    if mod.go:
        versions[GO] = mod.go
    if mod.toolchain:
        versions[TOOLCHAIN] = mod.toolchain
    return versions


def _replace(words: list[str]) -> ReplaceDirective | None:
    if "=>" not in words:
        return None
    at = words.index("=>")
    left, right = words[:at], words[at + 1 :]
    if len(left) not in {1, 2} or len(right) not in {1, 2}:
        return None
    return ReplaceDirective(
        left[0], left[1] if len(left) == 2 else None, right[0], right[1] if len(right) == 2 else None
    )  # fmt: skip


def _directives(text: str) -> Iterator[tuple[str, list[str]]]:
    block: str | None = None
    for line in text.splitlines():
        words = [_plain(word) for word in WORD.findall(line.split("//", 1)[0])]
        if not words:
            continue
        if block is not None:
            if words == [")"]:
                block = None
            else:
                yield block, words
        elif len(words) >= 2 and words[1] == "(":
            block = words[0]
        else:
            yield words[0], words[1:]


def _plain(word: str) -> str:
    return word[1:-1] if len(word) >= 2 and word[0] == word[-1] and word[0] in '"`' else word
