"""Wire shapes of reports and share links. Only the response that creates a share link contains its secret."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StrictBool, StringConstraints

from slowpath.platform.http.request_types import JsonFalse, JsonInt, JsonTime
from slowpath.sharing.reports.rules import (
    DASHBOARD_URL,
    DASHBOARD_VARIABLES,
    MAX_ALSO,
    MAX_BLOCKS,
    MAX_LINK_DAYS,
    MAX_MARKDOWN,
    MAX_ORIGINS,
    MAX_REQUEST,
    MAX_REQUESTS,
    MAX_TITLE,
    Block,
    BlockUpdate,
    RecordedResponse,
    ScrubOptions,
    SnapshotBlock,
    TextBlock,
    load_blocks,
)
from slowpath.sharing.reports.tables import Report, ReportVersion, ShareLink

Line = r"^[^\x00-\x1f\x7f\u2028\u2029\u202a-\u202e\u2066-\u2069]*$"
"""One line, without marks that change the writing direction."""
Text = r"^[^\x00]*$"
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TITLE, pattern=Line)]
Markdown = Annotated[str, StringConstraints(max_length=MAX_MARKDOWN, pattern=Text)]
Caption = Annotated[str, StringConstraints(max_length=10_000, pattern=Text)]
Asked = Annotated[str, StringConstraints(max_length=MAX_REQUEST)]
Origin = Annotated[
    str, StringConstraints(max_length=250, pattern=r"^https?://(\*\.)?[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:[0-9]{1,5})?$")
]
DashboardUrl = Annotated[str, StringConstraints(max_length=2_000, pattern=DASHBOARD_URL)]
Names = Mapping[UUID, str]
TAKEN_OUT = ("labels", "paths", "hosts", "users")
SAMPLES_EACH = 20
MAX_SAMPLE = 300


class ReportRequest(BaseModel):
    """Base of request shapes: unknown members are rejected."""

    model_config = ConfigDict(extra="forbid")


class ReportIn(ReportRequest):
    """A new report."""

    title: Title


class BlockIn(ReportRequest):
    """Changes to an existing block, by its ID; without an ID, a new text block."""

    id: UUID | None = None
    kind: Literal["text", "snapshot"] | None = Field(None, description="kind of a new block")
    markdown: Markdown | None = Field(None, description="Markdown of a text block")
    title: Title | None = Field(None, description="title of a view")
    note: Caption | None = Field(None, description="caption of a view, Markdown")

    def change(self) -> BlockUpdate:
        """Return the block as the rules take it."""
        return BlockUpdate(self.id, self.markdown, self.title, self.note)


class ReportUpdate(ReportRequest):
    """Changes to a report."""

    title: Title | None = None
    blocks: Annotated[list[BlockIn], Field(max_length=MAX_BLOCKS)] | None = Field(
        None, description="all blocks in order; missing blocks are removed"
    )
    updated_at: JsonTime | None = Field(
        None, description="the last read value; if the report changed since, the request fails"
    )


class SnapshotIn(ReportRequest):
    """A page to record: its address, and its requests under /api/v1."""

    title: Title
    path: Annotated[str, StringConstraints(max_length=8_000)] = Field(
        description="address relative to the team's, for example /comparisons/ID?kind=cpu"
    )
    requests: Annotated[list[Asked], Field(min_length=1, max_length=MAX_REQUESTS)]
    additional_requests: Annotated[list[Asked], Field(max_length=MAX_ALSO)] = Field(
        [], description="requests behind links of the page, included while the limits allow"
    )


class RecordedResponseOut(BaseModel):
    """The API's response to one request."""

    request: str = Field(description="path and sorted query under /api/v1")
    status: int
    media_type: str
    bytes: int
    sha256: str

    @classmethod
    def of(cls, answer: RecordedResponse) -> Self:
        """Return the wire shape of a response."""
        return cls.model_validate(answer, from_attributes=True)


class TextBlockOut(BaseModel):
    """A text block in Markdown."""

    id: UUID
    kind: Literal["text"]
    markdown: str


class SnapshotBlockOut(BaseModel):
    """A snapshot of a page."""

    id: UUID
    kind: Literal["snapshot"]
    title: str
    path: str
    note: str
    captured_at: AwareDatetime
    responses: list[RecordedResponseOut]


BlockOut = Annotated[TextBlockOut | SnapshotBlockOut, Field(discriminator="kind")]


class ReportPersonOut(BaseModel):
    """A member of the team."""

    id: UUID
    name: str


class ReportOut(BaseModel):
    """A report: its draft, or one version of it."""

    id: UUID
    number: int
    title: str
    state: Literal["draft", "published"]
    version: int = Field(description="the newest published version; 0: none")
    blocks: list[BlockOut] = Field(description="in lists, views have no responses")
    created_by: ReportPersonOut | None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    published_at: AwareDatetime | None
    links_count: int = Field(description="number of active share links")


class ReportVersionOut(BaseModel):
    """A published version, its time and author."""

    version: int
    title: str
    blocks_count: int
    published_by: ReportPersonOut | None
    created_at: AwareDatetime


class ScrubOptionsIn(ReportRequest):
    """Which data scrubbing removes."""

    labels: StrictBool = True
    paths: StrictBool = True
    hosts: StrictBool = True
    users: StrictBool = True

    def scrub(self) -> ScrubOptions:
        """Return the choice as the rules take it."""
        return ScrubOptions(self.labels, self.paths, self.hosts, self.users)


