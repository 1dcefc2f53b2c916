"""What a report is made of, in which form a request is known again, and how far all of it may go.

Pure. A frozen view is the address of a page and the API's own answers that the page was showing.
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
"""Behind what one view shows."""
MAX_ALSO = 1_000
"""Behind what can be opened in it."""
MAX_REQUEST = 64_000
"""Letters of one: the name of a function may take 8,000, each up to twelve of them."""
MAX_VIEW_BYTES = 32 * MIB
MAX_REPORT_BYTES = 256 * MIB
"""Of all answers of the draft, each counted once, unpacked."""
MAX_BLOCKS = 200
MAX_MARKDOWN = 100_000
MAX_TITLE = 200
MAX_VERSIONS = 200
MAX_LINKS = 100
MAX_LINK_DAYS = 365
FORMAT = "slowpath.recording/1"
SHARED_BY_ADDRESS = (120, 60)
"""How often one address may open links: times, in so many seconds."""
AUDITED_EVERY_SECONDS = 60


class BlockKind(StrEnum):
    """What a block is."""

    TEXT = "text"
    SNAPSHOT = "snapshot"


@dataclass(frozen=True)
class RecordedResponse:
    """What the API answered to one request, and which bytes that was."""

    request: str
    """Path and sorted query below /api/v1."""
    status: int
    media_type: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class TextBlock:
    """A piece of Markdown. It is kept as it was written; whoever shows it lets no HTML through."""

    id: UUID
    markdown: str


@dataclass(frozen=True)
class SnapshotBlock:
    """A page of the product as it was at a moment."""

    id: UUID
    title: str
    path: str
    """The page's address below its team's."""
    note: str
    captured_at: datetime
    answers: tuple[RecordedResponse, ...]


Block = TextBlock | SnapshotBlock


@dataclass(frozen=True)
class ScrubOptions:
    """What is taken out before anybody signed out sees it."""

    labels: bool = True
    paths: bool = True
    hosts: bool = True
    people: bool = True

    def any(self) -> bool:
        """Tell whether there is anything to take out."""
        return self.labels or self.paths or self.hosts or self.people


def dump_blocks(blocks: Iterable[Block]) -> list[dict[str, Any]]:
    """Return blocks as they are stored."""
    return [_block_json(block) for block in blocks]


def _block_json(block: Block) -> dict[str, Any]:
    said = {**asdict(block), "id": str(block.id)}
    if isinstance(block, TextBlock):
        return {**said, "kind": BlockKind.TEXT.value}
    return {**said, "kind": BlockKind.SNAPSHOT.value, "captured_at": block.captured_at.isoformat()}


def load_blocks(stored: Sequence[Mapping[str, Any]]) -> list[Block]:
    """Return stored blocks."""
    return [_block(one) for one in stored]


def _block(one: Mapping[str, Any]) -> Block:
    if one["kind"] == BlockKind.TEXT:
        return TextBlock(UUID(one["id"]), one["markdown"])
    answers = tuple(RecordedResponse(**answer) for answer in one["answers"])
    moment = datetime.fromisoformat(one["captured_at"])
    return SnapshotBlock(UUID(one["id"]), one["title"], one["path"], one["note"], moment, answers)


def answers_of(blocks: Iterable[Block]) -> list[RecordedResponse]:
    """Return all answers, block by block."""
    return [answer for block in blocks if isinstance(block, SnapshotBlock) for answer in block.answers]


def digests_of(blocks: Iterable[Block]) -> set[str]:
    """Return by what the bytes of all answers are known."""
    return {answer.sha256 for answer in answers_of(blocks)}


def frozen_bytes(blocks: Iterable[Block]) -> int:
    """Return how many bytes the answers are, those that are equal counted once."""
    return sum({answer.sha256: answer.bytes for answer in answers_of(blocks)}.values())


@dataclass(frozen=True)
class BlockUpdate:
    """One block of a new order: one there is (with what changes of it), or new prose (without an id)."""

    id: UUID | None
    markdown: str | None = None
    title: str | None = None
    note: str | None = None


def reorder_blocks(blocks: Sequence[Block], wanted: Sequence[BlockUpdate], new_ids: Iterable[UUID]) -> list[Block]:
    """Return blocks in a new order; those that are not named are left out. Raises `ValueError` in words."""
    known = {block.id: block for block in blocks}
    named = [one.id for one in wanted if one.id is not None]
    if len(set(named)) != len(named):
        raise ValueError("A block occurs twice.")
    if unknown := [one for one in named if one not in known]:
        raise ValueError(f"The block {unknown[0]} does not belong to this report.")
    fresh = iter(new_ids)
    return [
        _changed(known[one.id], one) if one.id is not None else TextBlock(next(fresh), one.markdown or "")
        for one in wanted
    ]


def _changed(block: Block, change: BlockUpdate) -> Block:
    if isinstance(block, TextBlock):
        return block if change.markdown is None else replace(block, markdown=change.markdown)
    title = block.title if change.title is None else change.title
    note = block.note if change.note is None else change.note
    return replace(block, title=title, note=note)


# -- requests --------------------------------------------------------------------------------------

TEAM = "team"
"""The query by which a request may name a team. A frozen one is always asked of the report's."""
PATH_LETTERS = re.compile(r"/[A-Za-z0-9._~@:,+-]+(?:/[A-Za-z0-9._~@:,+-]+)*")
PAGE_PATH = re.compile(r"/[^\x00-\x20\x7f\\]*")


def canonical_request(request: str) -> str:
    """Return the one form of a request: path below /api/v1 and query sorted by name and value, as URLSearchParams prints it.

    Raises `ValueError` in words for what is no such request. Names of teams are left out.
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
    """Print a query as a browser's URLSearchParams does: a space is a plus, and only letters, digits and `*-._` stay."""
    return "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in pairs)


def _quoted(text: str) -> str:
    return quote(text, safe="* ", errors="replace").replace("~", "%7E").replace(" ", "+")


def request_with(request: str, values: Mapping[str, str]) -> str:
    """Return a canonical request with other values of its query."""
    path, _, query = request.partition("?")
    pairs = [(name, values.get(value, value)) for name, value in parse_qsl(query, keep_blank_values=True)]
    return f"{path}?{_printed(sorted(pairs))}" if pairs else path


def query_values(request: str) -> list[str]:
    """Return the values in a request's query."""
    return [value for _, value in parse_qsl(request.partition("?")[2], keep_blank_values=True)]


def is_page_path(path: str) -> bool:
    """Tell whether it can be the address of a page below a team's: no other site, no controls."""
    return PAGE_PATH.fullmatch(path) is not None and not path.startswith("//")
