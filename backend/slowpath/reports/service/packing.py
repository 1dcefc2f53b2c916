"""Recordings as one body: a header that says what the report is, then the answers' bytes, all of it gzipped.

u32 length of the header (little-endian), the header (JSON), the bytes. An answer's offset counts from the end of the header.
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
from slowpath.core.errors import NotFound
from slowpath.core.ids import BlobKey, ReportId, TeamId
from slowpath.core.ports import BlobStore
from slowpath.core.sessions import ReadSession
from slowpath.reports import queries
from slowpath.reports.rules import (
    FORMAT,
    Block,
    FrozenAnswer,
    Prose,
    Scrub,
    View,
    answers_of,
    blocks_from_json,
    blocks_json,
    query_values,
    request_with,
)
from slowpath.reports.service import writing
from slowpath.reports.tables import ShareLink

CHUNK_BYTES = 1 << 20
QUICK = 1
SMALL = 6
"""How hard gzip tries: for what is made for one look, and for what is kept for many."""
PACKING = 1
"""Grows when the same report would be packed or scrubbed otherwise, so that what was kept is made anew."""


@dataclass(frozen=True)
class Shown:
    """What of a report is shown, read from the database; the bytes of answers come from the blob store."""

    team_id: TeamId
    report_id: ReportId
    said: Mapping[str, Any]
    """What the header says of the report but its blocks; the title among it."""
    author: str | None
    blocks: tuple[Block, ...]
    people: tuple[tuple[str, str], ...]
    """Names and e-mails of everybody in the team."""


def shown(session: ReadSession, report_id: ReportId, number: int | None) -> Shown:
    """Return the draft, or one version. Raises `ReportNotFound`."""
    row = writing.find(session, report_id)
    version = None if number is None else writing.version_of(session, report_id, number)
    content = row if version is None else version
    said = {
        "number": row.number,
        "title": content.title,
        "state": "published" if row.version else "draft",
        "version": number,
        "created_at": row.created_at.isoformat(),
        "changed_at": (row.changed_at if version is None else version.created_at).isoformat(),
        "published_at": None if version is None else version.created_at.isoformat(),
        "team": queries.team_name(session),
        "expires_at": None,
    }
    author = queries.names(session, [row.created_by]).get(row.created_by) if row.created_by else None
    people = tuple((one.name, one.email) for one in queries.people(session))
    return Shown(session.team_id, report_id, said, author, tuple(blocks_from_json(content.blocks)), people)


def shown_by(session: ReadSession, link: ShareLink) -> Shown:
    """Return what a link shows. Raises `ReportNotFound`."""
    report_id = ReportId(link.report_id)
    found = shown(session, report_id, link.version or writing.find(session, report_id).version)
    expires_at = None if link.expires_at is None else link.expires_at.isoformat()
    return replace(found, said={**found.said, "expires_at": expires_at})


def scrub_of(link: ShareLink) -> Scrub:
    """Return what a link takes out."""
    return Scrub(**link.scrub)


class Bytes:
    """The bytes of a report's answers, unpacked."""

    def __init__(self, blobs: BlobStore, found: Shown) -> None:
        """Read from a store."""
        self._blobs, self._found = blobs, found

    def read(self, answer: FrozenAnswer) -> bytes:
        """Return the bytes of an answer. Raises `NotFound`, `Unavailable`."""
        key = writing.blob_key(self._found.team_id, self._found.report_id, answer.sha256)
        return gzip.decompress(self._blobs.read(key))


def scrubber_for(found: Shown, blobs: BlobStore, scrub: Scrub) -> Scrubber:
    """Return a scrubber that has seen all of a report, so that what it learnt anywhere is taken out everywhere."""
    scrubber = Scrubber(found.people if found.author is None else (*found.people, (found.author, "")), **asdict(scrub))
    stored = Bytes(blobs, found)
    for block in found.blocks:
        for text in _texts(block):
            scrubber.learn_text(text)
    for answer in _each_once(found.blocks):
        scrubber.learn(answer.media_type, stored.read(answer))
    return scrubber


def _texts(block: Block) -> tuple[str, ...]:
    return (block.markdown,) if isinstance(block, Prose) else (block.title, block.note)


def _each_once(blocks: Sequence[Block]) -> list[FrozenAnswer]:
    return list({answer.sha256: answer for answer in answers_of(blocks)}.values())


@contextmanager
def packed(
    found: Shown, blobs: BlobStore, scrub: Scrub, scratch: Path | None, level: int = QUICK
) -> Iterator[IO[bytes]]:
    """Give the gzipped recording as a file that stands at its beginning and is gone when the context ends."""
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
    """Yield a file's bytes from where it stands."""
    return iter(lambda: file.read(CHUNK_BYTES), b"")


