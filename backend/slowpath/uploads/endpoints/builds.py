"""What CI sends: files and facts by the name of a service and a commit, without asking for an id first."""

from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any
from uuid import UUID

from anyio import to_thread
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from pydantic import StringConstraints, ValidationError

from slowpath.accounts.access import Caller, MaySend
from slowpath.accounts.service import audit
from slowpath.catalog import service as catalog
from slowpath.catalog.endpoints.telling import teller_of
from slowpath.catalog.schemas.naming import BuildOut
from slowpath.catalog.tables import Build
from slowpath.core.errors import Conflict, NotFound, Refused, TooLarge, Unavailable
from slowpath.core.ids import ArtifactId, BuildId
from slowpath.core.ports import BlobStore
from slowpath.core.sessions import WriteSession
from slowpath.uploads.endpoints.bodies import (
    BINARY,
    BUILD_HAS_ROOM,
    RAW_BODY,
    BuildBody,
    Form,
    IdempotencyKey,
    artifacts_told,
    facts_of,
    file_of,
    form_of,
    sizes_of,
)
from slowpath.uploads.errors import BodyNotUnderstood
from slowpath.uploads.rules import clean_name
from slowpath.uploads.schemas import ArtifactOut, BuildFactsIn, BuildQuery, BuildReceived
from slowpath.uploads.service import reading, receiving
from slowpath.uploads.service.receiving import Labels
from slowpath.uploads.tables import Artifact
from slowpath.web.bodies import Spooled, counted, refuse_declared
from slowpath.web.json_shape import check_json_shape
from slowpath.web.problems import problems
from slowpath.web.sessions import Blobs, Writing
from slowpath.web.sessions import settings as settings_of
from slowpath.work import service as work

router = APIRouter(prefix="/api/v1/builds", tags=["builds"])

FACTS_BYTES = 2 << 20
"""A build with 5,000 dependencies of the longest names is 2 MB."""
FACTS_MEMBERS = 20_000
DOCUMENTS = ("build", "go_mod")
SIDECAR = ".facts.json"
MAX_ECHO = 200
PLAIN = r"^[^\x00-\x1f]*$"

