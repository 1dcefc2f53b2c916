"""Decisions on the end of a production event: recovery, rollback, fix. Pure."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final, Literal
from uuid import UUID

from slowpath.analysis.kinds.metrics.changes.level_measurement import LevelMeasurement
from slowpath.commit_names import short_commit
from slowpath.verdicts.budgets.rules import BudgetState
from slowpath.verdicts.production_events.rules.event_states import ProductionEventState

ClosedReasonName = Literal["recovered", "rolled-back", "fixed", "budget-removed", "settled", "joined"]
ProofState = Literal["holds", "fails", "unknown"]

SETTLED_AFTER: Final = timedelta(hours=24)
"""A load that lasted for this long is the new level of the service."""
RECENT: Final = timedelta(minutes=15)
"""The time that is compared with the level before, to prove recovery."""
BEFORE: Final = timedelta(minutes=60)
LEAST_LOAD_SHARE: Final = 0.5
"""At less than this share of the former load, low latency proves nothing."""


@dataclass(frozen=True)
class ProofItem:
    """One condition of the end of an event, as a sentence."""

    id: str
    sentence: str
    state: ProofState


@dataclass(frozen=True)
class LaterDeployment:
    """A deployment of the service after the event began."""

    id: UUID
    commit: str
    label: str | None
    started_at: datetime
    build_id: UUID | None

    @property
    def name(self) -> str:
        """Return the first seven characters of its commit, or its label."""
        return short_commit(self.commit) or self.label or "without a commit"


PROOF_OF_BUDGET: Final[Mapping[BudgetState, ProofState]] = {
    BudgetState.WITHIN: "holds",
    BudgetState.EXCEEDED: "fails",
    BudgetState.INCONCLUSIVE: "unknown",
}


@dataclass(frozen=True)
class EventBudget:
    """A budget of the service during an event, by its newest evaluation. `increase`: what a budget per release allows."""

    sentence: str
    state: BudgetState
    increase: float | None

    @property
    def proof(self) -> ProofState:
        """Return whether the budget proves that the event is over."""
        return PROOF_OF_BUDGET[self.state]


@dataclass(frozen=True)
class StatedFix:
    """What a user named as the fix."""

    commit: str | None = None
    build_id: UUID | None = None
    deployment_id: UUID | None = None

    def is_deployed_by(self, deployment: LaterDeployment) -> bool:
        """Return whether a deployment contains exactly this fix: the same deployment, build or commit."""
        if self.deployment_id is not None:
            return deployment.id == self.deployment_id
        if self.build_id is not None:
            return deployment.build_id == self.build_id
        return bool(self.commit) and deployment.commit.startswith(str(self.commit))


@dataclass(frozen=True)
class EndDecision:
    """Whether an event is over, and what proves it."""

    reason: ClosedReasonName | None
    sentence: str
    proof: tuple[ProofItem, ...]


def is_recovered(level: LevelMeasurement, floor: float) -> bool | None:
    """Return whether latency is certainly less than `floor` times the level before, at a comparable load."""
    if level.recent_ratio_high is None or level.load_share is None or level.load_share < LEAST_LOAD_SHARE:
        return None
    return level.recent_ratio_high < floor


def is_back(level: LevelMeasurement, ratio: float) -> bool | None:
    """Return whether load or a gauge, changed by `ratio`, is certainly nearer to its level before; None: not known.

    A load has no level to which it returns exactly: it is compared with the geometric middle of both levels.
    """
    if level.recent_ratio_high is None or level.recent_ratio_low is None:
        return None
    middle = math.sqrt(ratio)
    return level.recent_ratio_high < middle if ratio > 1 else level.recent_ratio_low > middle


def find_rollback(former_commit: str | None, later: Sequence[LaterDeployment]) -> LaterDeployment | None:
    """Return the newest deployment after the event if it runs the commit from before the event."""
    newest = max(later, key=lambda one: one.started_at, default=None)
    return newest if newest is not None and former_commit and newest.commit == former_commit else None


def find_fix(fix: StatedFix | None, later: Sequence[LaterDeployment]) -> LaterDeployment | None:
    """Return the newest deployment that contains the fix that a user stated."""
    found = [each for each in later if fix is not None and fix.is_deployed_by(each)]
    return max(found, key=lambda one: one.started_at, default=None)


@dataclass(frozen=True)
class TriageUpdate:
    """Changes by a user; a name in `fields` is changed even if its value is None."""

    fields: frozenset[str]
    state: ProductionEventState | None = None
    assignee_id: UUID | None = None
    due_on: date | None = None
    fix: StatedFix | None = None
