"""Bodies of uploads: raw, multipart form, or one part of a file; spooled to disk, never held in memory."""

import re
from collections.abc import AsyncIterator, Collection
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Header, Request
from pydantic import ValidationError

from slowpath.core.db_sessions import Database, ReadSession, TeamScope
from slowpath.core.ids import BuildId, JobId
from slowpath.core.settings import Settings
from slowpath.evidence.artifacts.endpoints.forms import FormReader
from slowpath.evidence.artifacts.errors import MalformedBody
from slowpath.evidence.artifacts.rules import SizeLimits
from slowpath.evidence.artifacts.schemas import ArtifactOut, RunMetadataIn, make_artifact_out
from slowpath.evidence.artifacts.service.artifact_ingest import ArtifactLabels, ReceivedFile, require_storage_quota
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.platform.accounts.access import Caller, MaySend, MayUpload
from slowpath.platform.http.openapi_description import BINARY, OCTETS
from slowpath.platform.http.request_bodies import (
    SpooledBody,
    close_off_loop,
    limit_body,
    reject_oversized_content_length,
    spool_body,
)
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf
from slowpath.platform.http.request_dependencies import settings as settings_of
from slowpath.platform.jobs import service as work

MAX_FIELD_BYTES = 64 * 1024
MULTIPART_FACTOR = 4
"""Limit of a multipart body, as a multiple of the artifact limit."""

STREAMED = re.compile(
    r"(PUT|POST) /api/v1/(artifacts(/[^/]*)?|uploads/[^/]*/parts/[^/]*|builds/[^/]*/[^/]*(/artifacts(/[^/]*)?)?)"
)
"""Requests whose bodies are spooled to disk."""

IdempotencyKey = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]
RAW_BODY = {"requestBody": {"required": True, "content": {OCTETS: {"schema": BINARY}}}}
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
                        "run_metadata": {
                            "type": "string",
                            "description": "run metadata as JSON, for all files of this body",
                        },
                        "build_id": {"type": "string", "format": "uuid"},
                        "batch": {"type": "string", "format": "uuid"},
                    },
                }
            }
        },
    }
}


def parse_run_metadata(text: str | None) -> dict[str, Any]:
    """Parse run metadata from the JSON of a query or a field. Raises `MalformedBody`."""
    if not text:
        return {}
    try:
        return RunMetadataIn.model_validate_json(text).model_dump(exclude_none=True)
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(str(part) for part in first["loc"])
        raise MalformedBody(
            f"The run metadata is not valid: {at or 'run_metadata'}: {first['msg']}.",
            remedy='Send a JSON object such as {"requests": 14000, "wall_ns": 10000000000, "go_version": "go1.26.8"}.',
        ) from error


def get_size_limits(settings: Settings) -> SizeLimits:
    """Return the configured size limits of files."""
    return SizeLimits(settings.max_artifact_bytes, settings.max_trace_bytes)


async def _raw_body(request: Request, _caller: MayUpload) -> AsyncIterator[SpooledBody]:
    async with _spooled(request) as spooled:
        yield spooled


async def _build_body(request: Request, _caller: MaySend) -> AsyncIterator[SpooledBody]:
    async with _spooled(request) as spooled:
        yield spooled


def _spooled(request: Request) -> AbstractAsyncContextManager[SpooledBody]:
    settings = settings_of(request)
    sizes = get_size_limits(settings)
    return spool_body(request, sizes.largest, settings.scratch_dir, sizes.of)


async def _part_body(request: Request, _caller: MayUpload) -> AsyncIterator[SpooledBody]:
    settings = settings_of(request)
    async with spool_body(request, settings.part_bytes, settings.scratch_dir) as spooled:
        yield spooled


