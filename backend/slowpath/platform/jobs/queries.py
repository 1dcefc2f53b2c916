"""SELECT statements for jobs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, delete, literal, select, tuple_, union_all
from sqlalchemy.orm import InstrumentedAttribute

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import JobId
from slowpath.core.jobs import HOUSEKEEPING, JobRow
from slowpath.platform.jobs.tables import IdempotentRequest

NamedColumns = tuple[InstrumentedAttribute[UUID], ColumnElement[str] | InstrumentedAttribute[str]]
"""The ID and the name of the objects of one kind."""


def job(session: ReadSession, job_id: JobId) -> JobRow | None:
    """Return the job, by primary key."""
    return session.get(JobRow, (session.team_id, job_id))


def select_jobs(
    session: ReadSession, *, after: tuple[datetime, UUID] | None, limit: int, states: Sequence[str]
) -> Sequence[JobRow]:
    """Return jobs newest first, by ix_job_newest, without maintenance jobs."""
    found = select(JobRow).where(JobRow.subject_kind != HOUSEKEEPING)
    found = found.order_by(JobRow.created_at.desc(), JobRow.id.desc()).limit(limit)
    if states:
        found = found.where(JobRow.state.in_(states))
    if after is not None:
        found = found.where(tuple_(JobRow.created_at, JobRow.id) < after)
    return session.scalars(found).all()


def select_jobs_by_id(session: ReadSession, job_ids: Sequence[UUID]) -> Sequence[JobRow]:
    """Return the jobs with these IDs, by primary key."""
    if not job_ids:
        return []
    return session.scalars(select(JobRow).where(JobRow.id.in_(job_ids))).all()


def select_subject_names(
    session: ReadSession, named: Mapping[str, NamedColumns], ids: Mapping[str, Sequence[UUID]]
) -> Mapping[tuple[str, UUID], str]:
    """Return the names of subjects by kind and ID, in one statement, by primary keys."""
    parts = [
        select(literal(kind), id_column, name).where(
            id_column.class_.team_id == session.team_id, id_column.in_(ids[kind])
        )
        for kind, (id_column, name) in named.items()
        if ids.get(kind)
    ]
    if not parts:
        return {}
    return {(kind, id_): name for kind, id_, name in session.execute(union_all(*parts)) if name}


def select_open_job(session: ReadSession, subject_kind: str, subject_id: UUID, states: Sequence[str]) -> JobRow | None:
    """Return the newest job of a subject in one of these states, by ix_job_subject."""
    found = select(JobRow).where(
        JobRow.team_id == session.team_id, JobRow.subject_kind == subject_kind, JobRow.subject_id == subject_id,
        JobRow.state.in_(states),
    )  # fmt: skip
    return session.scalars(found.order_by(JobRow.created_at.desc(), JobRow.id.desc()).limit(1)).first()


def select_idempotent_request(session: ReadSession, operation: str, key: str) -> IdempotentRequest | None:
    """Return the earlier request with this key, by its unique constraint."""
    return session.scalars(
        select(IdempotentRequest).where(IdempotentRequest.operation == operation, IdempotentRequest.key == key)
    ).one_or_none()


def delete_jobs(session: WriteSession, subject_ids: Sequence[UUID], states: Sequence[str]) -> None:
    """Delete the jobs of these subjects in one of these states."""
    gone = delete(JobRow).where(
        JobRow.team_id == session.team_id, JobRow.subject_id.in_(subject_ids), JobRow.state.in_(states)
    )
    session.execute(gone.execution_options(synchronize_session=False))


def has_jobs(session: ReadSession, subject_ids: Sequence[UUID], states: Sequence[str]) -> bool:
    """Return whether one of these subjects has a job in one of these states, other than those that repeat."""
    found = select(JobRow.id).where(
        JobRow.team_id == session.team_id,
        JobRow.subject_id.in_(subject_ids),
        JobRow.state.in_(states),
        JobRow.subject_kind != HOUSEKEEPING,
    )
    return session.scalar(found.limit(1)) is not None
