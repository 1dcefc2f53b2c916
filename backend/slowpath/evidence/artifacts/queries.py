"""SQL queries on artifacts and uploads."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Text, case, cast, exists, func, or_, select, text, tuple_
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from slowpath.analysis.kinds.registry import KINDS_WITHOUT_ORIGINAL, compared_ids
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BuildId, UploadId
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.tables import Artifact, DerivedStorageTotal, MultipartUpload, UploadPart
from slowpath.inventory.catalog.tables import Build


@dataclass(frozen=True)
class ArtifactFilter:
    """Filter of a list of artifacts; None matches all."""

    batch: UUID | None = None
    states: Sequence[str] = ()
    kind: str | None = None
    build_id: UUID | None = None
    archive_id: UUID | None = None
    name_contains: str | None = None


def artifact(session: ReadSession, artifact_id: ArtifactId) -> Artifact | None:
    """Return one artifact, by primary key."""
    return session.get(Artifact, (session.team_id, artifact_id))


def artifacts(session: ReadSession, ids: Sequence[UUID]) -> Sequence[Artifact]:
    """Return the artifacts of these ids, by primary key."""
    return session.scalars(select(Artifact).where(Artifact.id.in_(ids))).all()


def newest(
    session: ReadSession, filters: ArtifactFilter, *, after: tuple[datetime, UUID] | None, limit: int
) -> Sequence[Artifact]:
    """Return artifacts newest first, by ix_artifact_newest (or ix_artifact_batch, ix_artifact_build, ix_artifact_archive)."""
    found = select(Artifact).order_by(Artifact.created_at.desc(), Artifact.id.desc()).limit(limit)
    if filters.batch is not None:
        found = found.where(Artifact.batch == filters.batch)
    if filters.states:
        found = found.where(Artifact.state.in_(filters.states))
    if filters.kind is not None:
        found = found.where(Artifact.kind == filters.kind)
    if filters.build_id is not None:
        found = found.where(Artifact.build_id == filters.build_id)
    if filters.archive_id is not None:
        found = found.where(Artifact.archive_id == filters.archive_id)
    if filters.name_contains:
        found = found.where(Artifact.name.icontains(filters.name_contains, autoescape=True))
    if after is not None:
        found = found.where(tuple_(Artifact.created_at, Artifact.id) < after)
    return session.scalars(found).all()


def artifact_of_build(session: ReadSession, build_id: BuildId, sha256: str) -> Artifact | None:
    """Return the build's artifact of these bytes, the first of them, by ix_artifact_sha256."""
    found = select(Artifact).where(Artifact.sha256 == sha256, Artifact.build_id == build_id)
    return session.scalars(found.order_by(Artifact.created_at, Artifact.id).limit(1)).first()


USABLE = (ArtifactState.RECEIVED, ArtifactState.DECODING, ArtifactState.DECODED)


def recorded_ms() -> ColumnElement[float]:
    """Return when an artifact was recorded, in milliseconds since 1970.

    As the file states (profiles, spans), else its run metadata, else when it was received.
    """
    received = func.extract("epoch", Artifact.created_at) * 1000.0
    summary, metadata = Artifact.summary, Artifact.run_metadata
    in_file = [_number(summary["time_ns"]) / 1e6, _number(summary["start_ns"]) / 1e6]
    return func.coalesce(*in_file, _number(metadata["started_at_ms"]), _number(metadata["ended_at_ms"]), received)


def _number(member: ColumnElement[JSONB]) -> ColumnElement[float]:
    """Return a member as a number, or null if it is none or zero, which is unknown."""
    is_number = func.jsonb_typeof(member) == "number"
    return func.nullif(case((is_number, member.as_float())), 0.0)


def is_usable() -> ColumnElement[bool]:
    """Return the condition for artifacts that a comparison reads, or will once they are decoded."""
    is_compared = or_(Artifact.kind.is_(None), Artifact.kind.in_(compared_ids()))
    return Artifact.state.in_(USABLE) & is_compared


