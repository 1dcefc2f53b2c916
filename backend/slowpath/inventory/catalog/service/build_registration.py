"""Register builds from CI metadata and artifacts: by service and commit, in parts, in any order."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BuildId, ServiceId, new_id
from slowpath.inventory.catalog import queries
from slowpath.inventory.catalog.queries import deployments_annotations
from slowpath.inventory.catalog.rules import IDENTITY_PARTS, match_build
from slowpath.inventory.catalog.service import pending_commit_metadata
from slowpath.inventory.catalog.service.catalog_entries import (
    build,
    ensure_service,
    measurement_conditions,
    reevaluate_build,
    service,
)
from slowpath.inventory.catalog.service.metadata_senders import ANY_SENDER, MetadataSender
from slowpath.inventory.catalog.tables import Build, Service

BuildMetadata = Mapping[str, Any]
"""Columns of a build, identity included; None and "" are unknown."""


def upsert_build(
    session: WriteSession, service_name: str, commit: str, metadata: BuildMetadata, *, by: MetadataSender = ANY_SENDER
) -> tuple[Build, bool]:
    """Return the build of a service (name or ID) and a commit, and whether it was created.

    A new service or build is created. New parts of the identity complete a build; contradicting ones create another build.
    Raises `InvalidSlug`, and `ServiceNotFound` for an ID.
    """
    of_service = ServiceId(_service(session, service_name).id)
    queries.lock_commit(session, of_service, commit)
    identity_parts = {part: metadata[part] for part in IDENTITY_PARTS if metadata.get(part)}
    row = match_build(queries.builds_of_commit(session, of_service, commit), identity_parts)
    if row is None:
        row = Build(
            team_id=session.team_id,
            id=new_id(),
            service_id=of_service,
            commit=commit,
            run_metadata={},
            program_id=by.program_id,
            sender_ids=[],
            **identity_parts,
        )
        by.join(row)
        _keep(row, metadata)
        session.add(row)
        session.flush()  # the database sets the time
        pending_commit_metadata.apply_pending_metadata(session, row)
        deployments_annotations.link_build_to_deployments(session, row)
        return row, True
    before = measurement_conditions(row)
    by.join(row)
    if by.may_change(row):
        _keep(row, metadata)
        session.flush()  # later code may find the build by its identity
    else:
        fill_build_metadata(session, row, metadata)
    reevaluate_build(session, row, before)
    return row, False


def fill_build_metadata(session: WriteSession, row: Build, metadata: BuildMetadata) -> None:
    """Fill missing metadata of a build; existing values do not change."""
    queries.lock_commit(session, ServiceId(row.service_id), row.commit)
    session.refresh(row)  # reload after locking
    missing = {name: value for name, value in metadata.items() if value and not getattr(row, name)}
    parts = {part: missing.pop(part) for part in IDENTITY_PARTS if part in missing}
    if parts and not _exists(session, row, parts):
        missing |= parts
    _keep(row, missing)
    session.flush()  # later code may find the build by its identity


def fill_build_metadata_from_artifact(session: WriteSession, build_id: BuildId, metadata: BuildMetadata) -> None:
    """Fill missing metadata of a build from one of its artifacts. Raises `BuildNotFound`."""
    fill_build_metadata(session, build(session, build_id), metadata)


def fill_commit_builds_metadata(
    session: WriteSession,
    service_id: ServiceId,
    commit: str,
    metadata: BuildMetadata,
    *,
    remembered_at: datetime | None = None,
) -> int:
    """Fill missing metadata in all builds of a commit; returns their number.

    Without a build, it is stored for the first one, unless it is too old.
    """
    queries.lock_commit(session, service_id, commit)
    rows = queries.builds_of_commit(session, service_id, commit)
    for row in rows:
        before = measurement_conditions(row)
        fill_build_metadata(session, row, metadata)
        reevaluate_build(session, row, before)
    if not rows and remembered_at is not None:
        pending_commit_metadata.store_pending_metadata(session, service_id, commit, metadata, remembered_at)
    return len(rows)


def _service(session: WriteSession, name: str) -> Service:
    try:
        service_id = UUID(name)
    except ValueError:
        return ensure_service(session, name)
    return service(session, ServiceId(service_id))


def _keep(row: Build, metadata: BuildMetadata) -> None:
    for name, value in metadata.items():
        if value:
            setattr(row, name, value)


def _exists(session: WriteSession, row: Build, parts: Mapping[str, str]) -> bool:
    """Return whether another build has the identity that this one would get."""
    identity = {part: parts.get(part) or getattr(row, part) for part in IDENTITY_PARTS}
    others = queries.builds_of_commit(session, ServiceId(row.service_id), row.commit)
    return any(
        other.id != row.id and all(getattr(other, part) == value for part, value in identity.items())
        for other in others
    )
