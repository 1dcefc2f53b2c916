"""Hooks over HTTP: kept by admins, and sent to by GitHub and GitLab, who are believed by their signature alone."""

import re
from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response

from slowpath.accounts.access import Anyone, MayManage, MayRead, Throttled, client_address
from slowpath.accounts.service import audit
from slowpath.core.errors import (
    AddressRefused,
    Conflict,
    NotFound,
    NotSignedIn,
    Refused,
    TooLarge,
    TooMany,
    Unavailable,
)
from slowpath.core.ids import HookId
from slowpath.core.sessions import Scope
from slowpath.hooks.errors import SignatureWrong, TooManyTries
from slowpath.hooks.rules import MAX_MESSAGE_BYTES, MOST_TRIES, HookKind
from slowpath.hooks.schemas import (
    ApiIn,
    DeliveryOut,
    DeliveryTaken,
    HookChange,
    HookIn,
    HookMade,
    HookOut,
)
from slowpath.hooks.service import keeping, receiving
from slowpath.hooks.service.keeping import Api
from slowpath.hooks.service.receiving import Arrived, FoundHook
from slowpath.web.bodies import Spooled, spool
from slowpath.web.body_limits import KIB, body_up_to
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Configured, DatabaseOf, Now, Reading, Seals, WayOut, Writing
from slowpath.web.sessions import settings as settings_of

router = APIRouter(prefix="/api/v1/hooks", tags=["hooks"])

