"""Find learned terms inside any text, with one lookup per word."""

import re

WORD_START = re.compile(r"(?<!\w)\w")
PREFIX = 2


class LearnedTerms:
    """Terms with their pseudonyms. Case is ignored, word boundaries are not."""

    def __init__(self) -> None:
        self._after: dict[str, tuple[str, str]] = {}
        self._lengths: dict[str, list[int]] = {}

    def __contains__(self, text: str) -> bool:
        return text.lower() in self._after

    def __len__(self) -> int:
        return len(self._after)

    def add(self, text: str, kind: str, after: str) -> None:
        """Add a term; the first pseudonym is used."""
        key = text.lower()
        if len(key) < PREFIX or len(key) != len(text) or key in self._after:
            return
        self._after[key] = (kind, after)
        lengths = self._lengths.setdefault(key[:PREFIX], [])
        if len(key) not in lengths:
            lengths.append(len(key))
            lengths.sort(reverse=True)

    def get(self, text: str) -> tuple[str, str] | None:
        """Return the kind and the pseudonym of a complete text."""
        return self._after.get(text.lower())

    def places(self, text: str) -> list[tuple[int, int, str, str]]:
        """Return the positions of known terms in a text: begin, end, kind, pseudonym; the longest match first."""
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
