"""HTTP endpoints of multipart uploads."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.core.errors import Conflict, InvalidRequest, NotFound, TooLarge, Unavailable
from slowpath.core.ids import BuildId, UploadId
from slowpath.evidence.artifacts.endpoints.upload_bodies import (
    HAS_ROOM,
    RAW_BODY,
    IdempotencyKey,
    PartBody,
    get_size_limits,
    make_artifact_outs,
    make_received_file,
)
from slowpath.evidence.artifacts.rules import clean_name
from slowpath.evidence.artifacts.schemas import (
    ArtifactOut,
    MultipartUploadIn,
    MultipartUploadOut,
    UploadPartOut,
    make_upload_out,
)
from slowpath.evidence.artifacts.service import artifacts, multipart_uploads
from slowpath.evidence.artifacts.service.artifact_ingest import ArtifactLabels
from slowpath.platform.accounts.access import MayUpload
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Blobs, Configured, Now, Reading, Writing
from slowpath.platform.jobs import service as work

router = APIRouter(prefix="/api/v1", tags=["artifacts"])


@router.post(
    "/uploads",
    operation_id="uploads:create",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    dependencies=[HAS_ROOM],
    responses=document_problems(TooLarge, InvalidRequest, NotFound),
)
def begin_upload(
    body: MultipartUploadIn,
    caller: MayUpload,
    session: Writing,
    clock: Now,
    settings: Configured,
    idempotency_key: IdempotencyKey = None,
) -> MultipartUploadOut:
    """Start a multipart upload."""
    build_id = BuildId(body.build_id) if body.build_id else None
    artifacts.require_visible_build(session, build_id, caller)
    labels = ArtifactLabels(
        clean_name(body.name), body.batch, build_id, body.run_metadata.model_dump(exclude_none=True)
    )
    limits = multipart_uploads.MultipartLimits(get_size_limits(settings), settings.part_bytes)

    def make() -> UUID:
        return multipart_uploads.begin_upload(session, labels, body.size_bytes, limits, clock.now()).id

    asked = body.model_dump(mode="json")
    upload_id = UploadId(work.run_idempotent(session, "uploads:create", idempotency_key, asked, make))
    return make_upload_out(*multipart_uploads.get_upload(session, upload_id))


@router.get("/uploads/{upload_id}", operation_id="uploads:get", responses=document_problems(NotFound))
def get_upload(upload_id: UUID, caller: MayUpload, session: Reading) -> MultipartUploadOut:
    """Return an upload and its received parts, to resume after an interruption."""
    return make_upload_out(*multipart_uploads.get_own_upload(session, UploadId(upload_id), caller))


@router.put(
    "/uploads/{upload_id}/parts/{number}",
    operation_id="uploads:put-part",
    responses=document_problems(NotFound, InvalidRequest, Conflict, TooLarge, Unavailable),
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
) -> UploadPartOut:
    """Upload one part; sending it again replaces it."""
    multipart_uploads.get_own_upload(session, UploadId(upload_id), caller)
    part = multipart_uploads.add_part(
        session, blobs, UploadId(upload_id), number, make_received_file(body), sizes=get_size_limits(settings)
    )
    return UploadPartOut(number=part.number, size_bytes=part.size_bytes, sha256=part.sha256)


@router.post(
    "/uploads/{upload_id}/complete",
    operation_id="uploads:complete",
    status_code=201,
    responses=document_problems(NotFound, Conflict, InvalidRequest, Unavailable),
)
def complete_upload(
    upload_id: UUID, caller: MayUpload, session: Writing, blobs: Blobs, settings: Configured
) -> ArtifactOut:
    """Join the parts into an artifact; completing again returns the same artifact."""
    multipart_uploads.get_own_upload(session, UploadId(upload_id), caller)
    row, made = multipart_uploads.complete_upload(session, blobs, UploadId(upload_id), settings.scratch_dir)
    if made:
        record_audit_event(
            session, caller, "artifact.received", "artifact", row.id, {"name": row.name, "bytes": row.size_bytes}
        )
    return make_artifact_outs(session, [row])[0]


@router.delete(
    "/uploads/{upload_id}", operation_id="uploads:delete", status_code=204, responses=document_problems(NotFound)
)
def abandon_upload(upload_id: UUID, caller: MayUpload, session: Writing) -> None:
    """Delete an unfinished upload and its parts."""
    multipart_uploads.get_own_upload(session, UploadId(upload_id), caller)
    multipart_uploads.abort_upload(session, UploadId(upload_id))
