"""Print the result of a test run: a table, and a line with the total counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bootstrap_parts.console import ConsoleOutput
from bootstrap_parts.suite_counts import SuiteCount


@dataclass(frozen=True)
class SuiteResult:
    """Result of a part."""

    name: str
    count: SuiteCount
    seconds: float
    ok: bool


def wording(count: SuiteCount) -> str:
    """Format a count: `3 passed, 0 failed`, and the skipped tests if there are any."""
    skipped = f", {count.skipped} skipped" if count.skipped else ""
    return f"{count.passed} passed, {count.failed} failed{skipped}"


def print_report(
    results: Sequence[SuiteResult], seconds: float, console: ConsoleOutput, *, budget_seconds: float | None = None
) -> int:
    """Print the table and the total counts; return the exit code. A run without parts has failed.

    A run that exceeds its budget does not fail: its duration depends on the machine.
    """
    width = max((len(result.name) for result in results), default=4)
    console.line(f"\n{'part':{width}}  result  seconds  passed  failed  skipped")
    for result in results:
        count, verdict = result.count, "ok" if result.ok else "FAILED"
        console.line(
            f"{result.name:{width}}  {verdict:6}  {result.seconds:7.1f}  {count.passed:6}  {count.failed:6}  {count.skipped:7}"
        )
    ok = bool(results) and all(result.ok for result in results)
    console.line(f"{'all':{width}}  {'ok' if ok else 'FAILED':6}  {seconds:7.1f}\n")
    if budget_seconds is not None:
        excess = seconds - budget_seconds
        verdict = f"{excess:.0f} s over" if excess > 0 else "within"
        console.line(f"{seconds:.0f} s in total, {verdict} the budget of {budget_seconds:.0f} s on two cores\n")
    console.line(wording(sum((result.count for result in results), SuiteCount())))
    return 0 if ok else 1
