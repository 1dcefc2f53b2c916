"""What there is to say of a regression or a build in this moment, read from the storeys below."""

import hashlib
from typing import Final
from uuid import UUID

from slowpath.accounts.service import get_team
from slowpath.bisects.service.telling import ended
from slowpath.catalog import service as catalog
from slowpath.core.ids import BisectId, BuildId, RegressionId, ServiceId
from slowpath.core.sessions import ReadSession
from slowpath.notifications.rules import Event, Told, ToldBisect, ToldBuild, ToldRegression
from slowpath.regressions.rules import Judgement, may_be_told
from slowpath.regressions.service import looking
from slowpath.regressions.tables import Regression

UNSETTLED: Final = frozenset({Judgement.WAITING, Judgement.JUDGING})


def opened(session: ReadSession, regression_id: RegressionId, public_url: str) -> Told | None:
    """Return what is said of a confirmed regression; None: nobody is to hear of it. Raises `RegressionNotFound`."""
    row = looking.find(session, regression_id)
    if not may_be_told(confirmed=row.confirmed, state=row.state):
        return None
    url = f"{public_url}/t/{get_team(session).slug}/regressions/{row.id}"
    return Told(Event.OPENED, row.id, row.service_id, url, None, (_regression(session, row),))


def changed(session: ReadSession, regression_id: RegressionId, what: str, moment: str, public_url: str) -> Told | None:
    """Return what is said when something about a regression changed; None: it is nothing to tell of.

    `moment` names the one time it changed. Raises `RegressionNotFound`.
    """
    row = looking.find(session, regression_id)
    said = _regression(session, row)
    words = {
        "state": row.state.replace("-", " "),
        "fixed": "fixed",
        "improved": "improved beyond what it was before",
        "still": "still slower after what was meant to mend it",
        "reopened": "open again",
        "assignee": f"assigned to {said.assignee}" if said.assignee else "assigned to nobody",
    }.get(what)
    if not row.confirmed or words is None:
        return None
    url = f"{public_url}/t/{get_team(session).slug}/regressions/{row.id}"
    return Told(Event.CHANGED, row.id, row.service_id, url, None, (said,), words, moment)


def judged(session: ReadSession, build_id: BuildId, public_url: str) -> Told | None:
    """Return what is said of a build; None: nothing can be said yet. The same judgement is the same event.

    Raises `BuildNotFound`, `JudgementNotFound`.
    """
    build = catalog.build(session, build_id)
    row = looking.judgement(session, build_id)
    if row.state in UNSETTLED:
        return None
    found = [looking.find(session, RegressionId(UUID(str(one)))) for one in row.regression_ids]
    told = tuple(_regression(session, one) for one in found if may_be_told(confirmed=one.confirmed, state=one.state))
    number = (build.pull_request or {}).get("number")
    said = ToldBuild(
        id=str(build.id),
        service=catalog.service(session, ServiceId(build.service_id)).slug,
        commit=build.commit,
        branch=build.branch,
        pull_request=number if isinstance(number, int) else None,
        verdict=row.state,
        sentence=row.sentence,
    )
    moment = hashlib.sha256(f"{row.state} {row.sentence} {sorted(map(str, row.regression_ids))}".encode()).hexdigest()
    url = f"{public_url}/t/{get_team(session).slug}/builds/{build.id}"
    return Told(Event.JUDGED, build.id, build.service_id, url, said, told, "", moment[:16])


def bisected(session: ReadSession, bisect_id: BisectId, public_url: str) -> Told:
    """Return what is said of a bisect that has ended. Raises `BisectNotFound`."""
    row, sentence = ended(session, bisect_id)
    service = catalog.service(session, ServiceId(row.service_id)).slug
    said = ToldBisect(str(row.id), row.number, service, row.state, row.title, sentence)
    url = f"{public_url}/t/{get_team(session).slug}/bisects/{row.id}"
    return Told(Event.BISECTED, row.id, row.service_id, url, what=row.state, bisect=said)


def _regression(session: ReadSession, row: Regression) -> ToldRegression:
    names = looking.names(session, [row.assignee_id])
    return ToldRegression(
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
