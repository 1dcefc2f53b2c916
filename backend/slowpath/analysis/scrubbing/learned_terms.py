"""Things that were learnt, found again inside any text, at the cost of looking at each word's beginning once."""

import re

WORD_START = re.compile(r"(?<!\w)\w")
PREFIX = 2


class LearnedTerms:
    """Texts by what stands for them. Letters' case does not matter, but the ends of words do."""

    def __init__(self) -> None:
        self._after: dict[str, tuple[str, str]] = {}
        self._lengths: dict[str, list[int]] = {}

    def __contains__(self, text: str) -> bool:
        return text.lower() in self._after

    def __len__(self) -> int:
        return len(self._after)

    def add(self, text: str, kind: str, after: str) -> None:
        """Remember a text; the first that is said of it stays."""
        key = text.lower()
        if len(key) < PREFIX or len(key) != len(text) or key in self._after:
            return
        self._after[key] = (kind, after)
        lengths = self._lengths.setdefault(key[:PREFIX], [])
        if len(key) not in lengths:
            lengths.append(len(key))
            lengths.sort(reverse=True)

    def get(self, text: str) -> tuple[str, str] | None:
        """Return what a whole text is, and what stands for it."""
        return self._after.get(text.lower())

    def places(self, text: str) -> list[tuple[int, int, str, str]]:
        """Return where known things stand in a text: begin, end, what it is, what stands for it; the longest first wins."""
        folded = text.lower()
        if not self._after or len(folded) != len(text):
            return []
        found: list[tuple[int, int, str, str]] = []
        reached = 0
        for start in WORD_START.finditer(folded):
            begin = start.start()
            if begin < reached:
                continue
            for length in self._lengths.get(folded[begin : begin + PREFIX], ()):
                end = begin + length
                known = self._after.get(folded[begin:end])
                if known is not None and not (end < len(folded) and _joins(folded[end - 1], folded[end])):
                    found.append((begin, end, *known))
                    reached = end
                    break
        return found


def _joins(last: str, following: str) -> bool:
    return (last.isalnum() or last == "_") and (following.isalnum() or following == "_")
