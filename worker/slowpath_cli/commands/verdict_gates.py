"""Map the verdicts of a comparison to the exit code of a CI gate, for the artifact kinds chosen with --gate."""

import argparse
from collections.abc import Sequence

from slowpath.analysis.comparison.stack_sizes import STACK_SIZE
from slowpath.analysis.findings.combined_verdict import KindVerdict, combined_verdict
from slowpath.analysis.findings.findings import Verdict
from slowpath.analysis.kinds.profiles.decoded.profile_kinds import KIND_ORDER, SHOWN_KINDS
from slowpath.analysis.kinds.registry import LATENCY, compared_kinds

PASSED, SLOWER, UNDECIDED = 0, 1, 3
_CODES: dict[Verdict, int] = {
    "regressed": SLOWER,
    "mixed": SLOWER,
    "improved": PASSED,
    "unchanged": PASSED,
    "inconclusive": UNDECIDED,
}
GATE_KINDS = (
    *(kind for kind in KIND_ORDER if kind not in SHOWN_KINDS),
    *(kind.section for kind in compared_kinds()),
    LATENCY,
)
"""Kinds that --gate accepts: profile types, then the other artifact kinds."""
BUILD_GATE_KINDS = (*GATE_KINDS, STACK_SIZE)
"""Kinds that the gate of an uploaded build accepts."""
EXIT_CODES = """exit codes:
  0   no regression
  1   regressed, or mixed: significant costs moved both ways without a significant net change
  2   bad input or an unknown kind
  3   inconclusive
  70  internal error

With --gate, each named kind is evaluated separately: 1 if any regressed or is mixed, else 3 if any is inconclusive or
was not compared. Without --gate, the exit code follows the combined verdict of all kinds with enough data. In it, kinds
that measure the cost of a request (CPU, traces, spans, benchmarks) outrank the others (allocs, heap, mutex, block).
"""


def build_gate_kinds(text: str) -> tuple[str, ...]:
    """Parse the kinds that the gate of an uploaded build names, like `gate_kinds`."""
    return gate_kinds(text, BUILD_GATE_KINDS)


def gate_kinds(text: str, valid: Sequence[str] = GATE_KINDS) -> tuple[str, ...]:
    """Parse a comma-separated list of kinds. Raises `ArgumentTypeError`, which lists the valid kinds."""
    kinds = tuple(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))
    unknown = [kind for kind in kinds if kind not in valid]
    if unknown or not kinds:
        what = f"unknown kind: {', '.join(unknown)}" if unknown else "no kind given"
        raise argparse.ArgumentTypeError(f"{what}; choose from {', '.join(valid)}")
    return kinds


def exit_code(verdicts: Sequence[KindVerdict], gate: Sequence[str] | None) -> int:
    """Return 1 for a regressed or mixed verdict, else 3 for an inconclusive or missing one, else 0.

    The kinds in `gate` are evaluated separately; without `gate`, the combined verdict of all kinds with enough data counts.
    """
    if gate is None:
        return _CODES[combined_verdict([each for each in verdicts if each.has_enough_data])]
    named = {each.kind: each.verdict for each in verdicts}
    codes = {_CODES[named.get(kind, "inconclusive")] for kind in gate}
    return next(code for code in (SLOWER, UNDECIDED, PASSED) if code in codes)
