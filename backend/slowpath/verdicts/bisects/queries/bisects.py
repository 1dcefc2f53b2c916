"""SELECT statements of bisects, their rows' names, and their history."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    Select,
    false,
    func,
    or_,
    select,
    tuple_,
)
from sqlalchemy.orm import undefer

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BisectId
from slowpath.inventory.catalog.tables import Service
from slowpath.platform.accounts.tables import User
from slowpath.verdicts.bisects.rules.bisect_states import MEASURED, OPEN
from slowpath.verdicts.bisects.tables import (
    Bisect,
    BisectEvent,
)
from slowpath.verdicts.regressions.tables import Regression

NUMBER = re.compile(r"#?(\d{1,9})", re.ASCII)

After = tuple[datetime, UUID] | None


def select_bisect(session: ReadSession, bisect_id: BisectId) -> Bisect | None:
    """Return one bisect, by primary key."""
    return session.get(Bisect, (session.team_id, bisect_id))


def lock_bisect(session: WriteSession, bisect_id: UUID) -> Bisect | None:
    """Lock one bisect until the transaction ends, by primary key."""
    return session.get(Bisect, (session.team_id, bisect_id), with_for_update=True, populate_existing=True)


def select_bisects(
    session: ReadSession, states: Sequence[str], service_id: UUID | None, regression_id: UUID | None, *, after: After,
    limit: int, search: str | None = None,
) -> Sequence[Bisect]:  # fmt: skip
    """Return bisects newest first, by ix_bisect_newest; `search` is a part of a title, or a number."""
    found = select(Bisect).where(
        Bisect.team_id == session.team_id, Bisect.experiment_of.is_(None), Bisect.commit_comparison.is_(None)
    )
    if states:
        found = found.where(Bisect.state.in_(states))
    if service_id is not None:
        found = found.where(Bisect.service_id == service_id)
    if regression_id is not None:
        found = found.where(Bisect.regression_id == regression_id)
    if search is not None:
        number = NUMBER.fullmatch(search)
        same_number = false() if number is None else Bisect.number == int(number[1])
        found = found.where(or_(Bisect.title.icontains(search, autoescape=True), same_number))
    if after is not None:
        found = found.where(tuple_(Bisect.created_at, Bisect.id) < after)
    return session.scalars(found.order_by(Bisect.created_at.desc(), Bisect.id.desc()).limit(limit)).all()


def select_spread_of_last_bisect(session: ReadSession, service_id: UUID, signature: Mapping[str, Any]) -> float | None:
    """Return the dispersion ratio from the service's last decided bisect of a signature, or None."""
    ended = select(Bisect).where(
        Bisect.team_id == session.team_id,
        Bisect.service_id == service_id,
        Bisect.state.in_(MEASURED),
        Bisect.experiment_of.is_(None),
        Bisect.signature["kind"].astext == str(signature["kind"]),
        Bisect.signature["subject"].astext == str(signature["subject"]),
    )
    row = session.scalars(ended.order_by(Bisect.finished_at.desc(), Bisect.id.desc()).limit(1)).first()
    between = (row.summary or {}).get("between") if row is not None else None
    return None if between is None else float(between)


def select_boundary_checks(
    session: ReadSession, service_id: UUID, commits: tuple[str, str], states: Iterable[str], limit: int
) -> Sequence[Bisect]:
    """Return the newest bisects of a range that pause after their boundaries, by ix_bisect_service."""
    found = select(Bisect).where(
        Bisect.team_id == session.team_id,
        Bisect.service_id == service_id,
        tuple_(Bisect.good_sha, Bisect.bad_sha) == commits,
        Bisect.state.in_(list(states)),
        Bisect.settings["pauses_after_boundaries"].astext == "true",
    )
    return session.scalars(found.order_by(Bisect.created_at.desc(), Bisect.id.desc()).limit(limit)).all()


def select_experiments(session: ReadSession, bisect_id: BisectId, limit: int) -> Sequence[Bisect]:
    """Return the experiments of a bisect, newest first, by ix_bisect_experiment_of."""
    return _newest_experiments(session, select(Bisect).where(Bisect.experiment_of == bisect_id), limit)