class MultipartForm:
    """A multipart body on disk: its files and the fields they share."""

    def __init__(
        self,
        files: list[tuple[str, SpooledBody]],
        fields: dict[str, str],
        documents: dict[str, SpooledBody] | None = None,
    ) -> None:
        """Store the parts; `documents` are files that are not artifacts, by part name."""
        self.files = files
        self.fields = fields
        self.documents = documents or {}

    def labels(self, name: str) -> ArtifactLabels:
        """Return the labels of a file. Raises `MalformedBody`."""
        facts = parse_run_metadata(self.fields.get("run_metadata") or self.fields.get("facts"))  # its former name
        build = self._id("build_id")
        return ArtifactLabels(name, self._id("batch"), BuildId(build) if build else None, facts)

    def _id(self, field: str) -> UUID | None:
        text = self.fields.get(field)
        try:
            return UUID(text) if text else None
        except ValueError as error:
            raise MalformedBody(f"The field {field} is not a UUID.", remedy="Send a UUID.") from error


async def _form_body(request: Request, _caller: MayUpload) -> AsyncIterator[MultipartForm]:
    async with read_multipart_form(request) as form:
        if not form.files:
            raise MalformedBody("The body contains no file.", remedy="Send files as parts named file.")
        yield form


@asynccontextmanager
async def read_multipart_form(
    request: Request, documents: Collection[str] = (), *, field_bytes: int = MAX_FIELD_BYTES
) -> AsyncIterator[MultipartForm]:
    """Provide a form on disk, with the parts named in `documents` apart. Raises `MalformedBody`, `TooLarge`."""
    settings = settings_of(request)
    limit = max(settings.max_artifact_bytes * MULTIPART_FACTOR, get_size_limits(settings).largest)
    reject_oversized_content_length(request, limit)
    if not request.headers.get("content-type", "").startswith("multipart/form-data"):
        raise MalformedBody(
            "The body is not multipart/form-data.", remedy="Send files as parts named file, or PUT /artifacts/{name}."
        )
    reader = FormReader(request.headers["content-type"], settings.scratch_dir, field_bytes)
    try:
        await reader.read(limit_body(request, limit))
        yield MultipartForm(
            [(name, file) for part, name, file in reader.files if part not in documents],
            reader.fields,
            {part: file for part, _, file in reader.files if part in documents},
        )
    finally:
        await close_off_loop(reader)


RawBody = Annotated[SpooledBody, Depends(_raw_body)]
BuildBody = Annotated[SpooledBody, Depends(_build_body)]
"""Like `RawBody`, for callers with the permission to send builds."""
PartBody = Annotated[SpooledBody, Depends(_part_body)]
FormBody = Annotated[MultipartForm, Depends(_form_body)]


def make_received_file(spooled: SpooledBody) -> ReceivedFile:
    """Return a spooled body as a `ReceivedFile`."""
    return ReceivedFile(spooled.path, spooled.size_bytes, spooled.sha256)


def make_artifact_outs(session: ReadSession, rows: list[Artifact]) -> list[ArtifactOut]:
    """Return the wire shapes of artifacts with the progress of their jobs, in one query."""
    jobs = work.get_jobs_by_id(session, [JobId(row.job_id) if row.job_id else None for row in rows])
    return [make_artifact_out(row, jobs.get(JobId(row.job_id)) if row.job_id else None) for row in rows]


def _room(caller: MayUpload, database: DatabaseOf, settings: Configured) -> None:
    """Raise `StorageQuotaExceeded` before the body is read if the quota is used up."""
    _require_quota(caller, database, settings)


def _room_for_build(caller: MaySend, database: DatabaseOf, settings: Configured) -> None:
    _require_quota(caller, database, settings)


def _require_quota(caller: Caller, database: Database, settings: Settings) -> None:
    if settings.max_team_bytes:
        with database.reading(TeamScope(caller.team_id, caller.user_id)) as session:
            require_storage_quota(session, settings.max_team_bytes)


HAS_ROOM = Depends(_room)
BUILD_HAS_ROOM = Depends(_room_for_build)
