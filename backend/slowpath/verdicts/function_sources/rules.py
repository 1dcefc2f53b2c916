"""Cut a function out of a file, and compare the lines of two texts. Pure; texts are untrusted."""

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

MOST_LINES: Final = 400
"""Lines of a side that are returned."""
MOST_LINE: Final = 500
"""Characters of a line that are returned."""
CONTEXT_LINES: Final = 3
SIMILAR_SHARE: Final = 0.5
"""From this share of equal lines on, a function of the same name is the same one: git's default for renamed files."""
_BEGIN = re.compile(r"func\b|TEXT\b|var\b|const\b|type\b")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


@dataclass(frozen=True)
class LineRange:
    """Lines of a file, counted from 1, both ends included."""

    first: int
    last: int
    is_truncated: bool = False


def split_lines(text: str) -> list[str]:
    """Return the lines of a file as Go counts them: only a line feed ends one. Long lines are truncated."""
    lines = text.split("\n")
    if lines and lines[-1] == "":
        lines.pop()
    return [_CONTROL.sub("\ufffd", line.removesuffix("\r"))[:MOST_LINE] for line in lines]


def find_declared_lines(lines: Sequence[str], first: int, last: int, measured: Sequence[int]) -> LineRange:
    """Return the lines of a declaration with its comment; of more than 400, those around the middle of the measured ones."""
    return _extend(lines, first, last, sorted(line for line in measured if first <= line <= last) or [first])


def find_function_lines(lines: Sequence[str], measured: Sequence[int]) -> LineRange | None:
    """Return the lines of the function with these measured lines, with its comment; None if none is in the file.

    A function begins with `func` in the first column and ends with the brace in the first column. Of a function with more
    than 400 lines, those around the middle of the measured ones are returned.
    """
    inside = sorted(line for line in measured if 1 <= line <= len(lines))
    if not inside:
        return None
    first = inside[0]
    while first > 1 and not _BEGIN.match(lines[first - 1]):
        first -= 1
    if not _BEGIN.match(lines[first - 1]):
        first = max(1, inside[0] - CONTEXT_LINES)
    last = inside[-1]
    while last < len(lines) and not lines[last - 1].startswith("}"):
        last += 1
    return _extend(lines, first, last, inside)


def _extend(lines: Sequence[str], first: int, last: int, inside: Sequence[int]) -> LineRange:
    """Add the comment above, and omit lines far from the middle of the measured ones if there are too many."""
    while first > 1 and lines[first - 2].startswith("//"):
        first -= 1
    if last - first < MOST_LINES:
        return LineRange(first, last)
    middle = inside[len(inside) // 2]
    begin = min(max(first, middle - MOST_LINES // 2), last - MOST_LINES + 1)
    return LineRange(begin, begin + MOST_LINES - 1, is_truncated=True)


def find_changed_lines(base: Sequence[str], candidate: Sequence[str]) -> tuple[frozenset[int], frozenset[int]]:
    """Return the indices of the lines of each text that are not in the other. At most `MOST_LINES` each."""
    changed: tuple[set[int], set[int]] = (set(), set())
    for tag, a, b, c, d in SequenceMatcher(None, base, candidate, autojunk=False).get_opcodes():
        if tag != "equal":
            changed[0].update(range(a, b))
            changed[1].update(range(c, d))
    return frozenset(changed[0]), frozenset(changed[1])


def compare_texts(one: Sequence[str], other: Sequence[str]) -> float:
    """Return the share of equal lines of two texts, 0 to 1, in any order as git compares files; linear in both.

    Indents, empty lines and the comment above are not compared.
    """
    counts = [
        Counter(line.strip() for line in each if line.strip() and not line.startswith("//")) for each in (one, other)
    ]
    total = counts[0].total() + counts[1].total()
    return 2 * (counts[0] & counts[1]).total() / total if total else 0.0


def name_moved_function(function: str, declared_package: str, module: str, directory: str, path: str) -> str | None:
    """Return the name of a function in a file of a module, which is in a directory; None if the file is outside of it.

    `a.org/app/pool.(*T).M` in the file `mem/mem.go` of the module `a.org/app` is `a.org/app/mem.(*T).M`.
    """
    head = function.split("[", 1)[0]
    start = head.rfind("/") + 1
    own = function[head.find(".", start) :]
    if declared_package == "main":
        return f"main{own}"
    folder = posixpath.dirname(path)
    if directory and not f"{folder}/".startswith(f"{directory}/"):
        return None
    below = folder.removeprefix(directory).strip("/")
    parent, _, last = "/".join(filter(None, (module, below))).rpartition("/")
    return "/".join(filter(None, (parent, last.replace(".", "%2e")))) + own