def select_regression_experiments(session: ReadSession, regression_id: UUID, limit: int) -> Sequence[Bisect]:
    """Return the experiments that started from a regression, newest first, by ix_bisect_regression."""
    return _newest_experiments(session, select(Bisect).where(Bisect.regression_id == regression_id), limit)


def select_commit_experiments(session: ReadSession, service_id: UUID, commit: str, limit: int) -> Sequence[Bisect]:
    """Return the experiments with a commit, given by its first digits, newest first, by ix_bisect_service."""
    of_commit = select(Bisect).where(
        Bisect.service_id == service_id, Bisect.bad_sha.startswith(commit, autoescape=True)
    )
    return _newest_experiments(session, of_commit, limit)


def _newest_experiments(session: ReadSession, found: Select[Bisect], limit: int) -> Sequence[Bisect]:
    found = found.where(Bisect.team_id == session.team_id, Bisect.experiment_of.is_not(None))
    return session.scalars(
        found.order_by(Bisect.created_at.desc(), Bisect.id.desc()).limit(limit).options(undefer(Bisect.experiment))
    ).all()


def count_open_bisects(session: ReadSession) -> int:
    """Count bisects that have not ended."""
    return session.scalar(select(func.count()).where(Bisect.team_id == session.team_id, Bisect.state.in_(OPEN))) or 0


def lock_team(session: WriteSession) -> None:
    """Serialize numbering of bisects and registration of runners of the team until the transaction ends."""
    key = f"slowpath.bisects:{session.team_id}"
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 0))))


def next_number(session: ReadSession) -> int:
    """Return the number of the next bisect, by uq_bisect_number."""
    return (session.scalar(select(func.max(Bisect.number)).where(Bisect.team_id == session.team_id)) or 0) + 1


def select_user_names(session: ReadSession, user_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Return the names of users of the team, by primary key."""
    ids = {one for one in user_ids if one is not None}
    if not ids:
        return {}
    return {row.id: row.name for row in session.execute(select(User.id, User.name).where(User.id.in_(ids)))}


def select_service_names(session: ReadSession, service_ids: Iterable[UUID]) -> dict[UUID, str]:
    """Return the names of services, by primary key."""
    found = select(Service.id, Service.name).where(Service.team_id == session.team_id, Service.id.in_(set(service_ids)))
    return {row.id: row.name for row in session.execute(found)}


def select_regression_refs(
    session: ReadSession, regression_ids: Iterable[UUID | None]
) -> dict[UUID, tuple[int | None, str]]:
    """Return number and title of regressions, by primary key."""
    ids = {one for one in regression_ids if one is not None}
    if not ids:
        return {}
    found = select(Regression.id, Regression.number, Regression.title).where(
        Regression.team_id == session.team_id, Regression.id.in_(ids)
    )
    return {row.id: (row.number, row.title) for row in session.execute(found)}


def select_events(session: ReadSession, bisect_id: UUID, limit: int) -> Sequence[BisectEvent]:
    """Return the newest events of a bisect, newest first, by ix_bisect_event_newest."""
    found = select(BisectEvent).where(BisectEvent.team_id == session.team_id, BisectEvent.bisect_id == bisect_id)
    return session.scalars(found.order_by(BisectEvent.created_at.desc(), BisectEvent.id.desc()).limit(limit)).all()


def select_last_event(session: ReadSession, bisect_id: UUID, kinds: Sequence[str]) -> BisectEvent | None:
    """Return the newest event of these kinds, by ix_bisect_event_newest."""
    found = select(BisectEvent).where(
        BisectEvent.team_id == session.team_id, BisectEvent.bisect_id == bisect_id, BisectEvent.kind.in_(kinds)
    )
    return session.scalar(found.order_by(BisectEvent.created_at.desc(), BisectEvent.id.desc()).limit(1))


def select_last_event_time(session: ReadSession, bisect_id: UUID, kind: str) -> datetime | None:
    """Return the time of the newest event of a kind, by ix_bisect_event_newest."""
    return session.scalar(
        select(func.max(BisectEvent.occurred_at)).where(
            BisectEvent.team_id == session.team_id, BisectEvent.bisect_id == bisect_id, BisectEvent.kind == kind
        )
    )
