"""A comparison as plain text for a terminal: verdict, findings, doubts. Reads the same JSON that others get."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 100
_MARKS = {"worse": "▲", "better": "▼"}
_COLOURS = {"worse": "33", "better": "34", "muted": "2", "strong": "1"}


def format_comparison(document: Mapping[str, Any], *, color: bool) -> str:
    """The whole page."""
    paint = _painter(color=color)
    blocks = [
        _head(document, paint),
        _findings(document["findings"], paint),
        _moves(document["moves"], paint),
        _detectable(document, paint),
        _doubts(document["doubts"], paint),
    ]
    return "\n\n".join(block for block in blocks if block)


class _AnsiStyle:
    def __init__(self, *, color: bool) -> None:
        self._color = color

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{_COLOURS[style]}m{text}\x1b[0m" if self._color else text


def _painter(*, color: bool) -> _AnsiStyle:
    return _AnsiStyle(color=color)


def _head(document: Mapping[str, Any], paint: _AnsiStyle) -> str:
    lines = [paint("strong", _wrapped(document["headline"]["sentence"], "", ""))]
    lines += [paint("muted", _wrapped(text, "", "")) for text in document["headline"].get("conditions", [])]
    return "\n".join(lines)


def _findings(findings: Sequence[Mapping[str, Any]], paint: _AnsiStyle) -> str:
    if not findings:
        return ""
    blocks = []
    for number, finding in enumerate(findings, 1):
        mark = _MARKS[finding["direction"]]
        first = _wrapped(finding["sentence"], f"{number:>2} {mark} ", "     ")
        lines = [paint(finding["direction"], first)]
        for payer in finding["payers"][:3]:
            entry = f" through {payer['entry']}" if payer["entry"] else ""
            lines.append(f"       {payer['function']}{entry}")
        if finding["mechanism"]:
            lines.append(paint("muted", _wrapped(f"{finding['mechanism']} {finding['advice']}", "       ", "       ")))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _moves(moves: Sequence[Mapping[str, Any]], paint: _AnsiStyle) -> str:
    if not moves:
        return ""
    return "\n".join([paint("strong", "Moved, not changed"), *(_wrapped(m["sentence"], "   ", "   ") for m in moves)])


def _detectable(document: Mapping[str, Any], paint: _AnsiStyle) -> str:
    sentence = document["headline"].get("detectable")
    return paint("muted", _wrapped(sentence, "", "")) if sentence else ""


def _doubts(doubts: Sequence[Mapping[str, Any]], paint: _AnsiStyle) -> str:
    if not doubts:
        return ""
    lines = [paint("strong", "Doubts")]
    lines += [_wrapped(doubt["sentence"], " ? ", "   ") for doubt in doubts]
    return "\n".join(lines)


def _wrapped(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
