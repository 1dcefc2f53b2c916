"""Format a comparison document as plain text for a terminal: verdict, findings, cost shifts, caveats."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

WIDTH = 100
_MARKS = {"worse": "▲", "better": "▼"}
_COLORS = {"worse": "33", "better": "34", "muted": "2", "strong": "1"}


def format_comparison(document: Mapping[str, Any], *, color: bool) -> str:
    """Format all sections of a comparison document."""
    paint = _painter(color=color)
    blocks = [
        _head(document, paint),
        _findings(document["findings"], paint),
        _cost_shifts(document["moves"], paint),
        _detectable(document, paint),
        _caveats(document["doubts"], paint),
    ]
    return "\n\n".join(block for block in blocks if block)


class _AnsiStyle:
    def __init__(self, *, color: bool) -> None:
        self._color = color

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{_COLORS[style]}m{text}\x1b[0m" if self._color else text


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
        for attributed in finding["payers"][:3]:
            entry = f" through {attributed['entry']}" if attributed["entry"] else ""
            lines.append(f"       {attributed['function']}{entry}")
        if finding["mechanism"]:
            lines.append(paint("muted", _wrapped(f"{finding['mechanism']} {finding['advice']}", "       ", "       ")))
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _cost_shifts(cost_shifts: Sequence[Mapping[str, Any]], paint: _AnsiStyle) -> str:
    if not cost_shifts:
        return ""
    return "\n".join([paint("strong", "Cost shifts"), *(_wrapped(m["sentence"], "   ", "   ") for m in cost_shifts)])


def _detectable(document: Mapping[str, Any], paint: _AnsiStyle) -> str:
    sentence = document["headline"].get("detectable")
    return paint("muted", _wrapped(sentence, "", "")) if sentence else ""


def _caveats(caveats: Sequence[Mapping[str, Any]], paint: _AnsiStyle) -> str:
    if not caveats:
        return ""
    lines = [paint("strong", "Caveats")]
    lines += [_wrapped(caveat["sentence"], " ? ", "   ") for caveat in caveats]
    return "\n".join(lines)


def _wrapped(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
