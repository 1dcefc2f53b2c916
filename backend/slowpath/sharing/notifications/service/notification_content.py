"""Compose the content of notifications from regressions, builds and bisects."""

import hashlib
from typing import Final
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BisectId, BuildId, RegressionId, ServiceId
from slowpath.inventory.catalog import service as catalog
from slowpath.platform.accounts.service import get_team
from slowpath.sharing.notifications.rules import (
    BisectContent,
    BuildContent,
    NotificationContent,
    NotificationEvent,
    RegressionContent,
)
from slowpath.verdicts.bisects.rules.bisect_states import OPEN, BisectState
from slowpath.verdicts.bisects.rules.commit_comparisons import CommitComparison
from slowpath.verdicts.bisects.service.bisect_outcome import get_bisect_outcome
from slowpath.verdicts.bisects.service.commit_comparisons import find_cause
from slowpath.verdicts.regressions.rules import BuildVerdictState, is_notifiable
from slowpath.verdicts.regressions.service import regression_views
from slowpath.verdicts.regressions.tables import Regression

VERDICTS: Final = {
    **dict.fromkeys(OPEN, "pending"),
    BisectState.FOUND: "changed",
    BisectState.NOT_IN_RANGE: "passed",
    BisectState.CANCELLED: "cancelled",
}
"""Verdict on a measured pull request; every other state is inconclusive."""
UNSETTLED: Final = frozenset({BuildVerdictState.PENDING, BuildVerdictState.EVALUATING})


def compose_regression_opened(
    session: ReadSession, regression_id: RegressionId, public_url: str
) -> NotificationContent | None:
    """Return the content for a confirmed regression; None: not notified. Raises `RegressionNotFound`."""
    row = regression_views.get_regression(session, regression_id)
    if not is_notifiable(confirmed=row.confirmed, state=row.state):
        return None
    url = f"{public_url}/t/{get_team(session).slug}/regressions/{row.id}"
    return NotificationContent(
        NotificationEvent.OPENED, row.id, row.service_id, url, None, (_regression(session, row),)
    )


def compose_regression_changed(
    session: ReadSession, regression_id: RegressionId, what: str, moment: str, public_url: str
) -> NotificationContent | None:
    """Return the content for a change of a regression; None: the change is not notified.

    `moment` identifies this change. Raises `RegressionNotFound`.
    """
    row = regression_views.get_regression(session, regression_id)
    regression = _regression(session, row)
    words = {
        "state": row.state.replace("-", " "),
        "fixed": "fixed",
        "improved": "improved beyond its earlier level",
        "still-slower": "still slower after the fix",
        "reopened": "reopened",
        "assignee": f"assigned to {regression.assignee}" if regression.assignee else "unassigned",
    }.get(what)
    if not row.confirmed or words is None:
        return None
    url = f"{public_url}/t/{get_team(session).slug}/regressions/{row.id}"
    return NotificationContent(
        NotificationEvent.CHANGED, row.id, row.service_id, url, None, (regression,), words, moment
    )


def compose_regression_now(session: ReadSession, regression_id: RegressionId, public_url: str) -> NotificationContent:
    """Return the content of a regression as it is now. Raises `RegressionNotFound`."""
    row = regression_views.get_regression(session, regression_id)
    url = f"{public_url}/t/{get_team(session).slug}/regressions/{row.id}"
    content = (_regression(session, row),)
    return NotificationContent(NotificationEvent.OPENED, row.id, row.service_id, url, None, content)


