"""Build uploads of CI: files and metadata, addressed by service name and commit instead of a build ID."""

from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any
from uuid import UUID

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import StringConstraints, ValidationError

from slowpath.core.db_sessions import WriteSession
from slowpath.core.errors import Conflict, InvalidRequest, NotFound, TooLarge, Unavailable
from slowpath.core.ids import ArtifactId, BuildId
from slowpath.core.ports import BlobStore
from slowpath.evidence.artifacts.endpoints.upload_bodies import (
    BUILD_HAS_ROOM,
    RAW_BODY,
    BuildBody,
    IdempotencyKey,
    MultipartForm,
    get_size_limits,
    make_artifact_outs,
    make_received_file,
    parse_run_metadata,
    read_multipart_form,
)
from slowpath.evidence.artifacts.errors import MalformedBody
from slowpath.evidence.artifacts.rules import clean_name
from slowpath.evidence.artifacts.schemas import ArtifactOut, BuildMetadataIn, BuildQuery, BuildUploadOut
from slowpath.evidence.artifacts.service import artifact_ingest, artifacts
from slowpath.evidence.artifacts.service.artifact_ingest import ArtifactLabels
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.endpoints.metadata_sender import make_metadata_sender
from slowpath.inventory.catalog.schemas.catalog_entries import BuildOut
from slowpath.inventory.catalog.tables import Build
from slowpath.platform.accounts.access import Caller, MaySend
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.json_shape import check_json_shape
from slowpath.platform.http.openapi_description import BINARY
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_bodies import SpooledBody, limit_body, reject_oversized_content_length
from slowpath.platform.http.request_dependencies import Blobs, Writing
from slowpath.platform.http.request_dependencies import settings as settings_of
from slowpath.platform.jobs import service as work

router = APIRouter(prefix="/api/v1/builds", tags=["builds"])

FACTS_BYTES = 2 << 20
"""A build with 5,000 dependencies with names of maximum length has 2 MB."""
FACTS_MEMBERS = 20_000
DOCUMENTS = ("build", "go_mod")
SIDECARS = (".metadata.json", ".facts.json")
"""Suffixes of sidecar files with run metadata; the second is deprecated."""
MAX_ECHO = 200
PLAIN = r"^[^\x00-\x1f]*$"

ServiceName = Annotated[
    str,
    Path(description="name of the service; created if it does not exist"),
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=PLAIN),
]
Commit = Annotated[str, Path(), StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=PLAIN)]
KNOWN: dict[int | str, dict[str, Any]] = {
    200: {"model": ArtifactOut, "description": "The build already has these bytes"}
}
UNCHANGED: dict[int | str, dict[str, Any]] = {
    200: {"model": BuildUploadOut, "description": "The request had no new data"}
}
FACTS_SCHEMA = BuildMetadataIn.model_json_schema(ref_template="#/components/schemas/{model}")
FACTS_SCHEMA.pop("$defs", None)
BUILD_BODY = {
    "requestBody": {
        "content": {
            "application/json": {"schema": FACTS_SCHEMA},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "build": {
                            "type": "string",
                            "description": "JSON with the same fields as an application/json body",
                        },
                        "go_mod": {"type": "string", "description": "go.mod"},
                        "file": {"type": "array", "items": BINARY},
                    },
                }
            },
        }
    }
}