def count_by_build(session: ReadSession, build_ids: Sequence[UUID]) -> Sequence[Row[UUID, str | None, str, int]]:
    """Count the artifacts of builds by kind and state, by ix_artifact_build."""
    found = select(Artifact.build_id, Artifact.kind, Artifact.state, func.count())
    found = found.where(Artifact.build_id.in_(build_ids))
    return session.execute(found.group_by(Artifact.build_id, Artifact.kind, Artifact.state)).all()  # type: ignore[return-value]


def build_exists(session: ReadSession, build_id: BuildId) -> bool:
    """Return whether the team has this build, by primary key."""
    return session.get(Build, (session.team_id, build_id)) is not None


def has_others_in_batch(session: ReadSession, row: Artifact) -> bool:
    """Return whether other artifacts were uploaded together with this one, by ix_artifact_batch."""
    other = exists().where(Artifact.team_id == session.team_id, Artifact.batch == row.batch, Artifact.id != row.id)
    return bool(session.scalar(select(other)))


def select_needed_hashes(session: ReadSession, hashes: Sequence[str]) -> set[str]:
    """Return those of the hashes whose bytes an artifact of the team needs, by ix_artifact_sha256.

    An archive needs them only until it is decoded.
    """
    needing = select(Artifact.sha256).where(
        Artifact.team_id == session.team_id,
        Artifact.sha256.in_(hashes),
        or_(
            Artifact.kind.is_(None),
            Artifact.kind.not_in(KINDS_WITHOUT_ORIGINAL),
            Artifact.state != ArtifactState.DECODED,
        ),
    )
    return set(session.scalars(needing.distinct()))


def bytes_stored(session: ReadSession) -> int:
    """Return the total size of the team's uploaded files, in bytes."""
    return int(session.scalar(select(func.coalesce(func.sum(Artifact.size_bytes), 0))) or 0)


def derived_bytes(session: ReadSession) -> int:
    """Return the size of the team's derived data, in bytes, by uq_derived_sum_team_id."""
    found = select(DerivedStorageTotal.size_bytes).where(DerivedStorageTotal.team_id == session.team_id)
    return session.scalar(found) or 0


def listed_at(session: ReadSession) -> datetime | None:
    """Return the time of the last full count of the team's blobs, by uq_derived_sum_team_id."""
    return session.scalar(select(DerivedStorageTotal.listed_at).where(DerivedStorageTotal.team_id == session.team_id))


def upload(session: ReadSession, upload_id: UploadId) -> MultipartUpload | None:
    """Return one upload, by primary key."""
    return session.get(MultipartUpload, (session.team_id, upload_id))


def parts(session: ReadSession, upload_id: UploadId) -> Sequence[UploadPart]:
    """Return the parts of an upload by number, by its unique constraint."""
    return session.scalars(
        select(UploadPart).where(UploadPart.upload_id == upload_id).order_by(UploadPart.number)
    ).all()


def lock_bytes(session: ReadSession, sha256: str) -> None:
    """Lock these bytes of the team against being stored or removed, until the transaction ends."""
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(f"{session.team_id}/{sha256}", 0))))


def try_lock_bytes(session: ReadSession, hashes: Sequence[str]) -> set[str]:
    """Lock the bytes with these hashes in the same way, and return those that no other transaction has locked."""
    given = func.unnest(cast(hashes, ARRAY(Text()))).column_valued("sha256")
    key = func.hashtextextended(func.concat(str(session.team_id), "/", given), 0)
    return set(session.scalars(select(given).where(func.pg_try_advisory_xact_lock(key))))


def lock_upload(session: ReadSession, upload_id: UploadId) -> None:
    """Lock an upload against being completed by another request, until the transaction ends."""
    session.execute(text("SELECT pg_advisory_xact_lock(hashtextextended(:key, 1))"), {"key": str(upload_id)})
