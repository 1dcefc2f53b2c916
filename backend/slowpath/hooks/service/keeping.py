"""Hooks are added, changed and deleted; their secrets are told once and never again."""

import secrets
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from slowpath.catalog import service as catalog
from slowpath.commits.service import keeping as repositories
from slowpath.core.ids import HookId, RepositoryId, ServiceId, new_id
from slowpath.core.jobs import enqueue_once
from slowpath.core.ports import Outside
from slowpath.core.sealing import Broken, Sealer
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.hooks import queries
from slowpath.hooks.errors import HookNotFound, NothingToReconcile, SecretRefused, TooManyHooks
from slowpath.hooks.jobs import ReconcileHook
from slowpath.hooks.queries import After
from slowpath.hooks.rules import MOST_HOOKS, HookKind
from slowpath.hooks.rules.signatures import PREFIX, USABLE
from slowpath.hooks.tables import Hook, HookDelivery

SECRET_BYTES: Final = 32


@dataclass(frozen=True)
class Api:
    """Where the sender is asked for what did not arrive, and with which token."""

    url: str
    token: str


def hooks(session: ReadSession, after: After, limit: int) -> Sequence[Hook]:
    """Return hooks, newest first."""
    return queries.hooks(session, after, limit)


def find(session: ReadSession, hook_id: HookId) -> Hook:
    """Return one hook. Raises `HookNotFound`."""
    row = queries.hook(session, hook_id)
    if row is None:
        raise HookNotFound("There is no such hook in this team.")
    return row


def add(
    session: WriteSession,
    sealer: Sealer,
    outside: Outside,
    *,
    label: str,
    kind: HookKind,
    secret: str | None,
    values: dict[str, Any],
    api: Api | None,
) -> tuple[Hook, str]:
    """Add a hook; return it with its secret, which is told here and never again.

    `values`: repository_id, service_ids, target. Raises `TooManyHooks`, `SecretRefused`, `AddressRefused`,
    `RepositoryNotFound`, `ServiceNotFound`.
    """
    there = queries.count(session)
    if there >= MOST_HOOKS:
        raise TooManyHooks("The team has as many hooks as it may.", limit=MOST_HOOKS, actual=there, unit="hooks")
    told = new_secret() if secret is None else _usable(secret, noun="secret", remedy="Leave it out: one is made.")
    hook_id = new_id()
    sealed = sealer.seal(told, session.team_id, hook_id)
    row = Hook(team_id=session.team_id, id=hook_id, label=label, kind=kind, sealed=sealed, service_ids=[])
    _point(session, row, values)
    if api is not None:
        _ask_at(row, sealer, outside, api)
    session.add(row)
    session.flush()  # the database gives the time
    enqueue_once(session, ReconcileHook(HookId(row.id)))
    return row, told


def change(
    session: WriteSession, sealer: Sealer, outside: Outside, hook_id: HookId, *, values: dict[str, Any], api: Api | None
) -> Hook:
    """Change label, repository, services, target or the sender's API. Raises as `add` does, and `HookNotFound`."""
    row = _held(session, hook_id)
    if "label" in values:
        row.label = values["label"]
    _point(session, row, values)
    if api is not None:
        _ask_at(row, sealer, outside, api)
        queries.hurry_reconciling(session, hook_id)
    return row


def renew(session: WriteSession, sealer: Sealer, hook_id: HookId) -> tuple[Hook, str]:
    """Give a hook another secret, told here and never again; the old one is worth nothing at once."""
    row, told = _held(session, hook_id), new_secret()
    row.sealed = sealer.seal(told, row.team_id, row.id)
    return row, told


def delete(session: WriteSession, hook_id: HookId) -> Hook:
    """Delete a hook and what it delivered; what was done stays. Raises `HookNotFound`."""
    row = find(session, hook_id)
    session.delete(row)
    return row


def deliveries(session: ReadSession, hook_id: HookId, after: After, limit: int) -> Sequence[HookDelivery]:
    """Return a hook's messages, newest first. Raises `HookNotFound`."""
    find(session, hook_id)
    return queries.deliveries(session, hook_id, after, limit)


def look_for_missed(session: WriteSession, hook_id: HookId) -> None:
    """Have the sender asked now for what did not arrive. Raises `HookNotFound`, `NothingToReconcile`."""
    row = _held(session, hook_id)
    if row.api_url is None or row.target is None or (row.kind == "github" and row.external_id is None):
        raise NothingToReconcile(
            "The sender can not be asked yet: its API, its repository or its id of the hook is not known.",
            remedy="Give the address of its API with a token; the first message brings the rest.",
        )
    queries.hurry_reconciling(session, hook_id)


def api_token(row: Hook, sealer: Sealer) -> str:
    """Return the token of the sender's API. Raises `SecretRefused` if the key is no longer the same."""
    assert row.api_sealed is not None
    try:
        return sealer.unseal(row.api_sealed, row.team_id, row.id, row.id)
    except Broken as error:
        raise SecretRefused(
            "The token can not be read any more: SLOWPATH_SECRET_KEY is another one.", remedy="Give the token again."
        ) from error


def new_secret() -> str:
    """Return a secret of 256 bits as Standard Webhooks writes it; as a text it serves for the others, too."""
    return PREFIX + b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def _usable(text: str, *, noun: str, remedy: str) -> str:
    if USABLE.fullmatch(text) is None:
        raise SecretRefused(f"A {noun} has 16 to 200 visible characters of ASCII and no space.", remedy=remedy)
    return text


def _point(session: WriteSession, row: Hook, values: dict[str, Any]) -> None:
    if "repository_id" in values:
        repository_id = values["repository_id"]
        if repository_id is not None:
            repositories.find(session, RepositoryId(repository_id))
        row.repository_id = repository_id
    if "service_ids" in values:
        ids = list(dict.fromkeys(values["service_ids"]))
        for service_id in ids:
            catalog.service(session, ServiceId(service_id))
        row.service_ids = [str(service_id) for service_id in ids]
    if "target" in values:
        row.target = values["target"]


def _ask_at(row: Hook, sealer: Sealer, outside: Outside, api: Api) -> None:
    outside.check(api.url)
    row.api_url = api.url.rstrip("/")
    token = _usable(api.token, noun="token", remedy="Give it as the code host showed it.")
    row.api_sealed = sealer.seal(token, row.team_id, row.id, row.id)
    row.problem = None


def _held(session: WriteSession, hook_id: HookId) -> Hook:
    row = queries.held(session, hook_id)
    if row is None:
        raise HookNotFound("There is no such hook in this team.")
    return row
