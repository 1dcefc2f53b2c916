"""Cut a function out of a file, and mark the lines that differ between two texts. Pure; texts are untrusted."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

MOST_LINES: Final = 400
"""Lines of a side that are returned."""
MOST_LINE: Final = 500
"""Characters of a line that are returned."""
CONTEXT_LINES: Final = 3
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
    while first > 1 and lines[first - 2].startswith("//"):
        first -= 1
    last = inside[-1]
    while last < len(lines) and not lines[last - 1].startswith("}"):
        last += 1
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