Places = dict[str, tuple[int, int, str]]
"""By the digest of an answer as it is kept: offset, length, and the digest of what is shown."""


def _write_bodies(body: IO[bytes], found: Shown, blobs: BlobStore, scrubber: Scrubber | None) -> Places:
    stored, places = Bytes(blobs, found), Places()
    for answer in _each_once(found.blocks):
        content = stored.read(answer)
        if scrubber is not None:
            content = scrubber.content(answer.media_type, content)
        places[answer.sha256] = (body.tell(), len(content), hashlib.sha256(content).hexdigest())
        body.write(content)
    return places


def _header(found: Shown, places: Places, scrubber: Scrubber | None) -> dict[str, Any]:
    blocks = [_block(block, places, scrubber) for block in found.blocks]
    listed = [
        {
            "block": str(block.id),
            "request": request_shown(answer.request, scrubber),
            "status": answer.status,
            "media_type": answer.media_type,
            "offset": places[answer.sha256][0],
            "length": places[answer.sha256][1],
        }
        for block in found.blocks
        if isinstance(block, View)
        for answer in block.answers
    ]
    told = _text(found.author, scrubber) if found.author is not None else None
    title = _text(str(found.said["title"]), scrubber)
    report = {**found.said, "title": title, "created_by": told, "blocks": blocks}
    return {"format": FORMAT, "report": report, "answers": listed}


def _block(block: Block, places: Places, scrubber: Scrubber | None) -> dict[str, Any]:
    if isinstance(block, Prose):
        return blocks_json([replace(block, markdown=_text(block.markdown, scrubber))])[0]
    answers = tuple(
        replace(
            answer,
            request=request_shown(answer.request, scrubber),
            bytes=places[answer.sha256][1],
            sha256=places[answer.sha256][2],
        )
        for answer in block.answers
    )
    title, note = _text(block.title, scrubber), _text(block.note, scrubber)
    path = request_shown(block.path, scrubber)
    return blocks_json([replace(block, title=title, note=note, path=path, answers=answers)])[0]


def _text(text: str, scrubber: Scrubber | None) -> str:
    return text if scrubber is None else scrubber.text(text)


def request_shown(request: str, scrubber: Scrubber | None) -> str:
    """Return a request, or a page's address, as it is shown: what is taken out of answers is taken out of queries too."""
    if scrubber is None or "?" not in request:
        return request
    return request_with(request, {value: scrubber.text(value) for value in query_values(request)})


def taken_out(found: Shown, blobs: BlobStore, scrub: Scrub) -> Mapping[str, Mapping[str, str]]:
    """Return what is taken out of a report, and what stands there instead, by what it is."""
    if not scrub.any():
        return {}
    scrubber = scrubber_for(found, blobs, scrub)
    stored = Bytes(blobs, found)
    for answer in _each_once(found.blocks):
        scrubber.content(answer.media_type, stored.read(answer))
    _header(found, {answer.sha256: (0, 0, "") for answer in answers_of(found.blocks)}, scrubber)
    return scrubber.found


def title_shown(found: Shown, blobs: BlobStore, scrub: Scrub) -> str:
    """Return the title as it is shown."""
    title = str(found.said["title"])
    return scrubber_for(found, blobs, scrub).text(title) if scrub.any() else title


# -- what a link shows is packed once --------------------------------------------------------------


def shared_folder(team_id: TeamId, report_id: ReportId) -> str:
    """Return beneath what lies what links show; it may be removed at any time, and is made anew."""
    return f"{writing.folder(team_id, report_id)}/shared"


def shared_key(found: Shown, scrub: Scrub) -> BlobKey:
    """Return where what a link shows is kept: it depends on all that it is made of."""
    made_of = [PACKING, FORMAT, found.said, found.author, blocks_json(found.blocks), found.people, asdict(scrub)]
    digest = hashlib.sha256(json.dumps(made_of).encode()).hexdigest()
    return BlobKey(f"{shared_folder(found.team_id, found.report_id)}/{digest}.gz")


def shared(found: Shown, blobs: BlobStore, scrub: Scrub, scratch: Path | None) -> Iterator[bytes]:
    """Return what a link shows, gzipped, from where it is kept; it is made when it is not there."""
    key = shared_key(found, scrub)
    try:
        return blobs.stream(key)
    except NotFound:
        with packed(found, blobs, scrub, scratch, SMALL) as file:
            blobs.put(key, chunks(file))
    return blobs.stream(key)
