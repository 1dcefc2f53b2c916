"""Read regressions, their events and evidence, and verdicts on builds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from slowpath.analysis.builds.comparison_answer import KindAnswer
from slowpath.analysis.comparison.stack_sizes import STACK_SIZE
from slowpath.analysis.findings.findings import Verdict
from slowpath.analysis.kinds.registry import section_of_measurement
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId, RegressionId
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.errors import RegressionNotFound
from slowpath.verdicts.regressions.queries import RegressionFilter
from slowpath.verdicts.regressions.read_models import CombinedVerdict
from slowpath.verdicts.regressions.rules import NO_BRANCH, OPEN, BuildVerdictState
from slowpath.verdicts.regressions.service.build_decision import load_ancestor
from slowpath.verdicts.regressions.service.build_verdicts import get_decision
from slowpath.verdicts.regressions.service.stack_checks import describe_stack_warnings, load_stack_check
from slowpath.verdicts.regressions.tables import BuildVerdict, Regression, RegressionEvent, RegressionEvidence

__all__ = [
    "RegressionFilter",
    "combine_answers",
    "combine_answers_of_builds",
    "count_regressions",
    "describe_stack_warnings",
    "get_build_verdict",
    "get_regression",
    "get_settled_verdict",
    "get_user_names",
    "list_events",
    "list_evidence",
    "list_regressions",
]

NOT_MEASURED = "This build has no measurements yet."
NEW_ARTIFACTS = "New artifacts of this build are being measured."


@dataclass(frozen=True)
class RegressionCounts:
    """Counts of regressions by state and by service (open, all), of new unassigned ones.

    And the largest open one.
    """

    states: dict[str, int]
    services: dict[UUID, tuple[int, int]]
    new_unassigned: int
    largest: Regression | None


def list_regressions(
    session: ReadSession, filters: RegressionFilter, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Regression]:
    """Return up to `limit` regressions, newest first."""
    return queries.select_regressions(session, filters, after=after, limit=limit)


def get_regression(session: ReadSession, regression_id: RegressionId) -> Regression:
    """Return the regression. Raises `RegressionNotFound`."""
    row = queries.select_regression(session, regression_id)
    if row is None:
        raise RegressionNotFound("The team has no regression with this ID.")
    return row


def list_evidence(session: ReadSession, regression_id: RegressionId) -> Sequence[RegressionEvidence]:
    """Return the evidence of a regression, oldest first."""
    return queries.select_evidence(session, regression_id)


def list_events(
    session: ReadSession, regression_id: RegressionId, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[RegressionEvent]:
    """Return the events of a regression, newest first. Raises `RegressionNotFound`."""
    get_regression(session, regression_id)
    return queries.select_events(session, regression_id, after=after, limit=limit)


def get_user_names(session: ReadSession, user_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Return the names of users by ID."""
    return queries.select_user_names(session, [user_id for user_id in user_ids if user_id is not None])


def count_regressions(session: ReadSession) -> RegressionCounts:
    """Count confirmed regressions by state and by service."""
    states: dict[str, int] = {}
    services: dict[UUID, tuple[int, int]] = {}
    for service_id, state, count in queries.count_regressions(session):
        states[state] = states.get(state, 0) + count
        is_open, total = services.get(service_id, (0, 0))
        services[service_id] = (is_open + (count if state in OPEN else 0), total + count)
    return RegressionCounts(
        states, services, queries.count_new_unassigned(session), queries.select_largest_open_regression(session)
    )


def get_build_verdict(session: ReadSession, build_id: BuildId) -> BuildVerdict:
    """Return the verdict on a build; `pending` if there is none. Raises `BuildNotFound`."""
    build = catalog.build(session, build_id)
    row = queries.select_build_verdict(session, build_id)
    if row is not None:
        return row
    return BuildVerdict(
        team_id=session.team_id,
        build_id=build_id,
        service_id=build.service_id,
        branch=build.branch or NO_BRANCH,
        state=BuildVerdictState.PENDING,
        sentence=NOT_MEASURED,
        required_evidence=None,
        regression_ids=[],
        evaluated_at=None,
    )


def combine_answers(session: ReadSession, row: BuildVerdict) -> CombinedVerdict:
    """Return a verdict with the answer of its comparison, from the decision that made it."""
    return combine_answers_of_builds(session, [row])[row.build_id]


def combine_answers_of_builds(session: ReadSession, rows: Sequence[BuildVerdict]) -> dict[UUID, CombinedVerdict]:
    """Return the verdicts by build, each with the answer of its comparison: one query for the regressions of all."""
    regression_ids = {UUID(str(each)) for row in rows for each in row.regression_ids}
    found = queries.select_regressions_by_id(session, list(regression_ids)) if regression_ids else ()
    kinds = {each.id: section_of_measurement(each.kind) for each in found}
    return {row.build_id: _combine(row, kinds) for row in rows}


def _combine(row: BuildVerdict, kind_of_regression: Mapping[UUID, str]) -> CombinedVerdict:
    decision, ancestor = get_decision(row), load_ancestor(row.ancestor_answer)
    is_announced = decision is not None and decision.is_announced and row.state == decision.state
    compared = ancestor.comparison if ancestor is not None else None
    kinds = {each.kind: each for each in (compared.kinds if compared is not None else ())}
    if not is_announced:  # later builds may have refuted the comparison
        kinds = {kind: replace(each, is_announced=False) for kind, each in kinds.items()}
    check = load_stack_check(row.stack_check)
    if check is not None:
        verdict: Verdict = "regressed" if check.warnings else "unchanged"
        kinds[STACK_SIZE] = KindAnswer(STACK_SIZE, verdict, is_announced=bool(check.warnings))
    ids = sorted(UUID(str(each)) for each in row.regression_ids)
    for kind in (kind_of_regression[each] for each in ids if each in kind_of_regression):
        kinds[kind] = KindAnswer(kind, "regressed", is_announced=True)
    return CombinedVerdict(row, ancestor, is_announced, tuple(kinds.values()))


def get_settled_verdict(session: ReadSession, build_id: BuildId) -> BuildVerdict:
    """Return the verdict on a build.

    `evaluating` instead of an earlier one while newer artifacts are pending.
    Raises `BuildNotFound`.
    """
    row = get_build_verdict(session, build_id)
    is_outdated = row.evaluated_at is not None and (
        queries.count_undecoded(session, build_id) > 0 or queries.has_pending_evaluation(session, build_id)
    )
    if not is_outdated:
        return row
    return BuildVerdict(
        team_id=session.team_id,
        build_id=build_id,
        service_id=row.service_id,
        branch=row.branch,
        state=BuildVerdictState.EVALUATING,
        sentence=NEW_ARTIFACTS,
        required_evidence=None,
        regression_ids=row.regression_ids,
        evaluated_at=None,
    )
