"""SELECT statements of reports."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Row, delete, func, or_, select, text, tuple_
from sqlalchemy.dialects.postgresql import insert

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ReportId, ShareLinkId, new_id
from slowpath.platform.accounts.tables import Team, User
from slowpath.sharing.discussions.rules import SubjectKind
from slowpath.sharing.discussions.tables import Discussion
from slowpath.sharing.reports.tables import Report, ReportVersion, ShareLink, ShareSettings

After = tuple[datetime, UUID] | None
FIND_LINK = text("SELECT * FROM cross_team.find_share_link(:sought)")


def report(session: ReadSession, report_id: ReportId) -> Report | None:
    """Return one report, by primary key."""
    return session.get(Report, (session.team_id, report_id))


def lock_report(session: ReadSession, report_id: ReportId) -> Report | None:
    """Return one report, by primary key, and lock it."""
    return session.get(Report, (session.team_id, report_id), with_for_update=True, populate_existing=True)


def newest(session: ReadSession, after: After, limit: int, search: str | None) -> Sequence[Report]:
    """Return reports newest first, by ix_report_newest; `search` matches titles."""
    found = select(Report).where(Report.team_id == session.team_id)
    if search:
        found = found.where(Report.title.icontains(search, autoescape=True))
    if after is not None:
        found = found.where(tuple_(Report.created_at, Report.id) < after)
    return session.scalars(found.order_by(Report.created_at.desc(), Report.id.desc()).limit(limit)).all()


def lock_team(session: WriteSession) -> None:
    """Lock the numbering of reports and the switch of share links until the transaction ends."""
    key = f"slowpath.reports:{session.team_id}"
    session.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(key, 0))))


def next_number(session: ReadSession) -> int:
    """Return the number of the next report, by uq_report_number."""
    newest_number = select(func.max(Report.number)).where(Report.team_id == session.team_id)
    return (session.scalars(newest_number).one() or 0) + 1


def names(session: ReadSession, user_ids: Iterable[UUID | None]) -> dict[UUID, str]:
    """Return the names of members, by primary key."""
    ids = {user_id for user_id in user_ids if user_id is not None}
    if not ids:
        return {}
    return {row.id: row.name for row in session.execute(select(User.id, User.name).where(User.id.in_(ids)))}


def people(session: ReadSession) -> Sequence[Row[str, str]]:
    """Return names and emails of all members of the team; the row policy of users shows no others."""
    return session.execute(select(User.name, User.email).order_by(User.created_at, User.id)).all()


def team_name(session: ReadSession) -> str:
    """Return the name of the team, by primary key."""
    return session.scalars(select(Team.name).where(Team.id == session.team_id)).one()


def versions(session: ReadSession, report_id: ReportId) -> Sequence[ReportVersion]:
    """Return the published versions of a report, newest first, by uq_report_version_once."""
    found = select(ReportVersion).where(ReportVersion.team_id == session.team_id, ReportVersion.report_id == report_id)
    return session.scalars(found.order_by(ReportVersion.version.desc())).all()


def version(session: ReadSession, report_id: ReportId, number: int) -> ReportVersion | None:
    """Return one version, by uq_report_version_once."""
    found = select(ReportVersion).where(
        ReportVersion.team_id == session.team_id, ReportVersion.report_id == report_id, ReportVersion.version == number
    )
    return session.scalars(found).one_or_none()


def links(session: ReadSession, report_id: ReportId) -> Sequence[ShareLink]:
    """Return all share links of a report, newest first, by ix_share_link_newest."""
    found = select(ShareLink).where(ShareLink.team_id == session.team_id, ShareLink.report_id == report_id)
    return session.scalars(found.order_by(ShareLink.created_at.desc(), ShareLink.id.desc())).all()


def open_links(session: ReadSession, report_ids: Sequence[UUID], now: datetime) -> dict[UUID, int]:
    """Return the number of active share links of each report, by ix_share_link_newest."""
    if not report_ids:
        return {}
    found = select(ShareLink.report_id, func.count()).where(
        ShareLink.team_id == session.team_id,
        ShareLink.report_id.in_(report_ids),
        ShareLink.revoked_at.is_(None),
        or_(ShareLink.expires_at.is_(None), ShareLink.expires_at > now),
    )
    return {row[0]: row[1] for row in session.execute(found.group_by(ShareLink.report_id))}


def held_link(session: ReadSession, link_id: ShareLinkId) -> ShareLink | None:
    """Return one share link, by primary key, and lock it."""
    return session.get(ShareLink, (session.team_id, link_id), with_for_update=True, populate_existing=True)


def find_link(cross_team: Connection, secret_hash: bytes) -> Row[Any] | None:
    """Return link and team of a secret, by uq_share_link_secret_hash."""
    return cross_team.execute(FIND_LINK, {"sought": secret_hash}).one_or_none()


def find_share_settings(session: ReadSession) -> ShareSettings | None:
    """Return the settings of the team, by uq_share_settings_team_id."""
    return session.scalars(select(ShareSettings).where(ShareSettings.team_id == session.team_id)).one_or_none()


def update_share_settings(session: WriteSession, values: Mapping[str, Any]) -> None:
    """Set some of the settings of the team."""
    made = insert(ShareSettings).values(team_id=session.team_id, id=new_id(), **values)
    session.execute(made.on_conflict_do_update(index_elements=["team_id"], set_=dict(values)))


def delete_discussion(session: WriteSession, report_id: ReportId) -> None:
    """Delete the discussion of a report; no foreign key can, because reports are above discussions."""
    session.execute(
        delete(Discussion).where(
            Discussion.team_id == session.team_id,
            Discussion.subject_kind == SubjectKind.REPORT,
            Discussion.subject_id == report_id,
        )
    )
