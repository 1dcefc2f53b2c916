"""Rank signatures by how well they separate the good from the bad build, and leave out those that do not."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from slowpath.analysis.kinds.registry import measurement_kind
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId
from slowpath.verdicts.bisects.rules.bisect_proposals import Signature, SignatureProposal
from slowpath.verdicts.bisects.service import production_baselines
from slowpath.verdicts.bisects.service.latency_proposals import CLEAR
from slowpath.verdicts.regressions import wording
from slowpath.verdicts.regressions.service.commit_measurements import CommitMeasurements

USEFUL: Final = 2.0
"""Least separation in standard errors of a signature that is offered."""
Z95: Final = 1.96


@dataclass(frozen=True)
class RankedSignatures:
    """Signatures that separate good from bad, the best first, and the others with the reason."""

    offered: tuple[SignatureProposal, ...]
    left_out: tuple[SignatureProposal, ...]


def rank_signatures(
    session: ReadSession,
    service_id: ServiceId,
    good: str | None,
    bad: str | None,
    proposals: Sequence[SignatureProposal],
) -> RankedSignatures:
    """Complete proposals by what the builds of both commits measured, and rank them.

    A confirmed series of the regression is always offered: its history shows the change.
    """
    commits = CommitMeasurements(session, service_id)
    known = [_measured(commits, good, bad, one) if good and bad else one for one in proposals]
    useful = [one for one in known if one.is_confirmed or one.separation is None or one.separation >= USEFUL]
    rest = [one for one in known if one not in useful]
    ranked = sorted(useful, key=lambda one: (-(one.separation or 0.0), not one.separates, -clearness(one)))
    return RankedSignatures(tuple(ranked), tuple(replace(one, why=_explain_left_out(one)) for one in rest))


def separation_of_ratio(ratio: float | None, low: float | None, high: float | None) -> float | None:
    """Return how many standard errors a ratio with its 95% interval is from 1; None if unknown."""
    if ratio is None or low is None or high is None or not 0 < low < high or ratio <= 0:
        return None
    return abs(math.log(ratio)) / (math.log(high / low) / (2 * Z95))


def clearness(one: SignatureProposal) -> float:
    """Return how much a signature changes, weighted by how steady its kind is."""
    ratio = ratio_of(one.before, one.after) or 1.0
    return measurement_kind(one.signature.kind).steadiness * abs(math.log(ratio))


def ratio_of(before: float | None, after: float | None) -> float | None:
    """Return the ratio; large if the base is zero, None if unknown."""
    if before is None or after is None or before < 0 or after <= 0:
        return None
    return after / before if before > 0 else 100.0


def _measured(commits: CommitMeasurements, good: str, bad: str, one: SignatureProposal) -> SignatureProposal:
    """Return a proposal with the values and the separation that the builds of both commits have."""
    if one.board is not None:
        return one
    found = production_baselines.find_production_baselines(commits, one.signature, good, bad)
    if found is None:
        return one
    before, after = found
    errors = [each.error for each in found if each.error is not None]
    noise = math.hypot(*errors) if len(errors) == len(found) else None
    separation = abs(after.value - before.value) / noise if noise else one.separation
    signature = Signature(
        one.signature.kind, one.signature.subject, one.signature.label, before.unit, after.value >= before.value
    )
    return replace(one, signature=signature, before=before.value, after=after.value, separation=separation)


def _explain_left_out(one: SignatureProposal) -> str:
    ratio = ratio_of(one.before, one.after)
    if ratio is None:
        return "good and bad do not differ"
    change = wording.format_change(ratio)
    if 1 / CLEAR < ratio < CLEAR:
        return f"good and bad do not differ ({change})"
    alone = f"good and bad alone do not differ clearly ({change}, {one.separation or 0.0:.1f} standard errors of {USEFUL:.0f})"
    return f"{alone}, only over the builds of the regression" if one.is_related else alone
