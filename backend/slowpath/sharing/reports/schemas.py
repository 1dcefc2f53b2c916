"""Reports and share links on the wire. The secret of a link stands in one answer: that to its making."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StrictBool, StringConstraints

from slowpath.sharing.reports.rules import (
    MAX_ALSO,
    MAX_BLOCKS,
    MAX_LINK_DAYS,
    MAX_MARKDOWN,
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
"""One line, without marks that turn the direction of what follows."""
Text = r"^[^\x00]*$"
Title = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TITLE, pattern=Line)]
Markdown = Annotated[str, StringConstraints(max_length=MAX_MARKDOWN, pattern=Text)]
Caption = Annotated[str, StringConstraints(max_length=10_000, pattern=Text)]
Asked = Annotated[str, StringConstraints(max_length=MAX_REQUEST)]
Names = Mapping[UUID, str]
TAKEN_OUT = ("labels", "paths", "hosts", "people")
SAMPLES_EACH = 20
MAX_SAMPLE = 300


class ReportRequest(BaseModel):
    """Base of what is sent: a misspelt member is an error, not a silence."""

    model_config = ConfigDict(extra="forbid")


class ReportIn(ReportRequest):
    """A new report."""

    title: Title


class BlockIn(ReportRequest):
    """A block that is there, by its id, with what changes of it; or new prose, without one."""

    id: UUID | None = None
    kind: Literal["text", "snapshot"] | None = Field(None, description="of a new block: text")
    markdown: Markdown | None = Field(None, description="of prose")
    title: Title | None = Field(None, description="of a view")
    note: Caption | None = Field(None, description="of a view: its caption, Markdown")

    def change(self) -> BlockUpdate:
        """Return what is wanted."""
        return BlockUpdate(self.id, self.markdown, self.title, self.note)


class ReportUpdate(ReportRequest):
    """What is to be otherwise."""

    title: Title | None = None
    blocks: Annotated[list[BlockIn], Field(max_length=MAX_BLOCKS)] | None = Field(
        None, description="all blocks in their order; those that are not named are removed"
    )
    updated_at: AwareDatetime | None = Field(
        None, description="as last read: if somebody changed the report since, nothing is changed"
    )


class SnapshotIn(ReportRequest):
    """A page as it is shown: its address, and the requests behind it, below /api/v1."""

    title: Title
    path: Annotated[str, StringConstraints(max_length=8_000)] = Field(
        description="below the team's: /comparisons/ID?kind=cpu"
    )
    requests: Annotated[list[Asked], Field(min_length=1, max_length=MAX_REQUESTS)]
    additional_requests: Annotated[list[Asked], Field(max_length=MAX_ALSO)] = Field(
        [], description="behind what can be opened in the page: they go along as far as there is room"
    )


class RecordedResponseOut(BaseModel):
    """What the API answered to one request."""

    request: str = Field(description="path and sorted query below /api/v1")
    status: int
    media_type: str
    bytes: int
    sha256: str

    @classmethod
    def of(cls, answer: RecordedResponse) -> Self:
        """Return an answer as it is told."""
        return cls.model_validate(answer, from_attributes=True)


class TextBlockOut(BaseModel):
    """A piece of Markdown."""

    id: UUID
    kind: Literal["text"]
    markdown: str


class SnapshotBlockOut(BaseModel):
    """A page of the product as it was."""

    id: UUID
    kind: Literal["snapshot"]
    title: str
    path: str
    note: str
    captured_at: AwareDatetime
    responses: list[RecordedResponseOut]


BlockOut = Annotated[TextBlockOut | SnapshotBlockOut, Field(discriminator="kind")]


class ReportPersonOut(BaseModel):
    """Somebody of the team."""

    id: UUID
    name: str


class ReportOut(BaseModel):
    """A report: its draft, or one version of it."""

    id: UUID
    number: int
    title: str
    state: Literal["draft", "published"]
    version: int = Field(description="the newest that was published; 0: none")
    blocks: list[BlockOut] = Field(description="in lists without the answers of views")
    created_by: ReportPersonOut | None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    published_at: AwareDatetime | None
    links_count: int = Field(description="links that are open")


class ReportVersionOut(BaseModel):
    """When which version was published by whom."""

    version: int
    title: str
    blocks_count: int
    published_by: ReportPersonOut | None
    created_at: AwareDatetime


class ScrubOptionsIn(ReportRequest):
    """What is taken out of what is shown."""

    labels: StrictBool = True
    paths: StrictBool = True
    hosts: StrictBool = True
    people: StrictBool = True

    def scrub(self) -> ScrubOptions:
        """Return the choice as rules know it."""
        return ScrubOptions(self.labels, self.paths, self.hosts, self.people)


class ShareLinkIn(ReportRequest):
    """A new link."""

    name: Title
    expires_in_days: Annotated[int, Field(ge=1, le=MAX_LINK_DAYS)] | None = Field(30, description="null: never")
    version: Annotated[int, Field(ge=1, le=2**31 - 1)] | Literal["newest"] = "newest"
    scrub: ScrubOptionsIn = ScrubOptionsIn()
    comments: Literal[False] = Field(False, description="comments are never shown signed out")


class ShareLinkOut(BaseModel):
    """A link as the team sees it; without its secret."""

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
    """A link with its secret, which is told this once."""

    secret: str
    url: str


class ShareSettingsOut(BaseModel):
    """Whether the team allows share links."""

    are_links_allowed: bool


class ShareSettingsUpdate(ReportRequest):
    """Allow share links, or end all of them at once."""

    are_links_allowed: StrictBool


class ScrubSampleOut(BaseModel):
    """One thing that was taken out, and what stands there instead."""

    kind: Literal["labels", "paths", "hosts", "people"]
    before: str
    after: str


class ScrubSummaryOut(BaseModel):
    """How much is taken out, each thing counted once, with some of it."""

    labels: int
    paths: int
    hosts: int
    people: int
    samples: list[ScrubSampleOut]

    @classmethod
    def of(cls, found: Mapping[str, Mapping[str, str]]) -> Self:
        """Return what was found, by what it is."""
        samples = [
            {"kind": what, "before": before[:MAX_SAMPLE], "after": after[:MAX_SAMPLE]}
            for what, things in found.items()
            for before, after in list(things.items())[:SAMPLES_EACH]
        ]
        return cls.model_validate({**{what: len(found.get(what, {})) for what in TAKEN_OUT}, "samples": samples})


# -- told by us ------------------------------------------------------------------------------------


def _person(user_id: UUID | None, names: Names) -> ReportPersonOut | None:
    if user_id is None:
        return None
    return ReportPersonOut(id=user_id, name=names.get(user_id, "somebody who left"))


def block_out(block: Block, *, answers: bool = True) -> TextBlockOut | SnapshotBlockOut:
    """Return a block as it is told."""
    if isinstance(block, TextBlock):
        return TextBlockOut(id=block.id, kind="text", markdown=block.markdown)
    return view_block_out(block, answers=answers)


def view_block_out(block: SnapshotBlock, *, answers: bool = True) -> SnapshotBlockOut:
    """Return a frozen view as it is told."""
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
    """Return a report as it is told: its draft, or one version."""
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
    """Return a version as it is told in a list."""
    return ReportVersionOut(
        version=row.version,
        title=row.title,
        blocks_count=len(row.blocks),
        published_by=_person(row.published_by, names),
        created_at=row.created_at,
    )


def link_out(row: ShareLink, names: Names) -> ShareLinkOut:
    """Return a link as it is told."""
    return ShareLinkOut.model_validate(_link(row, names))


def link_made(row: ShareLink, names: Names, secret: str, url: str) -> ShareLinkCreatedOut:
    """Return a link as it is told once."""
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
