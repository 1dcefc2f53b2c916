"""Rules of reports: blocks, canonical requests, limits.

Pure. A snapshot is the address of a page and the API responses that the page showed.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl, quote, unquote
from uuid import UUID

MIB = 1 << 20
MAX_REQUESTS = 64
"""Requests of one snapshot's page."""
MAX_ALSO = 1_000
"""Requests behind links of the page."""
MAX_REQUEST = 64_000
"""Characters of one request: a function name may take 8,000, with up to twelve of them per request."""
MAX_VIEW_BYTES = 32 * MIB
MAX_REPORT_BYTES = 256 * MIB
"""All responses of the draft, each counted once, decompressed."""
MAX_BLOCKS = 200
MAX_MARKDOWN = 100_000
MAX_TITLE = 200
MAX_VERSIONS = 200
MAX_LINKS = 100
MAX_LINK_DAYS = 365
FORMAT = "slowpath.recording/1"
SHARED_BY_ADDRESS = (120, 60)
"""Limit per IP address for opening share links: how many in how many seconds."""
AUDITED_EVERY_SECONDS = 60
MAX_ORIGINS = 20
"""Sites that may embed panels."""
DASHBOARD_VARIABLES = ("{service}", "{environment}", "{from}", "{to}")
DASHBOARD_URL = (
    r"^(https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/([!#-;=?-Z\[\]_a-z~]|\{(service|environment|from|to)\})*)?)?$"
)
"""No scheme but http and https, and variables in path and query only: no value can change the host."""


class BlockKind(StrEnum):
    """Kinds of blocks."""

    TEXT = "text"
    SNAPSHOT = "snapshot"


@dataclass(frozen=True)
class RecordedResponse:
    """The API's response to one request, and the digest of its content."""

    request: str
    """Path and sorted query under /api/v1."""
    status: int
    media_type: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class TextBlock:
    """A text block in Markdown. It is stored as written; renderers must not pass HTML through."""

    id: UUID
    markdown: str


@dataclass(frozen=True)
class SnapshotBlock:
    """A snapshot of a page."""

    id: UUID
    title: str
    path: str
    """The page's address, relative to its team's."""
    note: str
    captured_at: datetime
    answers: tuple[RecordedResponse, ...]


Block = TextBlock | SnapshotBlock


@dataclass(frozen=True)
class ScrubOptions:
    """Which data scrubbing removes before signed-out visitors see the report."""

    labels: bool = True
    paths: bool = True
    hosts: bool = True
    users: bool = True

    def any(self) -> bool:
        """Return whether there is anything to remove."""
        return self.labels or self.paths or self.hosts or self.users


def dump_blocks(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    """Return blocks as stored JSON."""
    return [_block_json(block) for block in blocks]


def _block_json(block: Block) -> dict[str, Any]:
    document = {**asdict(block), "id": str(block.id)}
    if isinstance(block, TextBlock):
        return {**document, "kind": BlockKind.TEXT.value}
    return {**document, "kind": BlockKind.SNAPSHOT.value, "captured_at": block.captured_at.isoformat()}


def load_blocks(stored: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Return blocks from stored JSON."""
    return [_block(one) for one in stored]


def _block(one: Mapping[str, Any]) -> Block:
    if one["kind"] == BlockKind.TEXT:
        return TextBlock(UUID(one["id"]), one["markdown"])
    answers = tuple(RecordedResponse(**answer) for answer in one["answers"])
    moment = datetime.fromisoformat(one["captured_at"])
    return SnapshotBlock(UUID(one["id"]), one["title"], one["path"], one["note"], moment, answers)


def answers_of(blocks: Iterable[Block]) -> list[RecordedResponse]:
    """Return all responses, block by block."""
    return [answer for block in blocks if isinstance(block, SnapshotBlock) for answer in block.answers]


def digests_of(blocks: Iterable[Block]) -> set[str]:
    """Return the digests of all responses."""
    return {answer.sha256 for answer in answers_of(blocks)}


def frozen_bytes(blocks: Iterable[Block]) -> int:
    """Return the total bytes of the responses, equal ones counted once."""
    return sum({answer.sha256: answer.bytes for answer in answers_of(blocks)}.values())


@dataclass(frozen=True)
class BlockUpdate:
    """One block of a new order: an existing one (with changes), or new text (without an ID)."""

    id: UUID | None
    markdown: str | None = None
    title: str | None = None
    note: str | None = None


def reorder_blocks(blocks: Sequence[Block], updates: Sequence[BlockUpdate], new_ids: Iterable[UUID]) -> list[Block]:
    """Return blocks in a new order, without the missing ones. Raises `ValueError` with a message."""
    known = {block.id: block for block in blocks}
    named = [one.id for one in updates if one.id is not None]
    if len(set(named)) != len(named):
        raise ValueError("A block occurs twice.")
    if unknown := [one for one in named if one not in known]:
        raise ValueError(f"The block {unknown[0]} does not belong to this report.")
    fresh = iter(new_ids)
    return [
        _changed(known[one.id], one) if one.id is not None else TextBlock(next(fresh), one.markdown or "")
        for one in updates
    ]


def _changed(block: Block, change: BlockUpdate) -> Block:
    if isinstance(block, TextBlock):
        return block if change.markdown is None else replace(block, markdown=change.markdown)
    title = block.title if change.title is None else change.title
    note = block.note if change.note is None else change.note
    return replace(block, title=title, note=note)


# -- requests --------------------------------------------------------------------------------------

TEAM = "team"
"""The query parameter that selects a team. A snapshot always uses the report's team."""
PATH_LETTERS = re.compile(r"/[A-Za-z0-9._~@:,+-]+(?:/[A-Za-z0-9._~@:,+-]+)*")
PAGE_PATH = re.compile(r"/[^\x00-\x20\x7f\\]*")


def canonical_request(request: str) -> str:
    """Return the canonical form of a request: path under /api/v1 and sorted query, as URLSearchParams prints it.

    Raises `ValueError` with a message for an invalid request. Team parameters are removed.
    """
    path, _, query = request.partition("?")
    path = unquote(path)
    if not PATH_LETTERS.fullmatch(path) or any(part in {".", ".."} for part in path.split("/")):
        raise ValueError("is not a path under /api/v1")
    if "#" in query:
        raise ValueError("contains a fragment")
    given = parse_qsl(query, keep_blank_values=True, max_num_fields=200)
    pairs = sorted((name, value) for name, value in given if name != TEAM)
    return f"{path}?{_printed(pairs)}" if pairs else path


def _printed(pairs: Sequence[tuple[str, str]]) -> str:
    """Print a query as URLSearchParams does: a space is a plus, and only letters, digits and `*-._` remain."""
    return "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in pairs)


def _quoted(text: str) -> str:
    return quote(text, safe="* ", errors="replace").replace("~", "%7E").replace(" ", "+")


def request_with(request: str, values: Mapping[str, str]) -> str:
    """Return a canonical request with replaced values in its query."""
    path, _, query = request.partition("?")
    pairs = [(name, values.get(value, value)) for name, value in parse_qsl(query, keep_blank_values=True)]
    return f"{path}?{_printed(sorted(pairs))}" if pairs else path


def query_values(request: str) -> list[str]:
    """Return the values in a request's query."""
    return [value for _, value in parse_qsl(request.partition("?")[2], keep_blank_values=True)]


def is_page_path(path: str) -> bool:
    """Return whether it can be a page address relative to a team's: no other site, no control characters."""
    return PAGE_PATH.fullmatch(path) is not None and not path.startswith("//")