ServiceName = Annotated[
    str,
    Path(description="its name; one that is not known is made"),
    StringConstraints(strip_whitespace=True, min_length=1, max_length=100, pattern=PLAIN),
]
Commit = Annotated[str, Path(), StringConstraints(strip_whitespace=True, min_length=1, max_length=200, pattern=PLAIN)]
KNOWN: dict[int | str, dict[str, Any]] = {200: {"model": ArtifactOut, "description": "The build had these bytes"}}
TOLD: dict[int | str, dict[str, Any]] = {200: {"model": BuildReceived, "description": "Nothing of it was new"}}
FACTS_SCHEMA = BuildFactsIn.model_json_schema(ref_template="#/components/schemas/{model}")
FACTS_SCHEMA.pop("$defs", None)
BUILD_BODY = {
    "requestBody": {
        "content": {
            "application/json": {"schema": FACTS_SCHEMA},
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "build": {"type": "string", "description": "JSON, as the body without files"},
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
    responses={**problems(TooLarge, Refused, NotFound, Conflict, Unavailable), **KNOWN},
    openapi_extra=RAW_BODY,
)
def put_named(
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
    """Receive one file of a build as the raw body: `curl -T cpu.pprof ".../builds/ingester/$COMMIT/artifacts/"`."""
    row, made = _put(session, blobs, caller, (service, commit, name), body, query, idempotency_key)
    response.status_code = 201 if made else 200
    return artifacts_told(session, [row])[0]


@router.put(
    "/{service}/{commit}/artifacts",
    operation_id="builds:put-unnamed-artifact",
    status_code=201,
    dependencies=[BUILD_HAS_ROOM],
    responses={**problems(TooLarge, Refused, NotFound, Conflict, Unavailable), **KNOWN},
    openapi_extra=RAW_BODY,
)
def put_unnamed(
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
    """Receive one file of a build that has no name: `curl -T cpu.pprof ".../builds/ingester/$COMMIT/artifacts"`."""
    name = f"{service} {commit[:12]} {body.sha256[:8]}"
    row, made = _put(session, blobs, caller, (service, commit, name), body, query, idempotency_key)
    response.status_code = 201 if made else 200
    return artifacts_told(session, [row])[0]


def _put(
    session: WriteSession,
    blobs: BlobStore,
    caller: Caller,
    named: tuple[str, str, str],
    body: Spooled,
    query: BuildQuery,
    key: str | None,
) -> tuple[Artifact, bool]:
    service, commit, name = named
    facts = facts_of(query.facts)
    new = False

    def make() -> UUID:
        nonlocal new
        build = _told(session, caller, service, commit, query.columns())
        labels = Labels(name, query.batch, BuildId(build.id), facts)
        row, new = receiving.receive_once(session, blobs, file_of(body), labels)
        if new:
            _audited(session, caller, row)
        return row.id

    asked = {
        "named": [service, commit, clean_name(name)],
        "sha256": body.sha256,
        "query": query.model_dump(mode="json"),
    }
    artifact_id = work.once(session, "builds:put-artifact", key, asked, make)
    return reading.find(session, ArtifactId(artifact_id)), new


class _Sent:
    """Facts of a build, and files that came along."""

    def __init__(self, facts: BuildFactsIn, form: Form | None) -> None:
        self.facts = facts
        self.form = form or Form([], {})
        self.sidecars = {
            name.removesuffix(SIDECAR): facts_of(_text(file))
            for name, file in self.form.files
            if name.endswith(SIDECAR)
        }
        self.files = [(name, file) for name, file in self.form.files if not name.endswith(SIDECAR)]

    def facts_of_file(self, name: str) -> dict[str, Any]:
        """Return the file's own facts, else those of the build's load."""
        load = self.facts.load.model_dump(exclude_none=True) if self.facts.load else {}
        return self.sidecars.get(name, load)


async def _sent(request: Request, _caller: MaySend) -> AsyncIterator[_Sent]:
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind == "multipart/form-data":
        async with form_of(request, DOCUMENTS, field_bytes=FACTS_BYTES) as form:
            said = {part: _text(file) for part, file in form.documents.items()} | form.fields
            facts = await to_thread.run_sync(_build_facts, said.get("build", ""))
            if facts.go_mod is None and said.get("go_mod"):
                facts = BuildFactsIn.model_validate({**facts.model_dump(), "go_mod": said["go_mod"]})
            yield _Sent(facts, form)
    elif kind in {"", "application/json"}:
        refuse_declared(request, FACTS_BYTES)
        body = b"".join([chunk async for chunk in counted(request, FACTS_BYTES)])
        yield _Sent(await to_thread.run_sync(_build_facts, _decoded(body)), None)
    else:
        raise BodyNotUnderstood(
            f"A build is not told as {kind[:100]}.", remedy="Send JSON, or a form with files and a part named build."
        )


def _text(file: Spooled) -> str:
    if file.size_bytes > FACTS_BYTES:
        raise BodyNotUnderstood(
            "A part that should be a text is too large.", limit=FACTS_BYTES, actual=file.size_bytes, unit="bytes"
        )
    return _decoded(file.path.read_bytes())


def _decoded(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise BodyNotUnderstood("A text of the body is not UTF-8.", remedy="Send UTF-8.") from error


def _build_facts(text: str) -> BuildFactsIn:
    check_json_shape(text.encode("utf-8", "surrogatepass"), FACTS_MEMBERS)
    try:
        return BuildFactsIn.model_validate_json(text) if text.strip() else BuildFactsIn()
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(str(part) for part in first["loc"])[:MAX_ECHO]
        raise BodyNotUnderstood(
            f"The facts of the build are not understood: {at or 'build'}: {first['msg'][:MAX_ECHO]}",
            remedy='Send a JSON object such as {"branch": "main", "parent": "4f2c…", "go_version": "go1.26.8"}.',
        ) from error


@router.post(
    "/{service}/{commit}",
    operation_id="builds:tell",
    status_code=201,
    responses={**problems(TooLarge, Refused, NotFound, Conflict, Unavailable), **TOLD},
    openapi_extra=BUILD_BODY,
)
def tell_build(
    service: ServiceName,
    commit: Commit,
    caller: MaySend,
    request: Request,
    sent: Annotated[_Sent, Depends(_sent)],
    session: Writing,
    blobs: Blobs,
    response: Response,
    idempotency_key: IdempotencyKey = None,
) -> BuildReceived:
    """Tell facts of a build, with or without files. What is told twice is once; what is told later completes it."""
    if sent.files:
        receiving.refuse_full(session, settings_of(request).max_team_bytes)
    for name, file in sent.files:
        limit = receiving.limit_of_file(file.path, sizes_of(settings_of(request)))
        receiving.refuse_large(name, file.size_bytes, limit)
    new: list[bool] = []

    def make() -> UUID:
        build = _told(session, caller, service, commit, sent.facts.columns(), note=new.append)
        for name, file in sent.files:
            labels = Labels(name, None, BuildId(build.id), sent.facts_of_file(name))
            row, made = receiving.receive_once(session, blobs, file_of(file), labels)
            if made:
                _audited(session, caller, row)
            new.append(made)
        return build.id

    hashes = [file.sha256 for _, file in sent.files]
    asked = {"named": [service, commit], "facts": sent.facts.model_dump(mode="json"), "files": hashes}
    key = idempotency_key or sent.facts.delivery_id
    build_id = BuildId(work.once(session, "builds:tell", key, asked, make))
    response.status_code = 201 if any(new) else 200
    return BuildReceived(
        build=BuildOut.model_validate(catalog.build(session, build_id)),
        artifacts=artifacts_told(session, reading.of_build_with_bytes(session, build_id, hashes)),
    )


def _told(
    session: WriteSession,
    caller: Caller,
    service: str,
    commit: str,
    columns: dict[str, Any],
    note: Callable[[bool], object] = bool,
) -> Build:
    build, made = catalog.tell_build(session, service, commit, columns, by=teller_of(caller))
    if made:
        audit(session, caller, "build.created", "build", build.id, {"commit": build.commit})
    note(made)
    return build


def _audited(session: WriteSession, caller: Caller, row: Artifact) -> None:
    audit(session, caller, "artifact.received", "artifact", row.id, {"name": row.name, "bytes": row.size_bytes})
