"""Files over HTTP: raw, multipart, or in parts."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID

from anyio import to_thread
from fastapi import APIRouter, Depends, Header, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import ValidationError
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from slowpath.accounts.access import MayRead, MayUpload, MayWait, MayWrite
from slowpath.accounts.service import audit
from slowpath.core.errors import Conflict, NotFound, Refused, TooLarge, Unavailable
from slowpath.core.ids import ArtifactId, BuildId, JobId, TeamId, UploadId
from slowpath.core.sessions import ReadSession
from slowpath.core.settings import Settings
from slowpath.uploads.errors import BodyNotUnderstood
from slowpath.uploads.rules import SizeLimits, clean_name
from slowpath.uploads.schemas import (
    ArtifactChange,
    ArtifactOut,
    ArtifactStateName,
    FactsIn,
    PartOut,
    UploadIn,
    UploadOut,
    artifact_out,
    upload_out,
)
from slowpath.uploads.service import parts, reading, receiving
from slowpath.uploads.service.receiving import Labels, ReceivedFile
from slowpath.uploads.tables import Artifact
from slowpath.web.bodies import Spooled, counted, refuse_declared, spool
from slowpath.web.downloads import attachment
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Blobs, Configured, Now, Reading, Writing
from slowpath.web.sessions import settings as settings_of
from slowpath.work import service as work

router = APIRouter(prefix="/api/v1", tags=["artifacts"])

MAX_FILES = 200
MAX_FIELD_BYTES = 64 * 1024
MAX_FACTS_LETTERS = 16_000
"""In an address, which as a whole must stay below 64 KiB."""
MULTIPART_FACTOR = 4
"""A multipart body may be this many times as large as one artifact may be."""

STREAMED = re.compile(r"(PUT|POST) /api/v1/(artifacts(/[^/]*)?|uploads/[^/]*/parts/[^/]*)")
"""The requests whose bodies go to disk as they come."""

IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]
BINARY = {"type": "string", "format": "binary"}
RAW_BODY = {"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": BINARY}}}}
FORM_BODY = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["file"],
                    "properties": {
                        "file": {"type": "array", "items": BINARY, "minItems": 1},
                        "facts": {"type": "string", "description": "JSON, for every file of this body"},
                        "build_id": {"type": "string", "format": "uuid"},
                        "batch": {"type": "string", "format": "uuid"},
                    },
                }
            }
        },
    }
}
BYTES: dict[int | str, dict[str, Any]] = {200: {"content": {"application/octet-stream": {"schema": BINARY}}}}


def _facts(text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    try:
        return FactsIn.model_validate_json(text).model_dump(exclude_none=True)
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(str(part) for part in first["loc"])
        raise BodyNotUnderstood(
            f"The facts are not understood: {at or 'facts'}: {first['msg']}",
            remedy='Send a JSON object such as {"requests": 14000, "wall_ns": 10000000000, "go_version": "go1.26.8"}.',
        ) from error


def _sizes(settings: Settings) -> SizeLimits:
    return SizeLimits(settings.max_artifact_bytes, settings.max_trace_bytes)


async def _raw_body(request: Request, _caller: MayUpload) -> AsyncIterator[Spooled]:
    settings = settings_of(request)
    sizes = _sizes(settings)
    async with spool(request, sizes.largest, settings.scratch_dir, sizes.of) as spooled:
        yield spooled


async def _part_body(request: Request, _caller: MayUpload) -> AsyncIterator[Spooled]:
    settings = settings_of(request)
    async with spool(request, settings.part_bytes, settings.scratch_dir) as spooled:
        yield spooled


class _Form:
    """A multipart body on disk: its files, and the labels they share."""

    def __init__(self, files: list[tuple[str, Spooled]], fields: dict[str, str]) -> None:
        self.files = files
        self.fields = fields

    def labels(self, name: str) -> Labels:
        facts = _facts(self.fields.get("facts"))
        build = self._id("build_id")
        return Labels(name, self._id("batch"), BuildId(build) if build else None, facts)

    def _id(self, field: str) -> UUID | None:
        text = self.fields.get(field)
        try:
            return UUID(text) if text else None
        except ValueError as error:
            raise BodyNotUnderstood(f"The field {field} is not an id.", remedy="Send a UUID.") from error


async def _form_body(request: Request, _caller: MayUpload) -> AsyncIterator[_Form]:
    async with _form(request) as form:
        if not form.files:
            raise BodyNotUnderstood("The body holds no file.", remedy="Send files as parts named file.")
        yield form


@asynccontextmanager
async def _form(request: Request) -> AsyncIterator[_Form]:
    settings = settings_of(request)
    limit = max(settings.max_artifact_bytes * MULTIPART_FACTOR, _sizes(settings).largest)
    refuse_declared(request, limit)
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise BodyNotUnderstood(
            "The body is not multipart/form-data.", remedy="Send files as parts named file, or PUT /artifacts/{name}."
        )
    parser = MultiPartParser(
        request.headers, counted(request, limit), max_files=MAX_FILES, max_fields=20, max_part_size=MAX_FIELD_BYTES
    )
    form = await _parsed(parser)
    spooled: list[tuple[str, Spooled]] = []
    try:
        for _, value in form.multi_items():
            if isinstance(value, UploadFile):
                spooled.append((value.filename or "unnamed", await _respool(value, settings.scratch_dir)))
        yield _Form(spooled, {name: value for name, value in form.multi_items() if isinstance(value, str)})
    finally:
        for _, file in spooled:
            file.close()
        await form.close()


async def _parsed(parser: MultiPartParser) -> FormData:
    try:
        return await parser.parse()
    except (MultiPartException, KeyError, UnicodeError, LookupError) as error:
        told = getattr(error, "message", "") or "it can not be taken apart"
        raise BodyNotUnderstood(
            f"The multipart body was not understood: {told}.", remedy="Check its boundary."
        ) from error


async def _respool(upload: UploadFile, scratch: Path | None) -> Spooled:
    spooled = Spooled(scratch)
    try:
        while chunk := await upload.read(1 << 20):
            await to_thread.run_sync(spooled.write, chunk)
    except BaseException:
        spooled.close()
        raise
    return spooled


RawBody = Annotated[Spooled, Depends(_raw_body)]
PartBody = Annotated[Spooled, Depends(_part_body)]
FormBody = Annotated[_Form, Depends(_form_body)]


def _file(spooled: Spooled) -> ReceivedFile:
    return ReceivedFile(spooled.path, spooled.size_bytes, spooled.sha256)


def _told(session: ReadSession, rows: list[Artifact]) -> list[ArtifactOut]:
    jobs = work.by_id(session, [JobId(row.job_id) if row.job_id else None for row in rows])
    return [artifact_out(row, jobs.get(JobId(row.job_id)) if row.job_id else None) for row in rows]


@router.put(
    "/artifacts/{name}",
    operation_id="artifacts:put",
    status_code=201,
    responses=problems(TooLarge, Refused, NotFound, Unavailable),
    openapi_extra=RAW_BODY,
)
def put_artifact(
    name: str,
    caller: MayUpload,
    body: RawBody,
    session: Writing,
    blobs: Blobs,
    idempotency_key: IdempotencyKey = None,
    build_id: UUID | None = None,
    batch: UUID | None = None,
    facts: Annotated[str | None, Query(max_length=MAX_FACTS_LETTERS)] = None,
) -> ArtifactOut:
    """Receive one file as the raw body: `curl -T cpu.pprof`."""
    labels = Labels(name, batch, BuildId(build_id) if build_id else None, _facts(facts))

    def make() -> UUID:
        row = receiving.receive(session, blobs, _file(body), labels)
        audit(session, caller, "artifact.received", "artifact", row.id, {"name": row.name, "bytes": row.size_bytes})
        return row.id

    asked = {"name": clean_name(name), "sha256": body.sha256, "build_id": build_id, "batch": batch, "facts": facts}
    artifact_id = work.once(session, "artifacts:put", idempotency_key, asked, make)
    return _told(session, [reading.find(session, ArtifactId(artifact_id))])[0]


@router.post(
    "/artifacts",
    operation_id="artifacts:post",
    status_code=201,
    responses=problems(TooLarge, Refused, NotFound, Unavailable),
    openapi_extra=FORM_BODY,
)
def post_artifacts(
    request: Request,
    caller: MayUpload,
    body: FormBody,
    session: Writing,
    blobs: Blobs,
    idempotency_key: IdempotencyKey = None,
) -> list[ArtifactOut]:
    """Receive any number of files as multipart parts. One that is refused refuses the request, and nothing is kept."""
    sizes = _sizes(settings_of(request))
    all_hashes = [spooled.sha256 for _, spooled in body.files]
    for name, spooled in body.files:
        receiving.refuse_large(name, spooled.size_bytes, receiving.limit_of_file(spooled.path, sizes))
    rows = []
    for number, (name, spooled) in enumerate(body.files):
        labels = body.labels(name)

        def make(spooled: Spooled = spooled, labels: Labels = labels) -> UUID:
            row = receiving.receive(session, blobs, _file(spooled), labels)
            audit(session, caller, "artifact.received", "artifact", row.id, {"name": row.name, "bytes": row.size_bytes})
            return row.id

        key = f"{idempotency_key}/{number}" if idempotency_key else None
        asked = {"name": clean_name(name), "files": all_hashes, "fields": body.fields}
        rows.append(reading.find(session, ArtifactId(work.once(session, "artifacts:post", key, asked, make))))
    return _told(session, rows)


@router.get("/artifacts", operation_id="artifacts:list", responses=problems(Refused))
def list_artifacts(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    batch: UUID | None = None,
    state: Annotated[list[ArtifactStateName] | None, Query()] = None,
    kind: Annotated[str | None, Query(max_length=40)] = None,
    build_id: UUID | None = None,
    name: Annotated[str | None, Query(max_length=200, description="part of the name")] = None,
) -> Page[ArtifactOut]:
    """List artifacts, newest first."""
    wanted = reading.Wanted(batch, state or (), kind, BuildId(build_id) if build_id else None, name)
    rows = list(reading.newest(session, wanted, after=paging.after, limit=paging.limit + 1))
    told = dict(zip((row.id for row in rows), _told(session, rows), strict=True))
    return paging.page(rows, lambda row: told[row.id], lambda row: (row.created_at, row.id))


@router.get("/artifacts/{artifact_id}", operation_id="artifacts:get", responses=problems(NotFound))
def get_artifact(artifact_id: UUID, caller: MayWait, session: Reading) -> ArtifactOut:
    """Return one artifact."""
    return _told(session, [reading.find(session, ArtifactId(artifact_id))])[0]


@router.patch("/artifacts/{artifact_id}", operation_id="artifacts:change", responses=problems(NotFound, Refused))
def change_artifact(artifact_id: UUID, change: ArtifactChange, caller: MayUpload, session: Writing) -> ArtifactOut:
    """Correct the facts or the build of an artifact."""
    facts = change.facts.model_dump(exclude_none=True) if change.facts is not None else None
    build_id = BuildId(change.build_id) if change.build_id else None
    row = reading.change(session, ArtifactId(artifact_id), facts=facts, build_id=build_id)
    audit(session, caller, "artifact.changed", "artifact", row.id, change.model_dump(mode="json", exclude_none=True))
    return _told(session, [row])[0]


@router.delete(
    "/artifacts/{artifact_id}", operation_id="artifacts:delete", status_code=204, responses=problems(NotFound)
)
def delete_artifact(artifact_id: UUID, caller: MayWrite, session: Writing) -> None:
    """Delete an artifact and its bytes. Comparisons keep what they found."""
    row = reading.find(session, ArtifactId(artifact_id))
    name, keys = row.name, [receiving.original_key(TeamId(row.team_id), row.sha256)]
    reading.forget(session, ArtifactId(artifact_id), keys)
    audit(session, caller, "artifact.deleted", "artifact", artifact_id, {"name": name})


@router.get(
    "/artifacts/{artifact_id}/original",
    operation_id="artifacts:original",
    responses={**problems(NotFound, Unavailable), **BYTES},
    response_class=StreamingResponse,
)
def get_original(artifact_id: UUID, caller: MayRead, session: Reading, blobs: Blobs) -> Response:
    """Return the bytes as they were received, also of a file that was refused."""
    row = reading.find(session, ArtifactId(artifact_id))
    content = blobs.stream(receiving.original_key(TeamId(row.team_id), row.sha256))
    return attachment(content, row.name, size_bytes=row.size_bytes)


@router.post("/artifacts/{artifact_id}/retry", operation_id="artifacts:retry", responses=problems(NotFound, Conflict))
def retry_artifact(artifact_id: UUID, caller: MayUpload, session: Writing) -> ArtifactOut:
    """Decode a refused or failed artifact again."""
    row = reading.try_again(session, ArtifactId(artifact_id))
    audit(session, caller, "artifact.retried", "artifact", row.id, {"name": row.name})
    return _told(session, [row])[0]


@router.post("/uploads", operation_id="uploads:begin", status_code=201, responses=problems(TooLarge, Refused, NotFound))
def begin_upload(
    wanted: UploadIn,
    caller: MayUpload,
    session: Writing,
    clock: Now,
    settings: Configured,
    idempotency_key: IdempotencyKey = None,
) -> UploadOut:
    """Begin a file that comes in parts."""
    build_id = BuildId(wanted.build_id) if wanted.build_id else None
    labels = Labels(clean_name(wanted.name), wanted.batch, build_id, wanted.facts.model_dump(exclude_none=True))
    limits = parts.Limits(_sizes(settings), settings.part_bytes)

    def make() -> UUID:
        return parts.begin(session, labels, wanted.size_bytes, limits, clock.now()).id

    asked = wanted.model_dump(mode="json")
    upload_id = UploadId(work.once(session, "uploads:begin", idempotency_key, asked, make))
    return upload_out(*parts.look(session, upload_id))


@router.get("/uploads/{upload_id}", operation_id="uploads:get", responses=problems(NotFound))
def get_upload(upload_id: UUID, caller: MayUpload, session: Reading) -> UploadOut:
    """Return which parts have arrived, to go on after a break."""
    return upload_out(*parts.look(session, UploadId(upload_id)))


@router.put(
    "/uploads/{upload_id}/parts/{number}",
    operation_id="uploads:part",
    responses=problems(NotFound, Refused, Conflict, TooLarge, Unavailable),
    openapi_extra=RAW_BODY,
)
def put_part(
    upload_id: UUID,
    number: int,
    caller: MayUpload,
    body: PartBody,
    session: Writing,
    blobs: Blobs,
    settings: Configured,
) -> PartOut:
    """Receive one part; sending it again replaces it."""
    part = parts.add_part(session, blobs, UploadId(upload_id), number, _file(body), sizes=_sizes(settings))
    return PartOut(number=part.number, size_bytes=part.size_bytes, sha256=part.sha256)


@router.post(
    "/uploads/{upload_id}/complete",
    operation_id="uploads:complete",
    status_code=201,
    responses=problems(NotFound, Conflict, Refused, Unavailable),
)
def complete_upload(
    upload_id: UUID, caller: MayUpload, session: Writing, blobs: Blobs, settings: Configured
) -> ArtifactOut:
    """Join the parts into an artifact; completing twice gives the same one."""
    row, made = parts.complete(session, blobs, UploadId(upload_id), settings.scratch_dir)
    if made:
        audit(session, caller, "artifact.received", "artifact", row.id, {"name": row.name, "bytes": row.size_bytes})
    return _told(session, [row])[0]


@router.delete("/uploads/{upload_id}", operation_id="uploads:abandon", status_code=204, responses=problems(NotFound))
def abandon_upload(upload_id: UUID, caller: MayUpload, session: Writing, blobs: Blobs) -> None:
    """Forget an unfinished upload and its parts."""
    keys = parts.abandon(session, UploadId(upload_id))
    session.flush()  # a row that can not go must keep its bytes
    blobs.delete(keys)
