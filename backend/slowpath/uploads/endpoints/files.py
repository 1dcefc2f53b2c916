"""Files over HTTP, whole: raw or as parts of a form."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import StreamingResponse

from slowpath.accounts.access import MayRead, MayUpload, MayWait, MayWrite
from slowpath.accounts.service import audit
from slowpath.core.errors import Conflict, NotFound, Refused, TooLarge, Unavailable
from slowpath.core.ids import ArtifactId, BuildId, TeamId
from slowpath.uploads.endpoints.bodies import (
    BYTES,
    FORM_BODY,
    HAS_ROOM,
    RAW_BODY,
    FormBody,
    IdempotencyKey,
    RawBody,
    artifacts_told,
    facts_of,
    file_of,
    sizes_of,
)
from slowpath.uploads.rules import clean_name
from slowpath.uploads.schemas import MAX_FACTS_LETTERS, ArtifactChange, ArtifactOut, ArtifactStateName
from slowpath.uploads.service import reading, receiving
from slowpath.uploads.service.receiving import Labels
from slowpath.web.bodies import Spooled
from slowpath.web.body_limits import KIB, body_up_to
from slowpath.web.downloads import attachment
from slowpath.web.own_answers import FREEZABLE
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Blobs, Reading, Writing
from slowpath.web.sessions import settings as settings_of
from slowpath.work import service as work

router = APIRouter(prefix="/api/v1", tags=["artifacts"])


@router.put(
    "/artifacts/{name}",
    operation_id="artifacts:put",
    status_code=201,
    dependencies=[HAS_ROOM],
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
    labels = Labels(name, batch, BuildId(build_id) if build_id else None, facts_of(facts))
    reading.check_build(session, labels.build_id, caller)

    def make() -> UUID:
        row, made = receiving.receive_once(session, blobs, file_of(body), labels)
        if made:
            audit(session, caller, "artifact.received", "artifact", row.id, {"name": row.name, "bytes": row.size_bytes})
        return row.id

    asked = {"name": clean_name(name), "sha256": body.sha256, "build_id": build_id, "batch": batch, "facts": facts}
    artifact_id = work.once(session, "artifacts:put", idempotency_key, asked, make)
    return artifacts_told(session, [reading.find(session, ArtifactId(artifact_id))])[0]


@router.post(
    "/artifacts",
    operation_id="artifacts:post",
    status_code=201,
    dependencies=[HAS_ROOM],
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
    sizes = sizes_of(settings_of(request))
    all_hashes = [spooled.sha256 for _, spooled in body.files]
    for name, spooled in body.files:
        receiving.refuse_large(name, spooled.size_bytes, receiving.limit_of_file(spooled.path, sizes))
    rows = []
    for number, (name, spooled) in enumerate(body.files):
        labels = body.labels(name)
        reading.check_build(session, labels.build_id, caller)

        def make(spooled: Spooled = spooled, labels: Labels = labels) -> UUID:
            row, new = receiving.receive_once(session, blobs, file_of(spooled), labels)
            if new:
                audit(
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
        rows.append(reading.find(session, ArtifactId(work.once(session, "artifacts:post", key, asked, make))))
    return artifacts_told(session, rows)


@router.get("/artifacts", operation_id="artifacts:list", openapi_extra=FREEZABLE, responses=problems(Refused))
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
    told = dict(zip((row.id for row in rows), artifacts_told(session, rows), strict=True))
    return paging.page(rows, lambda row: told[row.id], lambda row: (row.created_at, row.id))


@router.get(
    "/artifacts/{artifact_id}", operation_id="artifacts:get", openapi_extra=FREEZABLE, responses=problems(NotFound)
)
def get_artifact(artifact_id: UUID, caller: MayWait, session: Reading) -> ArtifactOut:
    """Return one artifact. A token that only uploads sees those that it sent, and those of builds it has a part in."""
    return artifacts_told(session, [reading.find_seen(session, ArtifactId(artifact_id), caller)])[0]


@router.patch(
    "/artifacts/{artifact_id}",
    operation_id="artifacts:change",
    openapi_extra=body_up_to(64 * KIB),
    responses=problems(NotFound, Refused),
)
def change_artifact(artifact_id: UUID, change: ArtifactChange, caller: MayWrite, session: Writing) -> ArtifactOut:
    """Correct the facts or the build of an artifact."""
    facts = change.facts.model_dump(exclude_none=True) if change.facts is not None else None
    build_id = BuildId(change.build_id) if change.build_id else None
    row = reading.change(session, ArtifactId(artifact_id), facts=facts, build_id=build_id)
    audit(session, caller, "artifact.changed", "artifact", row.id, change.model_dump(mode="json", exclude_none=True))
    return artifacts_told(session, [row])[0]


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
def retry_artifact(artifact_id: UUID, caller: MayWrite, session: Writing) -> ArtifactOut:
    """Decode a refused or failed artifact again."""
    row = reading.try_again(session, ArtifactId(artifact_id))
    audit(session, caller, "artifact.retried", "artifact", row.id, {"name": row.name})
    return artifacts_told(session, [row])[0]
