"""SELECT statements of commit comparisons."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import select, tuple_

from slowpath.core.db_sessions import ReadSession
from slowpath.verdicts.bisects.rules.bisect_states import OPEN
from slowpath.verdicts.bisects.tables import Bisect

NUMBER = Bisect.commit_comparison["pull_request"]["number"].as_integer()


def select_commit_comparisons(
    session: ReadSession, service_id: UUID | None, pull_request: int | None, commit: str | None, *,
    after: tuple[datetime, UUID] | None, limit: int,
) -> Sequence[Bisect]:  # fmt: skip
    """Return commit comparisons newest first, by ix_bisect_newest; `commit`: the first digits of the candidate."""
    found = select(Bisect).where(Bisect.team_id == session.team_id, Bisect.commit_comparison.is_not(None))
    if service_id is not None:
        found = found.where(Bisect.service_id == service_id)
    if pull_request is not None:
        found = found.where(pull_request == NUMBER)
    if commit is not None:
        found = found.where(Bisect.bad_sha.startswith(commit))
    if after is not None:
        found = found.where(tuple_(Bisect.created_at, Bisect.id) < after)
    return session.scalars(found.order_by(Bisect.created_at.desc(), Bisect.id.desc()).limit(limit)).all()


def select_open_commit_comparisons(session: ReadSession, service_id: UUID, number: int) -> Sequence[Bisect]:
    """Return the open commit comparisons of a pull request, by ix_bisect_service."""
    found = select(Bisect).where(
        Bisect.team_id == session.team_id, Bisect.service_id == service_id, Bisect.state.in_(OPEN), number == NUMBER
    )
    return session.scalars(found).all()


def select_head_outcomes(session: ReadSession, service_id: UUID, number: int, head: str) -> dict[UUID, str | None]:
    """Return the outcomes of the commit comparisons of a head of a pull request, by ix_bisect_service; None while open."""
    found = select(Bisect.id, Bisect.outcome["outcome"].astext.label("outcome")).where(
        Bisect.team_id == session.team_id, Bisect.service_id == service_id, Bisect.bad_sha == head, number == NUMBER
    )
    return {one.id: one.outcome for one in session.execute(found)}
