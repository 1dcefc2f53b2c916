"""Format a comparison as plain text for a terminal: verdict, findings, cost shifts, caveats."""

import textwrap
from collections.abc import Sequence

from slowpath.analysis.builds.compile_report import CompilerReason, describe_reason
from slowpath.analysis.comparison.comparison_document import ComparisonDocument
from slowpath.analysis.comparison.compiler_findings import CompilerFinding, CompilerSection, regressed_functions
from slowpath.analysis.findings.findings import Caveat, CostShift, Finding

WIDTH = 100
MOST_INSTANCES = 10
INSTANCE_WORDS = {"added": "new", "removed": "removed", "changed": "changed"}
NO_PROGRAMS = "Compiler: not compared, no programs are given. Use --base-binary and --candidate-binary."
REASONS = {"-pgo": "It may be the reason where a function inlines or calls others than before."}
"""What a setting that differs may explain, if that is not everything."""
LIMITS = (
    "These limits answer different questions. The first line states the change that the interval of the total excludes: "
    "the true one is smaller. The minimum detectable change is larger: one of that size is found in 8 of 10 such "
    "comparisons, a smaller one less often. More profiles lower both; the required number lowers the first to the "
    "limit for unchanged."
)
"""How the limits of a comparison without a change of the total relate."""
OTHER_BUILD = "The statements below hold as far as both are of the same code: use the program that was profiled."
_MARKS = {"worse": "▲", "better": "▼"}
_COLORS = {"worse": "33", "better": "34", "muted": "2", "strong": "1"}


def format_comparison(document: ComparisonDocument, *, color: bool, reasons: Sequence[CompilerReason] = ()) -> str:
    """Format the document of a comparison, with terminal colors if `color`, and the compiler's reasons."""
    paint = _painter(color=color)
    blocks = [
        _format_headline(document, paint),
        _format_findings(document.findings, paint),
        _format_compiler(document, paint),
        _format_reasons(reasons, paint),
        _format_cost_shifts(document.cost_shifts, paint),
        _format_minimum_detectable_effect(document, paint),
        _format_caveats(document.caveats, paint),
    ]
    return "\n\n".join(block for block in blocks if block)


class _AnsiStyle:
    def __init__(self, *, color: bool) -> None:
        self._color = color

    def __call__(self, style: str, text: str) -> str:
        return f"\x1b[{_COLORS[style]}m{text}\x1b[0m" if self._color else text


def _painter(*, color: bool) -> _AnsiStyle:
    return _AnsiStyle(color=color)


def _format_headline(document: ComparisonDocument, paint: _AnsiStyle) -> str:
    lines = [paint("strong", _wrapped(document.headline.sentence, "", ""))]
    lines += [paint("muted", _wrapped(text, "", "")) for text in document.headline.conditions]
    return "\n".join(lines)


