"""A patch, as git writes it, as data. Bounded; its text is untrusted."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

MOST_FILES: Final = 300
MOST_LINES: Final = 20_000
MOST_FILE_LINES: Final = 3_000
MOST_COLUMNS: Final = 2_000

HUNK: Final = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
ESCAPES: Final = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
QUOTED: Final = re.compile(r'\\([0-7]{3}|[abtnvfr"\\])')


@dataclass
class Hunk:
    """Lines that change, with some around them."""

    old_start: int
    new_start: int
    heading: str
    """The heading of the hunk that git prints: usually a function."""
    lines: list[str] = field(default_factory=list)
    """Each begins with " ", "+" or "-"."""


@dataclass
class FileDiff:
    """What changes in one file."""

    old_path: str | None = None
    """Nothing: the file is new."""
    new_path: str | None = None
    """Nothing: the file is gone."""
    binary: bool = False
    hunks: list[Hunk] = field(default_factory=list)
    left_out: int = 0
    """Number of changed lines not shown, because the file changes too many."""


@dataclass
class Patch:
    """The files of a patch, up to the limit."""

    files: list[FileDiff]
    cut: bool
    """Whether files or lines are left out."""


def parse_unified_diff(text: str, *, cut: bool = False) -> Patch:
    """Return a patch as data. Lines of files count against what their hunks announce, so no content passes for a header."""
    lines = iter(text.split("\n"))
    files: list[FileDiff] = []
    shown = 0
    more = False
    file: FileDiff | None = None
    for line in lines:
        if line.startswith("diff --git "):
            if len(files) == MOST_FILES:
                more = True
                break
            file = FileDiff()
            file.old_path, file.new_path = _both(line.removeprefix("diff --git "))
            files.append(file)
        elif file is None:
            continue
        elif (found := HUNK.fullmatch(line)) is not None:
            shown += _read_hunk(file, found, lines, min(MOST_FILE_LINES, MOST_LINES - shown))
            more = more or file.left_out > 0
        else:
            _read_header(file, line)
    return Patch(files, cut or more)


def as_json(patch: Patch) -> dict[str, Any]:
    """Return a patch as it is stored."""
    return {
        "cut": patch.cut,
        "files": [
            {
                "old_path": file.old_path,
                "new_path": file.new_path,
                "binary": file.binary,
                "left_out": file.left_out,
                "hunks": [vars(hunk) for hunk in file.hunks],
            }
            for file in patch.files
        ],
    }


def _read_hunk(file: FileDiff, found: re.Match[str], lines: Iterator[str], room: int) -> int:
    old_left, new_left = int(found[2] or 1), int(found[4] or 1)
    if found[2] == "0":
        old_left = 0
    if found[4] == "0":
        new_left = 0
    hunk = Hunk(int(found[1]), int(found[3]), found[5][:MOST_COLUMNS])
    file.hunks.append(hunk)
    there = sum(len(one.lines) for one in file.hunks)
    while old_left > 0 or new_left > 0:
        line = next(lines, None)
        if line is None:
            break
        mark = line[:1] or " "  # an empty line without its leading space
        if mark == "\\":
            continue  # what ends without an end of line
        old_left -= mark in " -"
        new_left -= mark in " +"
        if there < room:
            hunk.lines.append(line[:MOST_COLUMNS] or " ")
            there += 1
        else:
            file.left_out += 1
    return len(hunk.lines)


def _read_header(file: FileDiff, line: str) -> None:
    if line.startswith(("--- ", "+++ ")):
        path = _path(line[4:].split("\t", maxsplit=1)[0] if not line[4:].startswith('"') else line[4:])
        if line.startswith("-"):
            file.old_path = path
        else:
            file.new_path = path
    elif line.startswith("rename from "):
        file.old_path = _unquoted(line.removeprefix("rename from "))
    elif line.startswith("rename to "):
        file.new_path = _unquoted(line.removeprefix("rename to "))
    elif line.startswith("Binary files "):
        file.binary = True
    elif line.startswith("new file mode "):
        file.old_path = None
    elif line.startswith("deleted file mode "):
        file.new_path = None


def _both(names: str) -> tuple[str | None, str | None]:
    """Return the two paths of a header that git does not quote: they are equal, or the lines below have them."""
    if names.startswith('"'):
        first, _, second = names[1:].partition('" "')
        return _path(f'"{first}"'), _path(f'"{second}')
    half = len(names) // 2
    return _path(names[:half]), _path(names[half + 1 :])


def _path(spelled: str) -> str | None:
    plain = _unquoted(spelled)
    return None if plain == "/dev/null" else plain.partition("/")[2]


def _unquoted(spelled: str) -> str:
    """Return a path that git may have quoted as C does."""
    if not (len(spelled) >= 2 and spelled[0] == spelled[-1] == '"'):
        return spelled

    def byte(found: re.Match[str]) -> bytes:
        return bytes([int(found[1], 8) & 255]) if len(found[1]) == 3 else bytes([ESCAPES[found[1]]])

    parts, at, inner = [], 0, spelled[1:-1]
    for found in QUOTED.finditer(inner):
        parts += [inner[at : found.start()].encode("utf-8", "replace"), byte(found)]
        at = found.end()
    return b"".join([*parts, inner[at:].encode("utf-8", "replace")]).decode("utf-8", "replace")
