"""Wire shapes of embedded panels."""

from datetime import datetime
from typing import Annotated, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from slowpath.platform.http.request_types import JsonInt, JsonTime
from slowpath.sharing.embedded_panels.rules import LENGTH_S_MAX, LENGTH_S_MIN, MAX_DAYS, PanelKind
from slowpath.sharing.embedded_panels.tables import EmbeddedPanel

Label = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")]


class EmbeddedPanelIn(BaseModel):
    """A panel to embed."""

    model_config = ConfigDict(extra="forbid")

    service_id: UUID
    environment_id: UUID
    panel: PanelKind
    split_label: Label | None = Field(
        None, description="`latency`: one line for each of its values, a route for example"
    )
    length_s: Annotated[JsonInt, Field(ge=LENGTH_S_MIN, le=LENGTH_S_MAX)] = Field(
        3_600, description="length of the range"
    )
    until: JsonTime | None = Field(None, description="end of the range; null: now, so that it goes on")
    expires_in_days: Annotated[JsonInt, Field(ge=1, le=MAX_DAYS)] = 90


class EmbeddedPanelOut(BaseModel):
    """An embedded panel with its addresses, which show it to anyone until it expires."""

    id: UUID
    service_id: UUID
    environment_id: UUID
    panel: PanelKind
    split_label: str | None
    length_s: int
    until_ms: int | None = Field(description="milliseconds since 1970; null: now")
    expires_at: datetime
    page_url: str = Field(description="for a frame")
    image_url: str = Field(description="an SVG image")
    created_at: datetime

    @classmethod
    def of(cls, row: EmbeddedPanel, page_url: str) -> Self:
        """Return the wire shape of an embedded panel."""
        return cls(
            id=row.id,
            service_id=row.service_id,
            environment_id=row.environment_id,
            panel=PanelKind(row.panel),
            split_label=row.split_label,
            length_s=row.length_ms // 1_000,
            until_ms=row.until_ms,
            expires_at=row.expires_at,
            page_url=page_url,
            image_url=f"{page_url}/panel.svg",
            created_at=row.created_at,
        )


class EmbeddedPanelList(BaseModel):
    """The embedded panels of a service, newest first, without revoked ones."""

    items: list[EmbeddedPanelOut]
