"""Share links to reports: create, count, revoke."""

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.core.db_sessions import Database, ReadSession, WriteSession
from slowpath.core.ids import ReportId, ShareLinkId, TeamId, UserId, new_id
from slowpath.core.jobs import enqueue
from slowpath.platform.accounts.rules.credentials import SECRET_BYTES, hash_secret, looks_like_secret, make_secret
from slowpath.platform.accounts.service import record_audit_event
from slowpath.sharing.reports import queries
from slowpath.sharing.reports.errors import (
    ReportNotPublished,
    ShareLinkEnded,
    ShareLinkNotFound,
    ShareLinksDisabled,
    TooManyReportParts,
)
from slowpath.sharing.reports.jobs import DeleteUnusedReportBlobs
from slowpath.sharing.reports.rules import AUDITED_EVERY_SECONDS, MAX_LINKS, ScrubOptions
from slowpath.sharing.reports.service import reports, share_settings
from slowpath.sharing.reports.tables import ShareLink

NO_SUCH_LINK = "The share link does not exist."


@dataclass(frozen=True)
class OpenedShareLink:
    """The report and version of a share link."""

    team_id: TeamId
    link_id: ShareLinkId
    report_id: ReportId


def create_share_link(
    session: WriteSession,
    report_id: ReportId,
    *,
    name: str,
    days: int | None,
    version: int | None,
    scrub: ScrubOptions,
    by: UserId | None,
    now: datetime,
) -> tuple[ShareLink, str]:
    """Create a share link; returns it and its secret, which is not stored.

    Raises `ReportNotFound`, `ShareLinksDisabled`, `ReportNotPublished`, `TooManyReportParts`.
    """
    row = reports.lock_report(session, report_id)
    if not share_settings.get_share_settings(session).are_links_allowed:
        raise ShareLinksDisabled(
            "Share links are disabled in this team.", remedy="An admin can enable them in the settings."
        )
    if version is not None:
        reports.version_of(session, report_id, version)
    elif row.version == 0:
        raise ReportNotPublished("The report has no published version.", remedy="Publish the report first.")
    if (count := len(queries.links(session, report_id))) >= MAX_LINKS:
        raise TooManyReportParts(
            "The report has reached its limit of share links.", limit=MAX_LINKS, actual=count, unit="links"
        )
    secret = make_secret(secrets.token_bytes(SECRET_BYTES))
    link = ShareLink(
        team_id=session.team_id,
        id=new_id(),
        report_id=report_id,
        name=name,
        secret_hash=hash_secret(secret),
        version=version,
        scrub=asdict(scrub),
        expires_at=None if days is None else now + timedelta(days=days),
        created_by=by,
    )
    session.add(link)
    session.flush()
    return link, secret


def links(session: ReadSession, report_id: ReportId) -> tuple[Sequence[ShareLink], dict[UUID, str]]:
    """Return all share links of a report, newest first, with the names of their creators. Raises `ReportNotFound`."""
    reports.get_report(session, report_id)
    rows = queries.links(session, report_id)
    return rows, names(session, rows)


def names(session: ReadSession, rows: Sequence[ShareLink]) -> dict[UUID, str]:
    """Return the names of these share links' creators."""
    return queries.names(session, [row.created_by for row in rows])


def revoke_share_link(session: WriteSession, report_id: ReportId, link_id: ShareLinkId, now: datetime) -> ShareLink:
    """Revoke a share link. Raises `ReportNotFound`, `ShareLinkNotFound`."""
    reports.get_report(session, report_id)
    row = queries.held_link(session, link_id)
    if row is None or row.report_id != report_id:
        raise ShareLinkNotFound(NO_SUCH_LINK)
    row.revoked_at = row.revoked_at or now
    session.flush()
    enqueue(session, DeleteUnusedReportBlobs(report_id, []))  # its bundle is stored
    return row


def resolve_share_link(database: Database, secret: str, now: datetime) -> OpenedShareLink:
    """Return the share link of a secret. The lookup uses its SHA-256, so its duration reveals nothing of the secret.

    Raises `ShareLinkNotFound`, `ShareLinkEnded`.
    """
    if not looks_like_secret(secret):
        raise ShareLinkNotFound(NO_SUCH_LINK)
    with database.cross_team() as cross_team:
        found = queries.find_link(cross_team, hash_secret(secret))
    if found is None:
        raise ShareLinkNotFound(NO_SUCH_LINK)
    remedy = "Ask the sender for a new link."
    if found.revoked_at is not None:
        raise ShareLinkEnded("The share link was revoked.", remedy=remedy)
    if found.expires_at is not None and found.expires_at <= now:
        raise ShareLinkEnded("The share link has expired.", remedy=remedy)
    if not found.allowed:
        raise ShareLinkEnded("Share links are disabled.", remedy=remedy)
    return OpenedShareLink(TeamId(found.team_id), ShareLinkId(found.link_id), ReportId(found.report_id))


def record_link_view(session: WriteSession, opened: OpenedShareLink, now: datetime) -> ShareLink:
    """Count a visit of a share link; at most one per minute is recorded. Raises `ShareLinkNotFound`."""
    row = queries.held_link(session, opened.link_id)
    if row is None:
        raise ShareLinkNotFound(NO_SUCH_LINK)
    quiet = row.last_viewed_at is not None and now - row.last_viewed_at < timedelta(seconds=AUDITED_EVERY_SECONDS)
    row.views += 1
    if not quiet:
        row.last_viewed_at = now
        facts = {"name": row.name, "report_id": str(row.report_id), "views": row.views}
        record_audit_event(session, None, "share_link.viewed", "share_link", row.id, facts)
    return row
