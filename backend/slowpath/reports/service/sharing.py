"""Links by which a report is seen signed out: made, counted, ended."""

import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from uuid import UUID

from slowpath.accounts.rules.credentials import SECRET_BYTES, looks_like_secret, secret_from, secret_hash
from slowpath.accounts.service import audit
from slowpath.core.ids import ReportId, ShareLinkId, TeamId, UserId, new_id
from slowpath.core.jobs import enqueue
from slowpath.core.sessions import Database, ReadSession, WriteSession
from slowpath.reports import queries
from slowpath.reports.errors import LinkEnded, LinkNotFound, LinksOff, NothingPublished, TooManyReportParts
from slowpath.reports.jobs import TidyReport
from slowpath.reports.rules import AUDITED_EVERY_SECONDS, MAX_LINKS, Scrub
from slowpath.reports.service import writing
from slowpath.reports.tables import ShareLink

NOBODY = "There is no such link."


@dataclass(frozen=True)
class Opened:
    """Where a link leads."""

    team_id: TeamId
    link_id: ShareLinkId
    report_id: ReportId


def make(
    session: WriteSession,
    report_id: ReportId,
    *,
    name: str,
    days: int | None,
    version: int | None,
    scrub: Scrub,
    by: UserId | None,
    now: datetime,
) -> tuple[ShareLink, str]:
    """Make a link; returns it and its secret, which is kept nowhere.

    Raises `ReportNotFound`, `LinksOff`, `NothingPublished`, `TooManyReportParts`.
    """
    row = writing.hold(session, report_id)
    if not queries.links_allowed(session):
        raise LinksOff("This team does not allow share links.", remedy="An admin can allow them in the settings.")
    if version is not None:
        writing.version_of(session, report_id, version)
    elif row.version == 0:
        raise NothingPublished("There is no version to show yet.", remedy="Publish the report first.")
    if (count := len(queries.links(session, report_id))) >= MAX_LINKS:
        raise TooManyReportParts("The report has as many links as it may.", limit=MAX_LINKS, actual=count, unit="links")
    secret = secret_from(secrets.token_bytes(SECRET_BYTES))
    link = ShareLink(
        team_id=session.team_id,
        id=new_id(),
        report_id=report_id,
        name=name,
        secret_hash=secret_hash(secret),
        version=version,
        scrub=asdict(scrub),
        expires_at=None if days is None else now + timedelta(days=days),
        created_by=by,
    )
    session.add(link)
    session.flush()
    return link, secret


def links(session: ReadSession, report_id: ReportId) -> tuple[Sequence[ShareLink], dict[UUID, str]]:
    """Return all links of a report, newest first, and how those who made them are called. Raises `ReportNotFound`."""
    writing.find(session, report_id)
    rows = queries.links(session, report_id)
    return rows, names(session, rows)


def names(session: ReadSession, rows: Sequence[ShareLink]) -> dict[UUID, str]:
    """Return how those who made these links are called."""
    return queries.names(session, [row.created_by for row in rows])


def revoke(session: WriteSession, report_id: ReportId, link_id: ShareLinkId, now: datetime) -> ShareLink:
    """End a link. Raises `ReportNotFound`, `LinkNotFound`."""
    writing.find(session, report_id)
    row = queries.held_link(session, link_id)
    if row is None or row.report_id != report_id:
        raise LinkNotFound(NOBODY)
    row.revoked_at = row.revoked_at or now
    session.flush()
    enqueue(session, TidyReport(report_id, []))  # what it showed is kept packed
    return row


def allowed(session: ReadSession) -> bool:
    """Tell whether the team allows share links."""
    return queries.links_allowed(session)


def allow(session: WriteSession, *, links_allowed: bool) -> None:
    """Allow share links, or end all of them until they are allowed again."""
    queries.allow_links(session, allowed=links_allowed)


def open_link(database: Database, secret: str, now: datetime) -> Opened:
    """Return where a secret leads. It is looked up by its SHA-256, so how long that takes tells nothing of it.

    Raises `LinkNotFound`, `LinkEnded`.
    """
    if not looks_like_secret(secret):
        raise LinkNotFound(NOBODY)
    with database.door() as door:
        found = queries.find_link(door, secret_hash(secret))
    if found is None:
        raise LinkNotFound(NOBODY)
    remedy = "Ask whoever gave it to you for another."
    if found.revoked_at is not None:
        raise LinkEnded("This link was revoked.", remedy=remedy)
    if found.expires_at is not None and found.expires_at <= now:
        raise LinkEnded("This link has expired.", remedy=remedy)
    if not found.allowed:
        raise LinkEnded("Share links are switched off.", remedy=remedy)
    return Opened(TeamId(found.team_id), ShareLinkId(found.link_id), ReportId(found.report_id))


def count_view(session: WriteSession, opened: Opened, now: datetime) -> ShareLink:
    """Count that a link was opened; the log is told of it at most once a minute. Raises `LinkNotFound`."""
    row = queries.held_link(session, opened.link_id)
    if row is None:
        raise LinkNotFound(NOBODY)
    quiet = row.last_viewed_at is not None and now - row.last_viewed_at < timedelta(seconds=AUDITED_EVERY_SECONDS)
    row.views += 1
    if not quiet:
        row.last_viewed_at = now
        facts = {"name": row.name, "report_id": str(row.report_id), "views": row.views}
        audit(session, None, "share_link.viewed", "share_link", row.id, facts)
    return row
