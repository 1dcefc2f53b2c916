"""Create, list, revoke and resolve links to embedded panels.

A token names one row of one team and is signed, so it can neither be guessed nor be turned into that of another panel.
What it shows and until when is in the row.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from slowpath.core.db_sessions import ReadSession, TeamScope, WriteSession
from slowpath.core.ids import EmbeddedPanelId, EnvironmentId, ServiceId, TeamId, UserId, new_id
from slowpath.core.link_signatures import InvalidLinkSignature, LinkSigner
from slowpath.inventory.catalog import service as catalog
from slowpath.platform.accounts.service import get_team
from slowpath.sharing.embedded_panels import queries
from slowpath.sharing.embedded_panels.errors import (
    EmbeddedPanelEnded,
    EmbeddedPanelNotFound,
    EmbeddingDisabled,
    TooManyEmbeddedPanels,
)
from slowpath.sharing.embedded_panels.rules import MAX_PANELS, PURPOSE, PanelKind
from slowpath.sharing.embedded_panels.tables import EmbeddedPanel
from slowpath.sharing.reports.service.share_settings import get_share_settings

UUID_BYTES: Final = 16
REMEDY: Final = "Ask the owner of this page for a new link."


def create_panel(
    session: WriteSession,
    *,
    service_id: ServiceId,
    environment_id: EnvironmentId,
    panel: PanelKind,
    split_label: str | None,
    length_ms: int,
    until_ms: int | None,
    days: int,
    by: UserId | None,
    now: datetime,
) -> EmbeddedPanel:
    """Create a panel. Raises `ServiceNotFound`, `EnvironmentNotFound`, `EmbeddingDisabled`, `TooManyEmbeddedPanels`."""
    catalog.service(session, service_id)
    catalog.environment(session, environment_id)
    if not get_share_settings(session).are_links_allowed:
        raise EmbeddingDisabled(
            "Share links are disabled in this team.", remedy="An admin can enable them in the settings."
        )
    if (count := queries.count_panels(session)) >= MAX_PANELS:
        raise TooManyEmbeddedPanels(
            "The team has reached its limit of embedded panels.", limit=MAX_PANELS, actual=count, unit="panels",
            remedy="Revoke panels that are not used.",
        )  # fmt: skip
    row = EmbeddedPanel(
        team_id=session.team_id,
        id=new_id(),
        service_id=service_id,
        environment_id=environment_id,
        panel=panel,
        split_label=split_label if panel is PanelKind.LATENCY else None,
        length_ms=length_ms,
        until_ms=until_ms,
        expires_at=now + timedelta(days=days),
        created_by=by,
    )
    session.add(row)
    session.flush()  # the database sets the time
    return row


def list_panels(session: ReadSession, service_id: ServiceId) -> Sequence[EmbeddedPanel]:
    """Return the panels of a service that are not revoked, newest first. Raises `ServiceNotFound`."""
    catalog.service(session, service_id)
    return queries.select_panels(session, service_id)


def revoke_panel(session: WriteSession, panel_id: EmbeddedPanelId, now: datetime) -> EmbeddedPanel:
    """Revoke a panel: its link returns 410 from now on. Raises `EmbeddedPanelNotFound`."""
    row = queries.select_panel(session, panel_id)
    if row is None:
        raise EmbeddedPanelNotFound("The team has no such embedded panel.")
    row.revoked_at = row.revoked_at or now
    return row


def make_panel_url(public_url: str, signer: LinkSigner, row: EmbeddedPanel) -> str:
    """Return the address of the page of a panel."""
    return f"{public_url.rstrip('/')}/api/v1/embed/{signer.sign(PURPOSE, row.team_id.bytes + row.id.bytes)}"


def parse_panel_token(signer: LinkSigner, token: str) -> tuple[TeamScope, EmbeddedPanelId]:
    """Return the team and panel that a token names. Raises `EmbeddedPanelNotFound`."""
    try:
        value = signer.verify(PURPOSE, token)
    except InvalidLinkSignature as error:
        raise EmbeddedPanelNotFound("The link is not one of this server, or is incomplete.", remedy=REMEDY) from error
    team, panel = UUID(bytes=value[:UUID_BYTES]), UUID(bytes=value[UUID_BYTES:])
    return TeamScope(TeamId(team)), EmbeddedPanelId(panel)


def get_valid_panel(session: ReadSession, panel_id: EmbeddedPanelId, now: datetime) -> EmbeddedPanel:
    """Return the panel of a link. Raises `EmbeddedPanelNotFound`, `EmbeddedPanelEnded`, `TeamNotFound`."""
    row = queries.select_panel(session, panel_id)
    if row is None or get_team(session).deleted_at is not None:
        raise EmbeddedPanelNotFound("The embedded panel does not exist.", remedy=REMEDY)
    if row.revoked_at is not None:
        raise EmbeddedPanelEnded("The embedded panel was revoked.", remedy=REMEDY)
    if row.expires_at <= now:
        raise EmbeddedPanelEnded("The embedded panel has expired.", remedy=REMEDY)
    if not get_share_settings(session).are_links_allowed:
        raise EmbeddedPanelEnded("Share links are disabled.", remedy=REMEDY)
    return row
