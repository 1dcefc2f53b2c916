"""How files arrive: as the body itself, as parts of a form, or as a part of a file; always on disk, never in memory."""

import re
from collections.abc import AsyncIterator, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Header, Request
from pydantic import ValidationError

from slowpath.accounts.access import Caller, MaySend, MayUpload
from slowpath.core.ids import BuildId, JobId
from slowpath.core.sessions import Database, ReadSession, Scope
from slowpath.core.settings import Settings
from slowpath.uploads.endpoints.forms import FormReader
from slowpath.uploads.errors import BodyNotUnderstood
from slowpath.uploads.rules import SizeLimits
from slowpath.uploads.schemas import ArtifactOut, FactsIn, artifact_out
from slowpath.uploads.service.receiving import Labels, ReceivedFile, refuse_full
from slowpath.uploads.tables import Artifact
from slowpath.web.bodies import Spooled, counted, refuse_declared, spool
from slowpath.web.sessions import Configured, DatabaseOf
from slowpath.web.sessions import settings as settings_of
from slowpath.work import service as work

MAX_FIELD_BYTES = 64 * 1024
MULTIPART_FACTOR = 4
"""A multipart body may be this many times as large as one artifact may be."""

STREAMED = re.compile(
    r"(PUT|POST) /api/v1/(artifacts(/[^/]*)?|uploads/[^/]*/parts/[^/]*|builds/[^/]*/[^/]*(/artifacts(/[^/]*)?)?)"
)
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


def facts_of(text: str | None) -> dict[str, Any]:
    """Return facts from the JSON of a query or a field. Raises `BodyNotUnderstood`."""
    if not text:
        return {}
    try:
        return FactsIn.model_validate_json(text).model_dump(exclude_none=True)
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(str(part) for part in first["loc"])
        raise BodyNotUnderstood(
            f"The facts are not understood: {at or 'facts'}: {first['msg']}.",
            remedy='Send a JSON object such as {"requests": 14000, "wall_ns": 10000000000, "go_version": "go1.26.8"}.',
        ) from error


def sizes_of(settings: Settings) -> SizeLimits:
    """Return what files may weigh here."""
    return SizeLimits(settings.max_artifact_bytes, settings.max_trace_bytes)


async def _raw_body(request: Request, _caller: MayUpload) -> AsyncIterator[Spooled]:
    async with _spooled(request) as spooled:
        yield spooled


async def _build_body(request: Request, _caller: MaySend) -> AsyncIterator[Spooled]:
    async with _spooled(request) as spooled:
        yield spooled


def _spooled(request: Request) -> AbstractAsyncContextManager[Spooled]:
    settings = settings_of(request)
    sizes = sizes_of(settings)
    return spool(request, sizes.largest, settings.scratch_dir, sizes.of)


async def _part_body(request: Request, _caller: MayUpload) -> AsyncIterator[Spooled]:
    settings = settings_of(request)
    async with spool(request, settings.part_bytes, settings.scratch_dir) as spooled:
        yield spooled


class Form:
    """A multipart body on disk: its files, and the labels they share."""

    def __init__(
        self, files: list[tuple[str, Spooled]], fields: dict[str, str], documents: dict[str, Spooled] | None = None
    ) -> None:
        """Keep what was found; `documents` are files that are no artifacts, by the name of their part."""
        self.files = files
        self.fields = fields
        self.documents = documents or {}

    def labels(self, name: str) -> Labels:
        """Return what was said of a file. Raises `BodyNotUnderstood`."""
        facts = facts_of(self.fields.get("facts"))
        build = self._id("build_id")
        return Labels(name, self._id("batch"), BuildId(build) if build else None, facts)

    def _id(self, field: str) -> UUID | None:
        text = self.fields.get(field)
        try:
            return UUID(text) if text else None
        except ValueError as error:
            raise BodyNotUnderstood(f"The field {field} is not an id.", remedy="Send a UUID.") from error


async def _form_body(request: Request, _caller: MayUpload) -> AsyncIterator[Form]:
    async with form_of(request) as form:
        if not form.files:
            raise BodyNotUnderstood("The body holds no file.", remedy="Send files as parts named file.")
        yield form


@asynccontextmanager
async def form_of(
    request: Request, documents: Collection[str] = (), *, field_bytes: int = MAX_FIELD_BYTES
) -> AsyncIterator[Form]:
    """Give a form on disk. Files of parts named in `documents` are told apart. Raises `BodyNotUnderstood`, `TooLarge`."""
    settings = settings_of(request)
    limit = max(settings.max_artifact_bytes * MULTIPART_FACTOR, sizes_of(settings).largest)
    refuse_declared(request, limit)
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise BodyNotUnderstood(
            "The body is not multipart/form-data.", remedy="Send files as parts named file, or PUT /artifacts/{name}."
        )
    reader = FormReader(request.headers["content-type"], settings.scratch_dir, field_bytes)
    try:
        await reader.read(counted(request, limit))
        yield Form(
            [(name, file) for part, name, file in reader.files if part not in documents],
            reader.fields,
            {part: file for part, _, file in reader.files if part in documents},
        )
    finally:
        reader.close()


RawBody = Annotated[Spooled, Depends(_raw_body)]
BuildBody = Annotated[Spooled, Depends(_build_body)]
"""As `RawBody`, of who may tell builds."""
PartBody = Annotated[Spooled, Depends(_part_body)]
FormBody = Annotated[Form, Depends(_form_body)]


def file_of(spooled: Spooled) -> ReceivedFile:
    """Return a body as what the service takes."""
    return ReceivedFile(spooled.path, spooled.size_bytes, spooled.sha256)


def artifacts_told(session: ReadSession, rows: list[Artifact]) -> list[ArtifactOut]:
    """Tell artifacts with how far their jobs are, in one query."""
    jobs = work.by_id(session, [JobId(row.job_id) if row.job_id else None for row in rows])
    return [artifact_out(row, jobs.get(JobId(row.job_id)) if row.job_id else None) for row in rows]


def _room(caller: MayUpload, database: DatabaseOf, settings: Configured) -> None:
    """Refuse before a byte of the body is read when the team is full."""
    _refuse_full(caller, database, settings)


def _room_for_build(caller: MaySend, database: DatabaseOf, settings: Configured) -> None:
    _refuse_full(caller, database, settings)


def _refuse_full(caller: Caller, database: Database, settings: Settings) -> None:
    if settings.max_team_bytes:
        with database.reading(Scope(caller.team_id, caller.user_id)) as session:
            refuse_full(session, settings.max_team_bytes)


HAS_ROOM = Depends(_room)
BUILD_HAS_ROOM = Depends(_room_for_build)