@router.put(
    "/{service}/{commit}/artifacts/{name}",
    operation_id="builds:put-artifact",
    status_code=201,
    dependencies=[BUILD_HAS_ROOM],
    responses={**document_problems(TooLarge, InvalidRequest, NotFound, Conflict, Unavailable), **KNOWN},
    openapi_extra=RAW_BODY,
)
def put_build_artifact(
    service: ServiceName,
    commit: Commit,
    name: str,
    caller: MaySend,
    body: BuildBody,
    query: Annotated[BuildQuery, Query()],
    session: Writing,
    blobs: Blobs,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> ArtifactOut:
    """Upload one artifact of a build as the raw body: `curl -T cpu.pprof ".../builds/ingester/$COMMIT/artifacts/"`."""
    row, made = _put(session, blobs, caller, (service, commit, name), body, query, idempotency_key)
    response.status_code = 201 if made else 200
    return make_artifact_outs(session, [row])[0]


@router.put(
    "/{service}/{commit}/artifacts",
    operation_id="builds:create-artifact",
    status_code=201,
    dependencies=[BUILD_HAS_ROOM],
    responses={**document_problems(TooLarge, InvalidRequest, NotFound, Conflict, Unavailable), **KNOWN},
    openapi_extra=RAW_BODY,
)
def put_unnamed_build_artifact(
    service: ServiceName,
    commit: Commit,
    caller: MaySend,
    body: BuildBody,
    query: Annotated[BuildQuery, Query()],
    session: Writing,
    blobs: Blobs,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> ArtifactOut:
    """Upload one unnamed artifact of a build: `curl -T cpu.pprof ".../builds/ingester/$COMMIT/artifacts"`."""
    name = f"{service} {commit[:12]} {body.sha256[:8]}"
    row, made = _put(session, blobs, caller, (service, commit, name), body, query, idempotency_key)
    response.status_code = 201 if made else 200
    return make_artifact_outs(session, [row])[0]


def _put(
    session: WriteSession,
    blobs: BlobStore,
    caller: Caller,
    named: tuple[str, str, str],
    body: SpooledBody,
    query: BuildQuery,
    key: str | None,
) -> tuple[Artifact, bool]:
    service, commit, name = named
    facts = parse_run_metadata(query.run_metadata)
    new = False

    def make() -> UUID:
        nonlocal new
        build = _upsert_build(session, caller, service, commit, query.columns())
        labels = ArtifactLabels(name, query.batch, BuildId(build.id), facts)
        row, new = artifact_ingest.ingest_file_once(session, blobs, make_received_file(body), labels)
        if new:
            _record_received(session, caller, row)
        return row.id

    asked = {
        "named": [service, commit, clean_name(name)],
        "sha256": body.sha256,
        "query": query.model_dump(mode="json"),
    }
    artifact_id = work.run_idempotent(session, "builds:put-artifact", key, asked, make)
    return artifacts.get_artifact(session, ArtifactId(artifact_id)), new


class _BuildUpload:
    """Metadata of a build and the files of the same request."""

    def __init__(self, metadata: BuildMetadataIn, form: MultipartForm | None) -> None:
        self.metadata = metadata
        self.form = form or MultipartForm([], {})
        self.sidecars = {
            name.removesuffix(suffix): parse_run_metadata(_text(file))
            for name, file in self.form.files
            for suffix in SIDECARS
            if name.endswith(suffix)
        }
        self.files = [(name, file) for name, file in self.form.files if not name.endswith(SIDECARS)]

    def run_metadata_of(self, name: str) -> dict[str, Any]:
        """Return the run metadata of the file's sidecar, or else the load of the build."""
        load = self.metadata.load.model_dump(exclude_none=True) if self.metadata.load else {}
        return self.sidecars.get(name, load)


async def _sent(request: Request, _caller: MaySend) -> AsyncIterator[_BuildUpload]:
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind == "multipart/form-data":
        async with read_multipart_form(request, DOCUMENTS, field_bytes=FACTS_BYTES) as form:
            texts = {part: _text(file) for part, file in form.documents.items()} | form.fields
            metadata = await to_thread.run_sync(_parse_build_metadata, texts.get("build", ""))
            if metadata.go_mod is None and texts.get("go_mod"):
                metadata = BuildMetadataIn.model_validate({**metadata.model_dump(), "go_mod": texts["go_mod"]})
            yield _BuildUpload(metadata, form)
    elif kind in {"", "application/json"}:
        reject_oversized_content_length(request, FACTS_BYTES)
        body = b"".join([chunk async for chunk in limit_body(request, FACTS_BYTES)])
        yield _BuildUpload(await to_thread.run_sync(_parse_build_metadata, _decoded(body)), None)
    else:
        raise MalformedBody(
            f"The content type {kind[:100]} is not supported.",
            remedy="Send application/json, or multipart/form-data with files and a part named build.",
        )


def _text(file: SpooledBody) -> str:
    if file.size_bytes > FACTS_BYTES:
        raise MalformedBody(
            "A text part exceeds the size limit.", limit=FACTS_BYTES, actual=file.size_bytes, unit="bytes"
        )
    return _decoded(file.path.read_bytes())


def _decoded(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise MalformedBody("A text in the body is not valid UTF-8.", remedy="Send UTF-8.") from error


def _parse_build_metadata(text: str) -> BuildMetadataIn:
    check_json_shape(text.encode("utf-8", "surrogatepass"), FACTS_MEMBERS)
    try:
        return BuildMetadataIn.model_validate_json(text) if text.strip() else BuildMetadataIn()
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(str(part) for part in first["loc"])[:MAX_ECHO]
        raise MalformedBody(
            f"The build metadata is not valid: {at or 'build'}: {first['msg'][:MAX_ECHO]}",
            remedy='Send a JSON object such as {"branch": "main", "parent": "4f2c…", "go_version": "go1.26.8"}.',
        ) from error


@router.post(
    "/{service}/{commit}",
    operation_id="builds:record",
    status_code=201,
    responses={**document_problems(TooLarge, InvalidRequest, NotFound, Conflict, Unavailable), **UNCHANGED},
    openapi_extra=BUILD_BODY,
)
def upload_build(
    service: ServiceName,
    commit: Commit,
    caller: MaySend,
    request: Request,
    sent: Annotated[_BuildUpload, Depends(_sent)],
    session: Writing,
    blobs: Blobs,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> BuildUploadOut:
    """Upload build metadata, with or without artifacts. Repeated data is ignored; later data is merged."""
    if sent.files:
        artifact_ingest.require_storage_quota(session, settings_of(request).max_team_bytes)
    for name, file in sent.files:
        limit = artifact_ingest.limit_of_file(file.path, get_size_limits(settings_of(request)))
        artifact_ingest.validate_file_size(name, file.size_bytes, limit)
    new: list[bool] = []

    def make() -> UUID:
        build = _upsert_build(session, caller, service, commit, sent.metadata.columns(), on_result=new.append)
        for name, file in sent.files:
            labels = ArtifactLabels(name, None, BuildId(build.id), sent.run_metadata_of(name))
            row, made = artifact_ingest.ingest_file_once(session, blobs, make_received_file(file), labels)
            if made:
                _record_received(session, caller, row)
            new.append(made)
        return build.id

    hashes = [file.sha256 for _, file in sent.files]
    asked = {"named": [service, commit], "metadata": sent.metadata.model_dump(mode="json"), "files": hashes}
    key = idempotency_key or sent.metadata.delivery_id
    build_id = BuildId(work.run_idempotent(session, "builds:record", key, asked, make))
    response.status_code = 201 if any(new) else 200
    return BuildUploadOut(
        build=BuildOut.model_validate(catalog.build(session, build_id)),
        artifacts=make_artifact_outs(session, artifacts.get_artifacts_by_hash(session, build_id, hashes)),
    )


def _upsert_build(
    session: WriteSession,
    caller: Caller,
    service: str,
    commit: str,
    columns: dict[str, Any],
    on_result: Callable[[bool], object] = bool,
) -> Build:
    build, made = catalog.upsert_build(session, service, commit, columns, by=make_metadata_sender(caller))
    if made:
        record_audit_event(session, caller, "build.created", "build", build.id, {"commit": build.commit})
    on_result(made)
    return build


def _record_received(session: WriteSession, caller: Caller, row: Artifact) -> None:
    record_audit_event(
        session, caller, "artifact.received", "artifact", row.id, {"name": row.name, "bytes": row.size_bytes}
    )
