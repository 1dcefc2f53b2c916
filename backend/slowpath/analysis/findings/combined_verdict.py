"""Combine the verdicts of several kinds of artifact into one.

Kinds that measure the cost of a request take precedence over kinds that only measure shares. Within one tier, opposite
changes are mixed. Swapping the two sides swaps regressed and improved and changes no other verdict.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from slowpath.analysis.findings.findings import CHANGED, Direction, Verdict

VERDICT_OF: dict[Direction, Verdict] = {"worse": "regressed", "better": "improved"}


def leading_direction(verdict: Verdict | None) -> Direction:
    """Return the direction whose findings are listed first.

    The verdict's, so swapped sides have the same order.
    """
    return "better" if verdict == "improved" else "worse"


@dataclass(frozen=True)
class KindVerdict:
    """The verdict of one kind of artifact.

    `measures_cost`: the kind measures what a request costs (CPU time, waiting, latency), not only how a total is
    divided. `has_enough_data`: the kind changed, or had enough data to support *unchanged*. Kinds that measure the cost
    of a request always count. Others count only with enough data: otherwise two heap snapshots next to twenty CPU
    profiles would make every verdict inconclusive.
    """

    kind: str
    verdict: Verdict
    measures_cost: bool
    has_enough_data: bool

    @property
    def counts(self) -> bool:
        """Return whether the kind takes part in the overall verdict."""
        return self.measures_cost or self.has_enough_data


def combined_verdict(verdicts: Sequence[KindVerdict]) -> Verdict:
    """Combine the verdicts of all kinds; *unchanged* requires that no kind that counts is inconclusive."""
    for tier in tiers(verdicts):
        changed = {each.verdict for each in tier if each.verdict in CHANGED}
        if changed:
            return changed.pop() if len(changed) == 1 else "mixed"
    unchanged_or_inconclusive = {each.verdict for each in verdicts if each.counts}
    return "unchanged" if unchanged_or_inconclusive == {"unchanged"} else "inconclusive"


def deciding_kinds(verdicts: Sequence[KindVerdict]) -> list[KindVerdict]:
    """Return the kinds that decide the combined verdict, in their order."""
    for tier in tiers(verdicts):
        changed = [each for each in tier if each.verdict in CHANGED]
        if changed:
            return changed
    combined = combined_verdict(verdicts)
    return [each for each in verdicts if each.verdict == combined and each.counts] or list(verdicts)


def tiers(verdicts: Sequence[KindVerdict]) -> tuple[list[KindVerdict], list[KindVerdict]]:
    """Split the kinds into those that measure the cost of a request and the others."""
    return [each for each in verdicts if each.measures_cost], [each for each in verdicts if not each.measures_cost]
