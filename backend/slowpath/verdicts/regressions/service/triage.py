"""Update regressions, add notes, and create a regression from a comparison."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BuildId, ComparisonId, RegressionId, ServiceId, new_id
from slowpath.core.jobs import enqueue
from slowpath.inventory.catalog import service as catalog
from slowpath.verdicts.comparisons.rules import Side
from slowpath.verdicts.comparisons.service import comparison_results, comparisons
from slowpath.verdicts.regressions import queries, wording
from slowpath.verdicts.regressions.errors import (
    AssigneeNotInTeam,
    ComparisonNotClaimable,
    RegressionNotConfirmed,
    RegressionNotFound,
)
from slowpath.verdicts.regressions.jobs import RegressionChanged, RegressionOpened
from slowpath.verdicts.regressions.rules import NO_BRANCH, OPEN, RegressionState
from slowpath.verdicts.regressions.tables import Regression, RegressionEvent, RegressionEvidence


def update_regressions(
    session: WriteSession, regression_ids: Sequence[RegressionId], fields: Mapping[str, Any], now: datetime
) -> Sequence[Regression]:
    """Update `state`, `assignee_id` and `due_on` of regressions; `note` gives the reason.

    Equal values are no change. Raises `RegressionNotFound`, `RegressionNotConfirmed`, `AssigneeNotInTeam`, `ServiceIsExample`.
    """
    rows = queries.select_regressions_by_id(session, regression_ids, held=True)
    if len(rows) < len(set(regression_ids)):
        raise RegressionNotFound("The team has no regression with this ID.")
    catalog.require_own_services(session, [ServiceId(row.service_id) for row in rows])
    if fields.get("assignee_id") is not None and not queries.is_member(session, fields["assignee_id"]):
        raise AssigneeNotInTeam("The assignee is not a member of the team.", remedy="Invite them first.")
    for row in rows:
        if not row.confirmed and fields.get("state") not in (
            None,
            RegressionState.NOT_A_REGRESSION,
            RegressionState.IGNORED,
        ):
            raise RegressionNotConfirmed(
                "The regression is not confirmed yet.", remedy="Wait until it is confirmed, or ignore it."
            )
        _change(session, row, fields, now)
    return rows


def _change(session: WriteSession, row: Regression, fields: Mapping[str, Any], now: datetime) -> None:
    if (state := fields.get("state")) is not None and state != row.state:
        record_event(session, row, "state", {"from": row.state, "to": state})
        set_state(row, RegressionState(state), now)
    if "assignee_id" in fields and fields["assignee_id"] != row.assignee_id:
        record_event(session, row, "assignee", {"from": _text(row.assignee_id), "to": _text(fields["assignee_id"])})
        row.assignee_id = fields["assignee_id"]
    if "due_on" in fields and fields["due_on"] != row.due_on:
        record_event(session, row, "due", {"from": _text(row.due_on), "to": _text(fields["due_on"])})
        row.due_on = fields["due_on"]
    if fields.get("note"):
        record_event(session, row, "note", {"text": fields["note"]})


def set_state(row: Regression, state: RegressionState, now: datetime) -> None:
    """Set the state of a regression; states that are not open close it at `now`."""
    row.state = state
    row.closed_at = None if state in OPEN else now


def record_event(
    session: WriteSession, row: Regression, what: str, facts: dict[str, Any], *, by_person: bool = True,
    is_announced: bool = True,
) -> RegressionEvent:  # fmt: skip
    """Record an event of a regression; enqueue the notification job if it is confirmed, unless only the history lists it."""
    event = RegressionEvent(
        team_id=session.team_id,
        id=new_id(),
        regression_id=row.id,
        kind=what,
        user_id=session.scope.user_id if by_person else None,
        details=facts,
    )
    session.add(event)
    if row.confirmed and is_announced:
        job = (
            RegressionOpened(RegressionId(row.id))
            if what == "opened"
            else RegressionChanged(RegressionId(row.id), what)
        )
        enqueue(session, job)
    session.flush()  # the response needs the timestamp set by the database
    return event


def create_regression_from_comparison(
    session: WriteSession, comparison_id: ComparisonId, title: str | None, text: str | None
) -> Regression:
    """Create a regression from the first worse finding of a comparison.

    It began with the build of the candidate side. Raises `ComparisonNotFound`, `ComparisonNotClaimable`.
    """
    comparison = comparisons.get_comparison(session, comparison_id)
    findings = comparison_results.list_findings(comparison)
    worse = next((each for each in findings if each.direction == "worse"), None)
    if worse is None:
        raise ComparisonNotClaimable(
            "The comparison has no worse finding.", remedy="Wait until it is finished, or add artifacts."
        )
    good, bad = _build(session, comparison_id, Side.BASE), _build(session, comparison_id, Side.CANDIDATE)
    if bad is None:
        raise ComparisonNotClaimable(
            "The artifacts of the candidate side belong to several builds or to none.",
            remedy="Assign them to one build.",
        )
    change = worse.change
    has_ratio_ci = change.ci_of == "ratio"
    row = Regression(
        team_id=session.team_id,
        id=new_id(),
        number=queries.next_number(session),
        service_id=bad.service_id,
        branch=bad.branch or NO_BRANCH,
        state=RegressionState.NEW,
        confirmed=True,
        title=title or wording.format_title(worse.kind, worse.subject, worse.unit, change.ratio),
        sentence=worse.sentence,
        kind=worse.kind,
        subject=worse.subject,
        unit=worse.unit,
        direction="worse",
        before=worse.base,
        after=worse.candidate,
        ratio=change.ratio,
        ratio_low=change.ci_low if has_ratio_ci else None,
        ratio_high=change.ci_high if has_ratio_ci else None,
        since_build_id=bad.id,
        since_commit=bad.commit,
        since_at=bad.committed_at or bad.created_at,
        good_build_id=good.id if good else None,
        good_commit=good.commit if good else None,
        first_commit=bad.commit,
        last_commit=bad.commit,
        related_series=[{"kind": worse.kind, "subject": worse.subject, "ratio": change.ratio, "is_move": False}],
        comparison_id=comparison_id,
        created_by=session.scope.user_id,
    )
    session.add(row)
    session.flush()  # its history and evidence refer to it
    add_evidence(session, row, comparison_id)
    record_event(session, row, "opened", {"by_hand": True, **({"text": text} if text else {})})
    return row


def add_evidence(session: WriteSession, row: Regression, comparison_id: ComparisonId) -> None:
    """Add a comparison to the evidence of a regression, once."""
    if queries.has_evidence(session, RegressionId(row.id), comparison_id):
        return
    session.add(
        RegressionEvidence(
            team_id=session.team_id,
            id=new_id(),
            regression_id=row.id,
            kind="comparison",
            comparison_id=comparison_id,
            build_id=row.since_build_id,
        )
    )
    row.comparison_id = comparison_id


def _build(session: WriteSession, comparison_id: ComparisonId, side: Side) -> Any:  # noqa: ANN401 - a row of the catalog, or nothing
    ids = {
        each.artifact.build_id for each in comparisons.list_side_artifacts(session, comparison_id) if each.side == side
    }
    if len(ids) != 1 or (build_id := ids.pop()) is None:
        return None
    return catalog.build(session, BuildId(build_id))


def _text(value: UUID | date | None) -> str | None:
    return None if value is None else str(value)


def record_bisect_obstacle(session: WriteSession, row: Regression, key: str, sentence: str) -> None:
    """Record in the history why no bisect was started by itself, once while the reason is the same."""
    newest = queries.select_newest_event(session, row.id, "bisect-not-started")
    if newest is None or newest.details.get("to") != key:
        facts = {"to": key, "sentence": sentence}
        record_event(session, row, "bisect-not-started", facts, by_person=False, is_announced=False)
