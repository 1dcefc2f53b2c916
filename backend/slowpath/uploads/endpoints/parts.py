"""Files that come in parts, over HTTP."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.accounts.access import MayUpload
from slowpath.accounts.service import audit
from slowpath.core.errors import Conflict, NotFound, Refused, TooLarge, Unavailable
from slowpath.core.ids import BuildId, UploadId
from slowpath.uploads.endpoints.bodies import (
    HAS_ROOM,
    RAW_BODY,
    IdempotencyKey,
    PartBody,
    artifacts_told,
    file_of,
    sizes_of,
)
from slowpath.uploads.rules import clean_name
from slowpath.uploads.schemas import ArtifactOut, PartOut, UploadIn, UploadOut, upload_out
from slowpath.uploads.service import parts, reading
from slowpath.uploads.service.receiving import Labels
from slowpath.web.body_limits import KIB, body_up_to
from slowpath.web.problems import problems
from slowpath.web.sessions import Blobs, Configured, Now, Reading, Writing
from slowpath.work import service as work

router = APIRouter(prefix="/api/v1", tags=["artifacts"])


@router.post(
    "/uploads",
    operation_id="uploads:begin",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    dependencies=[HAS_ROOM],
    responses=problems(TooLarge, Refused, NotFound),
)
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
    reading.check_build(session, build_id, caller)
    labels = Labels(clean_name(wanted.name), wanted.batch, build_id, wanted.facts.model_dump(exclude_none=True))
    limits = parts.Limits(sizes_of(settings), settings.part_bytes)

    def make() -> UUID:
        return parts.begin(session, labels, wanted.size_bytes, limits, clock.now()).id

    asked = wanted.model_dump(mode="json")
    upload_id = UploadId(work.once(session, "uploads:begin", idempotency_key, asked, make))
    return upload_out(*parts.look(session, upload_id))


@router.get("/uploads/{upload_id}", operation_id="uploads:get", responses=problems(NotFound))
def get_upload(upload_id: UUID, caller: MayUpload, session: Reading) -> UploadOut:
    """Return which parts have arrived, to go on after a break."""
    return upload_out(*parts.look_own(session, UploadId(upload_id), caller))


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
    parts.look_own(session, UploadId(upload_id), caller)
    part = parts.add_part(session, blobs, UploadId(upload_id), number, file_of(body), sizes=sizes_of(settings))
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
    parts.look_own(session, UploadId(upload_id), caller)
    row, made = parts.complete(session, blobs, UploadId(upload_id), settings.scratch_dir)
    if made:
        audit(session, caller, "artifact.received", "artifact", row.id, {"name": row.name, "bytes": row.size_bytes})
    return artifacts_told(session, [row])[0]


@router.delete("/uploads/{upload_id}", operation_id="uploads:abandon", status_code=204, responses=problems(NotFound))
def abandon_upload(upload_id: UUID, caller: MayUpload, session: Writing, blobs: Blobs) -> None:
    """Forget an unfinished upload and its parts."""
    parts.look_own(session, UploadId(upload_id), caller)
    keys = parts.abandon(session, UploadId(upload_id))
    session.flush()  # a row that can not go must keep its bytes
    blobs.delete(keys)
