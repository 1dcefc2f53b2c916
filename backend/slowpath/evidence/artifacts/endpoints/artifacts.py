"""HTTP endpoints of artifacts, uploaded as raw bodies or as multipart forms."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from slowpath.core.errors import Conflict, InvalidRequest, NotFound, TooLarge, Unavailable
from slowpath.core.ids import ArtifactId, BuildId, TeamId
from slowpath.evidence.artifacts.endpoints.upload_bodies import (
    FORM_BODY,
    HAS_ROOM,
    RAW_BODY,
    FormBody,
    IdempotencyKey,
    RawBody,
    get_size_limits,
    make_artifact_outs,
    make_received_file,
    parse_run_metadata,
)
from slowpath.evidence.artifacts.rules import clean_name
from slowpath.evidence.artifacts.schemas import MAX_FACTS_LETTERS, ArtifactOut, ArtifactStateName, ArtifactUpdate
from slowpath.evidence.artifacts.service import artifact_ingest, artifacts
from slowpath.evidence.artifacts.service.artifact_ingest import ArtifactLabels
from slowpath.platform.accounts.access import MayRead, MayUpload, MayWait, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.downloads import make_attachment_response
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.openapi_description import FILE
from slowpath.platform.http.pagination import Page, Paging
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_bodies import SpooledBody
from slowpath.platform.http.request_dependencies import Blobs, Reading, Writing
from slowpath.platform.http.request_dependencies import settings as settings_of
from slowpath.platform.jobs import service as work

router = APIRouter(prefix="/api/v1", tags=["artifacts"])


@router.put(
    "/artifacts/{name}",
    operation_id="artifacts:upload",
    status_code=201,
    dependencies=[HAS_ROOM],
    responses=document_problems(TooLarge, InvalidRequest, NotFound, Unavailable),
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
    folder: Annotated[str | None, Query(max_length=1000)] = None,
    run_metadata: Annotated[str | None, Query(max_length=MAX_FACTS_LETTERS)] = None,
    facts: Annotated[str | None, Query(max_length=MAX_FACTS_LETTERS, include_in_schema=False)] = None,
) -> ArtifactOut:
    """Upload one artifact as the raw body: `curl -T cpu.pprof`."""
    sent = run_metadata or facts  # the former name of the parameter
    labels = ArtifactLabels(name, batch, BuildId(build_id) if build_id else None, parse_run_metadata(sent), folder)
    artifacts.require_visible_build(session, labels.build_id, caller)

    def make() -> UUID:
        row, made = artifact_ingest.ingest_file_once(session, blobs, make_received_file(body), labels)
        if made:
            record_audit_event(
                session, caller, "artifact.received", "artifact", row.id, {"name": row.name, "bytes": row.size_bytes}
            )
        return row.id

    asked = {
        "name": clean_name(name),
        "sha256": body.sha256,
        "build_id": build_id,
        "batch": batch,
        "folder": folder,
        "run_metadata": sent,
    }
    artifact_id = work.run_idempotent(session, "artifacts:upload", idempotency_key, asked, make)
    return make_artifact_outs(session, [artifacts.get_artifact(session, ArtifactId(artifact_id))])[0]


@router.post(
    "/artifacts",
    operation_id="artifacts:upload-many",
    status_code=201,
    dependencies=[HAS_ROOM],
    responses=document_problems(TooLarge, InvalidRequest, NotFound, Unavailable),
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
    """Upload up to 200 artifacts as a multipart form. If one is rejected, the request fails and none is stored."""
    sizes = get_size_limits(settings_of(request))
    all_hashes = [spooled.sha256 for _, spooled in body.files]
    for name, spooled in body.files:
        artifact_ingest.validate_file_size(name, spooled.size_bytes, artifact_ingest.limit_of_file(spooled.path, sizes))
    rows = []
    for number, (name, spooled) in enumerate(body.files):
        labels = body.labels(name)
        artifacts.require_visible_build(session, labels.build_id, caller)

        def make(spooled: SpooledBody = spooled, labels: ArtifactLabels = labels) -> UUID:
            row, new = artifact_ingest.ingest_file_once(session, blobs, make_received_file(spooled), labels)
            if new:
                record_audit_event(
                    session,
                    caller,
                    "artifact.received",
                    "artifact",
                    row.id,
                    {"name": row.name, "bytes": row.size_bytes},
                )
            return row.id

        key = f"{idempotency_key}/{number}" if idempotency_key else None
        asked = {"name": clean_name(name), "files": all_hashes, "fields": body.fields}
        rows.append(
            artifacts.get_artifact(
                session, ArtifactId(work.run_idempotent(session, "artifacts:upload-many", key, asked, make))
            )
        )
    return make_artifact_outs(session, rows)


@router.get(
    "/artifacts", operation_id="artifacts:list", openapi_extra=FREEZABLE, responses=document_problems(InvalidRequest)
)
def list_artifacts(
    caller: MayRead,
    session: Reading,
    paging: Paging,
    batch: UUID | None = None,
    state: Annotated[list[ArtifactStateName] | None, Query()] = None,
    kind: Annotated[str | None, Query(max_length=40)] = None,
    build_id: UUID | None = None,
    archive_id: UUID | None = None,
    name: Annotated[str | None, Query(max_length=200, description="text that the name contains")] = None,
) -> Page[ArtifactOut]:
    """List artifacts, newest first."""
    filters = artifacts.ArtifactFilter(
        batch, state or (), kind, BuildId(build_id) if build_id else None, archive_id, name
    )
    rows = list(artifacts.list_artifacts(session, filters, after=paging.after, limit=paging.limit + 1))
    outs = dict(zip((row.id for row in rows), make_artifact_outs(session, rows), strict=True))
    return paging.page(rows, lambda row: outs[row.id], lambda row: (row.created_at, row.id))


@router.get(
    "/artifacts/{artifact_id}",
    operation_id="artifacts:get",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def get_artifact(artifact_id: UUID, caller: MayWait, session: Reading) -> ArtifactOut:
    """Return one artifact. An upload-only token sees its own artifacts and those of builds it sent data of."""
    return make_artifact_outs(session, [artifacts.get_visible_artifact(session, ArtifactId(artifact_id), caller)])[0]


@router.patch(
    "/artifacts/{artifact_id}",
    operation_id="artifacts:update",
    openapi_extra=body_up_to(64 * KIB),
    responses=document_problems(NotFound, InvalidRequest),
)
def change_artifact(artifact_id: UUID, change: ArtifactUpdate, caller: MayWrite, session: Writing) -> ArtifactOut:
    """Update the run metadata or the build of an artifact."""
    facts = change.run_metadata.model_dump(exclude_none=True) if change.run_metadata is not None else None
    build_id = BuildId(change.build_id) if change.build_id else None
    row = artifacts.update_artifact(session, ArtifactId(artifact_id), facts=facts, build_id=build_id)
    record_audit_event(
        session, caller, "artifact.updated", "artifact", row.id, change.model_dump(mode="json", exclude_none=True)
    )
    return make_artifact_outs(session, [row])[0]


@router.delete(
    "/artifacts/{artifact_id}", operation_id="artifacts:delete", status_code=204, responses=document_problems(NotFound)
)
def delete_artifact(artifact_id: UUID, caller: MayWrite, session: Writing) -> None:
    """Delete an artifact and its bytes. Results of comparisons remain."""
    row = artifacts.get_artifact(session, ArtifactId(artifact_id))
    name, keys = row.name, [artifact_ingest.original_key(TeamId(row.team_id), row.sha256)]
    artifacts.delete_artifact(session, ArtifactId(artifact_id), keys)
    record_audit_event(session, caller, "artifact.deleted", "artifact", artifact_id, {"name": name})


@router.get(
    "/artifacts/{artifact_id}/original",
    operation_id="artifacts:original",
    responses={**document_problems(NotFound, Unavailable), **FILE},
    response_class=StreamingResponse,
)
def get_original(artifact_id: UUID, caller: MayRead, session: Reading, blobs: Blobs) -> Response:
    """Return the original bytes, also of an invalid artifact."""
    row = artifacts.get_artifact(session, ArtifactId(artifact_id))
    content = blobs.stream(artifact_ingest.original_key(TeamId(row.team_id), row.sha256))
    return make_attachment_response(content, row.name, size_bytes=row.size_bytes)


@router.post(
    "/artifacts/{artifact_id}/retry", operation_id="artifacts:retry", responses=document_problems(NotFound, Conflict)
)
def retry_artifact(artifact_id: UUID, caller: MayWrite, session: Writing) -> ArtifactOut:
    """Decode an invalid or failed artifact again."""
    row = artifacts.retry_artifact(session, ArtifactId(artifact_id))
    record_audit_event(session, caller, "artifact.retried", "artifact", row.id, {"name": row.name})
    return make_artifact_outs(session, [row])[0]
