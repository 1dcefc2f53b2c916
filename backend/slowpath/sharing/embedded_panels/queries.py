"""SELECT statements of embedded panels."""

from collections.abc import Sequence

from sqlalchemy import func, select

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EmbeddedPanelId, ServiceId
from slowpath.sharing.embedded_panels.rules import MAX_PANELS
from slowpath.sharing.embedded_panels.tables import EmbeddedPanel


def select_panel(session: ReadSession, panel_id: EmbeddedPanelId) -> EmbeddedPanel | None:
    """Return one embedded panel, by primary key."""
    return session.get(EmbeddedPanel, (session.team_id, panel_id))


def select_panels(session: ReadSession, service_id: ServiceId) -> Sequence[EmbeddedPanel]:
    """Return the embedded panels of a service that are not revoked, newest first, by ix_embedded_panel_service."""
    found = select(EmbeddedPanel).where(
        EmbeddedPanel.team_id == session.team_id,
        EmbeddedPanel.service_id == service_id,
        EmbeddedPanel.revoked_at.is_(None),
    )
    newest = found.order_by(EmbeddedPanel.created_at.desc(), EmbeddedPanel.id.desc())
    return session.scalars(newest.limit(MAX_PANELS)).all()


def count_panels(session: ReadSession) -> int:
    """Return the number of embedded panels that are not revoked."""
    found = select(func.count()).select_from(EmbeddedPanel)
    return session.scalars(
        found.where(EmbeddedPanel.team_id == session.team_id, EmbeddedPanel.revoked_at.is_(None))
    ).one()