class ShareLinkIn(ReportRequest):
    """A new share link."""

    name: Title
    expires_in_days: Annotated[JsonInt, Field(ge=1, le=MAX_LINK_DAYS)] | None = Field(
        30, description="null: does not expire"
    )
    version: Annotated[JsonInt, Field(ge=1, le=2**31 - 1)] | Literal["newest"] = "newest"
    scrub: ScrubOptionsIn = ScrubOptionsIn()
    comments: JsonFalse = Field(False, description="always empty: signed-out readers see no comments")


class ShareLinkOut(BaseModel):
    """A share link without its secret."""

    id: UUID
    name: str
    created_by: ReportPersonOut | None
    created_at: AwareDatetime
    expires_at: AwareDatetime | None
    revoked_at: AwareDatetime | None
    scrub: ScrubOptionsIn
    version: int | Literal["newest"]
    views: int
    last_viewed_at: AwareDatetime | None


class ShareLinkCreatedOut(ShareLinkOut):
    """A share link with its secret, which only this response contains."""

    secret: str
    url: str


class ShareSettingsOut(BaseModel):
    """What the team allows outside of Slowpath."""

    are_links_allowed: bool
    embedding_origins: list[str] = Field(description="origins of the sites that may show embedded panels in a frame")
    dashboard_url: str = Field(description="template of the address of a dashboard in Grafana; empty: none")


class ShareSettingsUpdate(ReportRequest):
    """Changes to the settings; missing or null: unchanged."""

    are_links_allowed: StrictBool | None = Field(None, description="false: disable all share links and embedded panels")
    embedding_origins: Annotated[list[Origin], Field(max_length=MAX_ORIGINS)] | None = Field(
        None, examples=[["https://grafana.example.com"]]
    )
    dashboard_url: DashboardUrl | None = Field(
        None,
        description=f"http or https; variables: {', '.join(DASHBOARD_VARIABLES)}; from and to are milliseconds since 1970",
        examples=["https://grafana.example.com/d/abc?var-service={service}&from={from}&to={to}"],
    )


class ScrubSampleOut(BaseModel):
    """One removed value, and its pseudonym."""

    kind: Literal["labels", "paths", "hosts", "users"]
    before: str
    after: str


class ScrubSummaryOut(BaseModel):
    """How much scrubbing removes, each value counted once, with examples."""

    labels: int
    paths: int
    hosts: int
    users: int
    samples: list[ScrubSampleOut]

    @classmethod
    def of(cls, found: Mapping[str, Mapping[str, str]]) -> Self:
        """Return what was removed, by kind."""
        samples = [
            {"kind": what, "before": before[:MAX_SAMPLE], "after": after[:MAX_SAMPLE]}
            for what, things in found.items()
            for before, after in list(things.items())[:SAMPLES_EACH]
        ]
        return cls.model_validate({**{what: len(found.get(what, {})) for what in TAKEN_OUT}, "samples": samples})


# -- responses --------------------------------------------------------------------------------------


def _person(user_id: UUID | None, names: Names) -> ReportPersonOut | None:
    if user_id is None:
        return None
    return ReportPersonOut(id=user_id, name=names.get(user_id, "a former member"))


def block_out(block: Block, *, answers: bool = True) -> TextBlockOut | SnapshotBlockOut:
    """Return the wire shape of a block."""
    if isinstance(block, TextBlock):
        return TextBlockOut(id=block.id, kind="text", markdown=block.markdown)
    return view_block_out(block, answers=answers)


def view_block_out(block: SnapshotBlock, *, answers: bool = True) -> SnapshotBlockOut:
    """Return the wire shape of a snapshot."""
    return SnapshotBlockOut(
        id=block.id,
        kind="snapshot",
        title=block.title,
        path=block.path,
        note=block.note,
        captured_at=block.captured_at,
        responses=[RecordedResponseOut.of(answer) for answer in block.answers] if answers else [],
    )


def report_out(
    row: Report, names: Names, links: int, *, version: ReportVersion | None = None, answers: bool = True
) -> ReportOut:
    """Return the wire shape of a report: its draft, or one version."""
    shown = row if version is None else version
    return ReportOut(
        id=row.id,
        number=row.number,
        title=shown.title,
        state="published" if row.version else "draft",
        version=row.version,
        blocks=[block_out(block, answers=answers) for block in load_blocks(shown.blocks)],
        created_by=_person(row.created_by, names),
        created_at=row.created_at,
        updated_at=row.changed_at,
        published_at=row.published_at,
        links_count=links,
    )


def version_out(row: ReportVersion, names: Names) -> ReportVersionOut:
    """Return the wire shape of a version in a list."""
    return ReportVersionOut(
        version=row.version,
        title=row.title,
        blocks_count=len(row.blocks),
        published_by=_person(row.published_by, names),
        created_at=row.created_at,
    )


def link_out(row: ShareLink, names: Names) -> ShareLinkOut:
    """Return the wire shape of a share link."""
    return ShareLinkOut.model_validate(_link(row, names))


def link_made(row: ShareLink, names: Names, secret: str, url: str) -> ShareLinkCreatedOut:
    """Return the wire shape of a new share link, with its secret."""
    return ShareLinkCreatedOut.model_validate({**_link(row, names), "secret": secret, "url": url})


def _link(row: ShareLink, names: Names) -> dict[str, Any]:
    moments: dict[str, datetime | None] = {
        "created_at": row.created_at,
        "expires_at": row.expires_at,
        "revoked_at": row.revoked_at,
        "last_viewed_at": row.last_viewed_at,
    }
    return {
        **moments,
        "id": row.id,
        "name": row.name,
        "created_by": _person(row.created_by, names),
        "scrub": row.scrub,
        "version": row.version or "newest",
        "views": row.views,
    }