def _format_findings(findings: Sequence[Finding], paint: _AnsiStyle) -> str:
    if not findings:
        return ""
    blocks = []
    for number, finding in enumerate(findings, 1):
        mark = _MARKS[finding.direction]
        first = _wrapped(finding.sentence, f"{number:>2} {mark} ", "     ")
        lines = [paint(finding.direction, first)]
        for caller in finding.attributed_callers[:3]:
            entry = f" through {caller.entry}" if caller.entry else ""
            lines.append(f"       {caller.function}{entry}")
        if finding.mechanism:
            lines.append(
                paint("muted", _wrapped(f"{finding.mechanism} {finding.advice}".rstrip(), "       ", "       "))
            )
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def _format_compiler(document: ComparisonDocument, paint: _AnsiStyle) -> str:
    """Format what the compiler did differently: first what may change all code; without programs, how to give them."""
    section = document.compiler
    if section is None:
        return paint("muted", _wrapped(NO_PROGRAMS, "", "")) if regressed_functions(document.findings) else ""
    lines = [paint("strong", "Compiler")]
    others = [f"The profiles of the {side} have another build ID than its program." for side in section.other_builds]
    lines += [_wrapped(f"{each} {OTHER_BUILD}", " ? ", "   ") for each in others]
    if section.addressed:
        sides = " and the ".join(section.addressed)
        lines.append(_wrapped(f"Stacks of the {sides} are followed by the addresses in the profiles.", "   ", "   "))
    for each in section.differences:
        values = f"{each.base or 'unset'} in base, {each.candidate or 'unset'} in candidate"
        reason = REASONS.get(each.setting, "It may be the reason for everything below.")
        lines.append(_wrapped(f"{each.setting}: {values}. {reason}", " ? ", "   "))
    lines += [_wrapped(section.pgo_comparison, " ? ", "   ")] if section.pgo_comparison else []
    lines += [_wrapped(section.pgo, "   ", "   ")] if section.pgo else []
    for finding in section.findings:
        lines.append(_wrapped(finding.sentence, "   ", "   "))
        lines.append(paint("muted", _wrapped(_grade(finding), "     ", "     ")))
        lines += [paint("muted", _wrapped(finding.advice, "     ", "     "))] if finding.advice else []
    if not section.findings:
        lines.append("   No difference in the functions on these stacks.")
    lines += [_wrapped(each, "   ", "     ") for each in list_instances(section)]
    return "\n".join(lines)


def list_instances(section: CompilerSection) -> list[str]:
    """Return lines on the instances of generic functions that differ: the first, and how many there are."""
    found = section.instances
    if not found:
        return []
    lines = [f"Instances of generic functions that differ: {len(found) + section.omitted_instances:,}"]
    for each in found[:MOST_INSTANCES]:
        sizes = [f"{one.size_bytes:,} B, frame {one.frame_bytes:,} B" for one in (each.base, each.candidate) if one]
        lines.append(f"{INSTANCE_WORDS[each.change]} {each.function} with {each.type_arguments}: {' -> '.join(sizes)}")
    more = len(found) + section.omitted_instances - MOST_INSTANCES
    return [*lines, f"{more:,} more: see --json"] if more > 0 else lines


def _format_reasons(reasons: Sequence[CompilerReason], paint: _AnsiStyle) -> str:
    if not reasons:
        return ""
    lines = [f"{describe_reason(each)} {each.file}{f':{each.line}' if each.line else ''}" for each in reasons]
    return "\n".join([paint("strong", "The compiler says"), *(_wrapped(each, "   ", "   ") for each in lines)])


def _grade(finding: CompilerFinding) -> str:
    """Format how certain a statement is, what it explains, and its place."""
    grades = {
        "binary": "binary proves",
        "predicted": "predicted to cross, exact" if finding.is_exact else "predicted to cross",
        "possible": "possible",
        "information": "information",
    }
    parts = [grades[finding.grade]]
    if finding.explains is not None:
        parts.append(f"{'cause of' if finding.is_cause else 'may explain'} finding {finding.explains + 1}")
    if finding.file and finding.line:
        parts.append(f"{finding.file}:{finding.line}")
    return " · ".join(parts)


def _format_cost_shifts(shifts: Sequence[CostShift], paint: _AnsiStyle) -> str:
    if not shifts:
        return ""
    lines = [_wrapped(shift.sentence, "   ", "   ") for shift in shifts]
    return "\n".join([paint("strong", "Cost shifts, no net change"), *lines])


def _format_minimum_detectable_effect(document: ComparisonDocument, paint: _AnsiStyle) -> str:
    sentence = document.headline.minimum_detectable_effect
    if not sentence:
        return ""
    how = f" {LIMITS}" if "larger than" in document.headline.sentence else ""
    return paint("muted", _wrapped(f"{sentence}{how}", "", ""))


def _format_caveats(caveats: Sequence[Caveat], paint: _AnsiStyle) -> str:
    if not caveats:
        return ""
    lines = [paint("strong", "Caveats")]
    lines += [_wrapped(caveat.sentence, " ? ", "   ") for caveat in caveats]
    return "\n".join(lines)


def _wrapped(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