def compose_build_evaluated(session: ReadSession, build_id: BuildId, public_url: str) -> NotificationContent | None:
    """Return the content for a build; None: not evaluated yet. The same verdict is the same event.

    Raises `BuildNotFound`, `VerdictNotFound`.
    """
    build = catalog.build(session, build_id)
    row = regression_views.get_build_verdict(session, build_id)
    if row.state in UNSETTLED:
        return None
    found = [regression_views.get_regression(session, RegressionId(UUID(str(one)))) for one in row.regression_ids]
    content = tuple(
        _regression(session, one) for one in found if is_notifiable(confirmed=one.confirmed, state=one.state)
    )
    number = (build.pull_request or {}).get("number")
    home = f"{public_url}/t/{get_team(session).slug}"
    warning = regression_views.describe_stack_warnings(row)
    regression = BuildContent(
        id=str(build.id),
        service=catalog.service(session, ServiceId(build.service_id)).slug,
        commit=build.commit,
        branch=build.branch,
        pull_request=number if isinstance(number, int) else None,
        verdict=row.state,
        sentence=row.sentence.removesuffix(warning).rstrip(),
        is_announced=regression_views.combine_answers(session, row).is_announced,
        comparison_url=f"{home}/comparisons/{row.comparison_id}" if row.comparison_id else None,
        warning=warning,
    )
    moment = hashlib.sha256(f"{row.state} {row.sentence} {sorted(map(str, row.regression_ids))}".encode()).hexdigest()
    url = f"{home}/builds/{build.id}"
    return NotificationContent(
        NotificationEvent.JUDGED, build.id, build.service_id, url, regression, content, "", moment[:16]
    )


def compose_bisect_finished(session: ReadSession, bisect_id: BisectId, public_url: str) -> NotificationContent:
    """Return the content for a finished bisect. Raises `BisectNotFound`."""
    row, sentence = get_bisect_outcome(session, bisect_id)
    service = catalog.service(session, ServiceId(row.service_id)).slug
    regression = BisectContent(str(row.id), row.number, service, row.state, row.title, sentence)
    url = f"{public_url}/t/{get_team(session).slug}/bisects/{row.id}"
    return NotificationContent(
        NotificationEvent.BISECTED, row.id, row.service_id, url, what=row.state, bisect=regression
    )


def compose_ended(session: ReadSession, bisect_id: BisectId, public_url: str) -> NotificationContent | None:
    """Return the content for an ended bisect or commit comparison; None: not notified. Raises `BisectNotFound`."""
    if get_bisect_outcome(session, bisect_id)[0].commit_comparison is not None:
        return compose_pull_request_measured(session, bisect_id, public_url)
    return compose_bisect_finished(session, bisect_id, public_url)


def compose_pull_request_measured(
    session: ReadSession, bisect_id: BisectId, public_url: str
) -> NotificationContent | None:
    """Return the content for a pull request that is or was measured; None if it is not one. Raises `BisectNotFound`."""
    row, sentence = get_bisect_outcome(session, bisect_id)
    named = None if row.commit_comparison is None else CommitComparison.from_json(row.commit_comparison).pull_request
    if named is None or (row.state == BisectState.CANCELLED and row.started_at is None):
        return None
    if row.state in OPEN:
        sentence = f"A runner measures it alternately with its merge base with {named.base_branch}."
    is_slower = row.state == BisectState.FOUND
    cause = find_cause(session, row)
    home = f"{public_url}/t/{get_team(session).slug}"
    build = BuildContent(
        id=str(row.id),
        service=catalog.service(session, ServiceId(row.service_id)).slug,
        commit=row.bad_sha,
        branch=named.branch,
        pull_request=named.number,
        verdict=VERDICTS.get(BisectState(row.state), "inconclusive"),
        sentence=f"{sentence} {cause}".strip() if is_slower else sentence,
        is_announced=is_slower,
        comparison_url=f"{home}/comparisons/{row.comparison_id}" if row.comparison_id else None,
    )
    url = f"{home}/commit-comparisons/{row.id}"
    return NotificationContent(NotificationEvent.MEASURED, row.id, row.service_id, url, build, moment=row.state)


def _regression(session: ReadSession, row: Regression) -> RegressionContent:
    names = regression_views.get_user_names(session, [row.assignee_id])
    return RegressionContent(
        id=str(row.id),
        number=row.number or 0,
        service=catalog.service(session, ServiceId(row.service_id)).slug,
        state=row.state,
        title=row.title,
        sentence=row.sentence,
        commit=row.since_commit or "",
        ratio=row.ratio,
        ratio_low=row.ratio_low,
        ratio_high=row.ratio_high,
        assignee=names.get(row.assignee_id) if row.assignee_id else None,
    )
