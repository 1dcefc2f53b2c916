"""Read and verify the chain of a team's audit events."""

from collections.abc import Sequence
from typing import Final

from slowpath.core.db_sessions import Database, ReadSession, TeamScope
from slowpath.core.ids import TeamId
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.errors import AuditEntryNotFound
from slowpath.platform.accounts.rules.audit_chain import (
    AuditEntry,
    BrokenEntry,
    ChainPosition,
    ChainVerification,
    verify_entries,
)
from slowpath.platform.accounts.tables import AuditChain, AuditEvent

AT_ONCE: Final = 1_000
BEFORE_FIRST: Final = ChainPosition(0, bytes(32))


def list_team_slugs(database: Database) -> Sequence[tuple[TeamId, str]]:
    """Return ID and slug of all teams that are not deleted."""
    with database.cross_team() as cross_team:
        return [(TeamId(row.team_id), row.slug) for row in queries.select_team_slugs(cross_team)]


def list_audit_entries(session: ReadSession, *, after: int, limit: int) -> Sequence[tuple[AuditEvent, str]]:
    """Return the audit events after a sequence, oldest first, with their content. Raises `AuditEntryNotFound`.

    Sequences are assigned in the order of the commits, so no entry appears later before one that was read.
    """
    chain = queries.audit_chain(session)
    last = 0 if chain is None else chain.last_sequence
    if after > last:
        raise AuditEntryNotFound(
            f"The audit log ends at entry {last}, before {after}: it was restored from a backup, or belongs to another team.",
            remedy=f"Read again from after={last}, and compare the entries with those that you have.",
        )
    return queries.audit_entries(session, after=after, limit=limit)


def verify_audit_chain(
    database: Database, team_id: TeamId, *, after: ChainPosition | None, limit: int
) -> ChainVerification:
    """Verify up to `limit` entries after a position (None: what retention left), each batch in its own transaction."""
    position, count = after or BEFORE_FIRST, 0
    while count < limit:
        with database.reading(TeamScope(team_id)) as session:
            chain = queries.audit_chain(session)
            start = _start_of(chain)
            if position.sequence < start.sequence:  # retention deleted what was before
                position = start
            rows = queries.audit_entries(session, after=position.sequence, limit=min(AT_ONCE, limit - count))
            unchained = None if rows else queries.unchained_audit_event(session)
        entries = [AuditEntry(row.id, row.sequence, row.hash, content) for row, content in rows]
        position, verified, broken = verify_entries(position, entries)
        count += verified
        if broken is not None:
            return ChainVerification(count, position, broken, is_complete=True)
        if not rows:
            return ChainVerification(count, position, _end_problem(chain, position, unchained), is_complete=True)
    return ChainVerification(count, position, None, is_complete=False)


def _start_of(chain: AuditChain | None) -> ChainPosition:
    """Return the position before the oldest entry that retention left."""
    return BEFORE_FIRST if chain is None else ChainPosition(chain.first_sequence - 1, chain.first_previous_hash)


def _end_problem(chain: AuditChain | None, position: ChainPosition, unchained: AuditEvent | None) -> BrokenEntry | None:
    last = BEFORE_FIRST if chain is None else ChainPosition(chain.last_sequence, chain.last_hash)
    if position.sequence < last.sequence:
        return BrokenEntry(position.sequence + 1, None, "The entry is missing.")
    if position != last:
        return BrokenEntry(position.sequence, None, "The recorded end of the chain is another one.")
    if unchained is not None:
        return BrokenEntry(position.sequence + 1, unchained.id, "The entry is not part of the chain.")
    return None