STREAMED = re.compile(r"POST /api/v1/hooks/[^/]*/(github|gitlab)")
"""The requests whose bodies go to disk as they come."""
ANY_OBJECT = {"requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}}
KNOWN: dict[int | str, dict[str, Any]] = {200: {"model": DeliveryTaken, "description": "The message came before"}}


@router.get("", operation_id="hooks:list", responses=problems(Refused))
def list_hooks(caller: MayRead, session: Reading, settings: Configured, paging: Paging) -> Page[HookOut]:
    """List hooks, newest first."""
    rows = keeping.hooks(session, paging.after, paging.limit + 1)
    return paging.page(rows, lambda row: HookOut.of(row, settings.public_url), lambda row: (row.created_at, row.id))


@router.post(
    "",
    operation_id="hooks:create",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=problems(NotFound, Refused, AddressRefused, TooMany),
)
def create_hook(
    wanted: HookIn, caller: MayManage, session: Writing, settings: Configured, outside: WayOut, sealer: Seals
) -> HookMade:
    """Add a hook. Its secret is in this answer and in no other."""
    row, secret = keeping.add(
        session,
        sealer,
        outside,
        label=wanted.name,
        kind=wanted.kind,
        secret=wanted.secret.get_secret_value() if wanted.secret else None,
        values=wanted.model_dump(include={"repository_id", "service_ids", "target"}),
        api=_api(wanted.api),
    )
    audit(session, caller, "hook.created", "hook", row.id, {"name": row.label, "kind": row.kind})
    return HookMade(hook=HookOut.of(row, settings.public_url), secret=secret)


@router.get("/{hook_id}", operation_id="hooks:get", responses=problems(NotFound))
def get_hook(hook_id: UUID, caller: MayRead, session: Reading, settings: Configured) -> HookOut:
    """Return one hook."""
    return HookOut.of(keeping.find(session, HookId(hook_id)), settings.public_url)


@router.patch(
    "/{hook_id}",
    operation_id="hooks:change",
    openapi_extra=body_up_to(64 * KIB),
    responses=problems(NotFound, Refused, AddressRefused),
)
def change_hook(
    hook_id: UUID,
    change: HookChange,
    caller: MayManage,
    session: Writing,
    settings: Configured,
    outside: WayOut,
    sealer: Seals,
) -> HookOut:
    """Change a hook."""
    values = change.values()
    row = keeping.change(session, sealer, outside, HookId(hook_id), values=values, api=_api(change.api))
    facts = change.model_dump(mode="json", exclude_unset=True, exclude={"api"})
    audit(session, caller, "hook.changed", "hook", row.id, facts | ({"api": row.api_url} if change.api else {}))
    return HookOut.of(row, settings.public_url)


@router.post("/{hook_id}/secret", operation_id="hooks:renew", responses=problems(NotFound))
def renew_secret(hook_id: UUID, caller: MayManage, session: Writing, settings: Configured, sealer: Seals) -> HookMade:
    """Give a hook another secret, which is in this answer and in no other. The old one is worth nothing at once."""
    row, secret = keeping.renew(session, sealer, HookId(hook_id))
    audit(session, caller, "hook.secret-renewed", "hook", row.id, {"name": row.label})
    return HookMade(hook=HookOut.of(row, settings.public_url), secret=secret)


@router.delete("/{hook_id}", operation_id="hooks:delete", status_code=204, responses=problems(NotFound))
def delete_hook(hook_id: UUID, caller: MayManage, session: Writing) -> None:
    """Delete a hook and its list of messages; what they brought stays."""
    row = keeping.delete(session, HookId(hook_id))
    audit(session, caller, "hook.deleted", "hook", hook_id, {"name": row.label})


@router.get("/{hook_id}/deliveries", operation_id="hooks:deliveries", responses=problems(NotFound, Refused))
def list_deliveries(hook_id: UUID, caller: MayRead, session: Reading, paging: Paging) -> Page[DeliveryOut]:
    """List what a hook delivered in the last days, newest first."""
    rows = keeping.deliveries(session, HookId(hook_id), paging.after, paging.limit + 1)
    return paging.page(rows, DeliveryOut.of, lambda row: (row.created_at, row.id))


@router.post(
    "/{hook_id}/reconcile", operation_id="hooks:reconcile", status_code=204, responses=problems(NotFound, Conflict)
)
def reconcile_hook(hook_id: UUID, caller: MayManage, session: Writing) -> None:
    """Ask the sender now for messages that did not arrive. That is done every hour anyway."""
    keeping.look_for_missed(session, HookId(hook_id))


def _github(hook_id: UUID, _anyone: Anyone, database: DatabaseOf, sealer: Seals) -> FoundHook:
    return receiving.find_hook(database, sealer, hook_id, "github")


def _gitlab(hook_id: UUID, _anyone: Anyone, database: DatabaseOf, sealer: Seals) -> FoundHook:
    return receiving.find_hook(database, sealer, hook_id, "gitlab")


# Nothing is read of a body that is for nobody: the hook is found first.
async def _github_body(request: Request, _hook: Annotated[FoundHook, Depends(_github)]) -> AsyncIterator[Spooled]:
    async with spool(request, MAX_MESSAGE_BYTES, settings_of(request).scratch_dir) as spooled:
        yield spooled


async def _gitlab_body(request: Request, _hook: Annotated[FoundHook, Depends(_gitlab)]) -> AsyncIterator[Spooled]:
    async with spool(request, MAX_MESSAGE_BYTES, settings_of(request).scratch_dir) as spooled:
        yield spooled


RECEIVED = problems(NotFound, NotSignedIn, Refused, TooLarge, TooMany, Unavailable)


@router.post(
    "/{hook_id}/github",
    operation_id="hooks:github",
    status_code=202,
    responses={**RECEIVED, **KNOWN},
    openapi_extra=ANY_OBJECT,
)
def hear_github(
    request: Request,
    response: Response,
    hook: Annotated[FoundHook, Depends(_github)],
    body: Annotated[Spooled, Depends(_github_body)],
    database: DatabaseOf,
    clock: Now,
    throttle: Throttled,
) -> DeliveryTaken:
    """Take a message of GitHub, signed by `X-Hub-Signature-256`. It is written down before the answer, and done after."""
    return _hear("github", request, response, hook, body, database, clock, throttle)


@router.post(
    "/{hook_id}/gitlab",
    operation_id="hooks:gitlab",
    status_code=202,
    responses={**RECEIVED, **KNOWN},
    openapi_extra=ANY_OBJECT,
)
def hear_gitlab(
    request: Request,
    response: Response,
    hook: Annotated[FoundHook, Depends(_gitlab)],
    body: Annotated[Spooled, Depends(_gitlab_body)],
    database: DatabaseOf,
    clock: Now,
    throttle: Throttled,
) -> DeliveryTaken:
    """Take a message of GitLab, signed (`webhook-signature`) or with its secret token (`X-Gitlab-Token`)."""
    return _hear("gitlab", request, response, hook, body, database, clock, throttle)


def _hear(
    kind: HookKind,
    request: Request,
    response: Response,
    hook: FoundHook,
    body: Spooled,
    database: DatabaseOf,
    clock: Now,
    throttle: Throttled,
) -> DeliveryTaken:
    headers = {name.lower(): value for name, value in request.headers.items()}
    message = Arrived(body.path, body.size_bytes, body.sha256, headers)
    now = clock.now()
    try:
        receiving.believe(hook, kind, message, now)
    except SignatureWrong as wrong:
        key = f"hook/{hook.hook_id}/{client_address(request)}"
        if not throttle.hit(key, times=MOST_TRIES, seconds=60):
            raise TooManyTries("Too many wrong signatures.", limit=MOST_TRIES, unit="a minute") from wrong
        raise
    with database.writing(Scope(hook.team_id)) as session:  # committed before the answer
        row, new = receiving.take_in(session, hook, kind, message, now)
        taken = DeliveryTaken.model_validate({"delivery_id": row.delivery_id, "state": row.state, "known": not new})
    response.status_code = 202 if new else 200
    return taken


def _api(given: ApiIn | None) -> Api | None:
    return Api(given.url, given.token.get_secret_value()) if given else None
