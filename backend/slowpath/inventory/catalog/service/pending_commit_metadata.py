"""Pending commit metadata: stored until the commit has a build, then applied to it."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import ServiceId, new_id
from slowpath.inventory.catalog import queries
from slowpath.inventory.catalog.rules import IDENTITY_PARTS
from slowpath.inventory.catalog.tables import Build, PendingCommitMetadata

MAX_AGE: Final = timedelta(days=30)
"""A commit without a build by then will hardly get one."""
TIMES: Final = frozenset({"committed_at"})


def store_pending_metadata(
    session: WriteSession, service_id: ServiceId, commit: str, metadata: Mapping[str, Any], now: datetime
) -> None:
    """Store metadata of a commit without a build; existing values do not change. The commit is locked."""
    row = queries.select_pending_commit_metadata(session, service_id, commit)
    if row is None:
        queries.delete_old_pending_commit_metadata(session, service_id, now - MAX_AGE)
        row = PendingCommitMetadata(
            team_id=session.team_id, id=new_id(), service_id=service_id, commit=commit, fields={}
        )
        session.add(row)
    new_values = {name: value for name, value in metadata.items() if value and name not in IDENTITY_PARTS}
    plain = {name: value.isoformat() if isinstance(value, datetime) else value for name, value in new_values.items()}
    row.fields = {**plain, **row.fields}
    session.flush()


def apply_pending_metadata(session: WriteSession, row: Build) -> None:
    """Fill missing metadata of a new build from its commit's pending metadata. The commit is locked."""
    word = queries.select_pending_commit_metadata(session, ServiceId(row.service_id), row.commit)
    if word is None:
        return
    for name, value in word.fields.items():
        if not getattr(row, name):
            setattr(row, name, datetime.fromisoformat(value) if name in TIMES else value)
    session.flush()
