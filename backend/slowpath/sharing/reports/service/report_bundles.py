"""Write reports as report bundles: a header that describes the report, then the bytes of the responses, gzipped.

u32 length of the header (little-endian), the header (JSON), the bytes. An offset counts from the end of the header.
"""

import gzip
import hashlib
import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import IO, Any

from slowpath.analysis.scrubbing.scrubber import Scrubber
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import NotFound
from slowpath.core.ids import BlobKey, ReportId, TeamId
from slowpath.core.ports import BlobStore
from slowpath.sharing.reports import queries
from slowpath.sharing.reports.rules import (
    FORMAT,
    Block,
    RecordedResponse,
    ScrubOptions,
    SnapshotBlock,
    TextBlock,
    answers_of,
    dump_blocks,
    load_blocks,
    query_values,
    request_with,
)
from slowpath.sharing.reports.service import reports
from slowpath.sharing.reports.service.former_snapshots import present_request, present_response
from slowpath.sharing.reports.service.recorded_versions import upgrade_response
from slowpath.sharing.reports.tables import ShareLink

CHUNK_BYTES = 1 << 20
QUICK = 1
SMALL = 6
"""gzip level for a bundle that is used once, and for a stored one."""
PACKING = 3
"""Increased when bundling or scrubbing changes, so that stored bundles are written again."""


@dataclass(frozen=True)
class ReportContent:
    """The content of a report, read from the database; the bytes of responses come from the blob store."""

    team_id: TeamId
    report_id: ReportId
    header: Mapping[str, Any]
    """The header's fields about the report except its blocks, for example the title."""
    author: str | None
    blocks: tuple[Block, ...]
    people: tuple[tuple[str, str], ...]
    """Names and emails of all members of the team."""


def get_report_content(session: ReadSession, report_id: ReportId, number: int | None) -> ReportContent:
    """Return the draft, or one version. Raises `ReportNotFound`."""
    row = reports.get_report(session, report_id)
    version = None if number is None else reports.version_of(session, report_id, number)
    content = row if version is None else version
    header = {
        "number": row.number,
        "title": content.title,
        "state": "published" if row.version else "draft",
        "version": number,
        "created_at": row.created_at.isoformat(),
        "updated_at": (row.changed_at if version is None else version.created_at).isoformat(),
        "published_at": None if version is None else version.created_at.isoformat(),
        "team": queries.team_name(session),
        "expires_at": None,
    }
    author = queries.names(session, [row.created_by]).get(row.created_by) if row.created_by else None
    people = tuple((one.name, one.email) for one in queries.people(session))
    return ReportContent(session.team_id, report_id, header, author, _present(load_blocks(content.blocks)), people)


def _present(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return blocks whose requests have the present names of the API."""
    return tuple(
        replace(block, answers=tuple(replace(one, request=present_request(one.request)) for one in block.answers))
        if isinstance(block, SnapshotBlock)
        else block
        for block in blocks
    )


def get_shared_content(session: ReadSession, link: ShareLink) -> ReportContent:
    """Return the content of a share link. Raises `ReportNotFound`."""
    report_id = ReportId(link.report_id)
    found = get_report_content(session, report_id, link.version or reports.get_report(session, report_id).version)
    expires_at = None if link.expires_at is None else link.expires_at.isoformat()
    return replace(found, header={**found.header, "expires_at": expires_at})


def get_scrub_options(link: ShareLink) -> ScrubOptions:
    """Return which data a share link removes."""
    return ScrubOptions(**link.scrub)


class RecordedBodies:
    """The decompressed bytes of a report's responses."""

    def __init__(self, blobs: BlobStore, found: ReportContent) -> None:
        """Read from a blob store."""
        self._blobs, self._found = blobs, found

    def read(self, answer: RecordedResponse) -> bytes:
        """Return the bytes of a response. Raises `NotFound`, `Unavailable`."""
        key = reports.blob_key(self._found.team_id, self._found.report_id, answer.sha256)
        content = gzip.decompress(self._blobs.read(key))
        return upgrade_response(answer.request, present_response(answer.request, answer.media_type, content))


def scrubber_for(found: ReportContent, blobs: BlobStore, scrub: ScrubOptions) -> Scrubber:
    """Return a scrubber that has read the complete report, so that a value found anywhere is removed everywhere."""
    scrubber = Scrubber(found.people if found.author is None else (*found.people, (found.author, "")), **asdict(scrub))
    stored = RecordedBodies(blobs, found)
    for block in found.blocks:
        for text in _texts(block):
            scrubber.learn_text(text)
    for answer in _each_once(found.blocks):
        scrubber.learn(answer.media_type, stored.read(answer))
    return scrubber


def _texts(block: Block) -> tuple[str, ...]:
    return (block.markdown,) if isinstance(block, TextBlock) else (block.title, block.note)


def _each_once(blocks: Sequence[Block]) -> list[RecordedResponse]:
    return list({answer.sha256: answer for answer in answers_of(blocks)}.values())


@contextmanager
def open_report_bundle(
    found: ReportContent, blobs: BlobStore, scrub: ScrubOptions, scratch: Path | None, level: int = QUICK
) -> Iterator[IO[bytes]]:
    """Yield a file with the gzipped report bundle, positioned at its start; it is deleted when the context ends."""
    scrubber = scrubber_for(found, blobs, scrub) if scrub.any() else None
    with tempfile.TemporaryFile(dir=scratch, prefix="recording-") as body:
        places = _write_bodies(body, found, blobs, scrubber)
        header = json.dumps(_header(found, places, scrubber), ensure_ascii=False, separators=(",", ":")).encode()
        with tempfile.TemporaryFile(dir=scratch, prefix="recording-") as out:
            with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=level, mtime=0) as packer:
                packer.write(len(header).to_bytes(4, "little") + header)
                body.seek(0)
                for chunk in iter(lambda: body.read(CHUNK_BYTES), b""):
                    packer.write(chunk)
            out.seek(0)
            yield out


def chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file's bytes from its position."""
    return iter(lambda: file.read(CHUNK_BYTES), b"")


Places = dict[str, tuple[int, int, str]]
"""By the digest of the stored response: offset, length, and digest of the shown response."""


def _write_bodies(body: IO[bytes], found: ReportContent, blobs: BlobStore, scrubber: Scrubber | None) -> Places:
    stored, places = RecordedBodies(blobs, found), Places()
    for answer in _each_once(found.blocks):
        content = stored.read(answer)
        if scrubber is not None:
            content = scrubber.content(answer.media_type, content)
        places[answer.sha256] = (body.tell(), len(content), hashlib.sha256(content).hexdigest())
        body.write(content)
    return places


def _header(found: ReportContent, places: Places, scrubber: Scrubber | None) -> dict[str, Any]:
    blocks = [_block(block, places, scrubber) for block in found.blocks]
    listed = [
        {
            "block": str(block.id),
            "request": scrub_request(answer.request, scrubber),
            "status": answer.status,
            "media_type": answer.media_type,
            "offset": places[answer.sha256][0],
            "length": places[answer.sha256][1],
        }
        for block in found.blocks
        if isinstance(block, SnapshotBlock)
        for answer in block.answers
    ]
    shown_author = _text(found.author, scrubber) if found.author is not None else None
    title = _text(str(found.header["title"]), scrubber)
    report = {**found.header, "title": title, "created_by": shown_author, "blocks": blocks}
    return {"format": FORMAT, "report": report, "answers": listed}


def _block(block: Block, places: Places, scrubber: Scrubber | None) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return dump_blocks([replace(block, markdown=_text(block.markdown, scrubber))])[0]
    answers = tuple(
        replace(
            answer,
            request=scrub_request(answer.request, scrubber),
            bytes=places[answer.sha256][1],
            sha256=places[answer.sha256][2],
        )
        for answer in block.answers
    )
    title, note = _text(block.title, scrubber), _text(block.note, scrubber)
    path = scrub_request(block.path, scrubber)
    return dump_blocks([replace(block, title=title, note=note, path=path, answers=answers)])[0]


def _text(text: str, scrubber: Scrubber | None) -> str:
    return text if scrubber is None else scrubber.text(text)


def scrub_request(request: str, scrubber: Scrubber | None) -> str:
    """Return a request or page address as it is shown: scrubbing also applies to queries."""
    if scrubber is None or "?" not in request:
        return request
    return request_with(request, {value: scrubber.text(value) for value in query_values(request)})


def summarize_scrubbed(found: ReportContent, blobs: BlobStore, scrub: ScrubOptions) -> Mapping[str, Mapping[str, str]]:
    """Return the removed values of a report and their pseudonyms, by kind."""
    if not scrub.any():
        return {}
    scrubber = scrubber_for(found, blobs, scrub)
    stored = RecordedBodies(blobs, found)
    for answer in _each_once(found.blocks):
        scrubber.content(answer.media_type, stored.read(answer))
    _header(found, {answer.sha256: (0, 0, "") for answer in answers_of(found.blocks)}, scrubber)
    return scrubber.found


def title_shown(found: ReportContent, blobs: BlobStore, scrub: ScrubOptions) -> str:
    """Return the scrubbed title."""
    title = str(found.header["title"])
    return scrubber_for(found, blobs, scrub).text(title) if scrub.any() else title


# -- the bundle of a share link is stored -----------------------------------------------------------


def shared_folder(team_id: TeamId, report_id: ReportId) -> str:
    """Return the folder of stored bundles of share links; it may be deleted at any time, and is written again."""
    return f"{reports.folder(team_id, report_id)}/shared"


def shared_key(found: ReportContent, scrub: ScrubOptions) -> BlobKey:
    """Return the key of a share link's stored bundle: it depends on all of its inputs."""
    made_of = [PACKING, FORMAT, found.header, found.author, dump_blocks(found.blocks), found.people, asdict(scrub)]
    digest = hashlib.sha256(json.dumps(made_of).encode()).hexdigest()
    return BlobKey(f"{shared_folder(found.team_id, found.report_id)}/{digest}.gz")


def get_shared_bundle(
    found: ReportContent, blobs: BlobStore, scrub: ScrubOptions, scratch: Path | None
) -> Iterator[bytes]:
    """Return the gzipped bundle of a share link, from the store or newly written."""
    key = shared_key(found, scrub)
    try:
        return blobs.stream(key)
    except NotFound:
        with open_report_bundle(found, blobs, scrub, scratch, SMALL) as file:
            blobs.put(key, chunks(file))
    return blobs.stream(key)
