"""What a message says is done: commits are recorded, deploys known, builds told."""

import json
import zlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs

from slowpath.catalog import service as catalog
from slowpath.catalog.errors import NoDeploy, NotASlug
from slowpath.commits.service import history
from slowpath.commits.service import keeping as repositories
from slowpath.core.errors import NotFound
from slowpath.core.ids import HookDeliveryId, HookId, RepositoryId, ServiceId
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.hooks import queries
from slowpath.hooks.errors import HookNotFound
from slowpath.hooks.rules import MAX_MESSAGE_BYTES, PUSHES_SETTLE_S
from slowpath.hooks.rules.messages import Deployed, Message, Nothing, Pushed, Ran, Told, read_github, read_gitlab
from slowpath.hooks.tables import Hook


def read(session: ReadSession, delivery_id: HookDeliveryId) -> Told | None:
    """Return what a message says; None when it was taken before. Raises `HookNotFound`."""
    row = queries.delivery(session, delivery_id)
    if row is None:
        raise HookNotFound("There is no such message any more.")
    if row.content is None:
        return None
    hook = queries.hook(session, HookId(row.hook_id))
    if hook is None:
        raise HookNotFound("There is no such hook in this team.")
    message = _parsed(row.content)
    if message is None:
        return Nothing("The message is no JSON object.")
    return read_github(row.event, message) if hook.kind == "github" else read_gitlab(message)


def take(session: WriteSession, delivery_id: HookDeliveryId, told: Told, now: datetime) -> None:
    """Do what a message says, and write down what was done. Raises `HookNotFound`."""
    row = queries.held_delivery(session, delivery_id)
    if row is None or row.content is None:
        return  # deleted, or taken by somebody else meanwhile
    hook = queries.held(session, HookId(row.hook_id))
    if hook is None:
        raise HookNotFound("There is no such hook in this team.")
    if hook.target is None and told.repository is not None:
        hook.target = told.repository
    done = "" if _is_of_another(hook, told) else _take(session, hook, told, now)
    row.state, row.sentence = ("done", done) if done else ("ignored", _why(hook, told))
    row.content, row.taken_at = None, now
    if hook.api_url is not None and hook.reconciled_at is None:
        queries.hurry_reconciling(session, HookId(hook.id))


def failed(session: WriteSession, delivery_id: HookDeliveryId, detail: str) -> None:
    """Write down why what a message says could not be done."""
    row = queries.held_delivery(session, delivery_id)
    if row is not None and row.content is not None:
        row.state, row.sentence = "failed", detail


def _take(session: WriteSession, hook: Hook, told: Told, now: datetime) -> str:
    """Return what was done; nothing if nothing was."""
    match told:
        case Pushed():
            return _record(session, hook, told, now)
        case Deployed():
            return _deploy(session, hook, told, now)
        case Ran():
            return _tell(session, hook, told, now)
        case Nothing():
            return told.why if told.why.startswith("GitHub says hello") else ""


def _is_of_another(hook: Hook, told: Told) -> bool:
    """Whether a message is of another repository than what the hook was made for: an organisation's hook sends those of all."""
    if hook.target is None or told.repository is None or (hook.repository_id is None and not hook.service_ids):
        return False
    return told.repository.casefold() != hook.target.casefold()


def _why(hook: Hook, told: Told) -> str:
    if _is_of_another(hook, told):
        return f"It is of {told.repository}, and this hook of {hook.target}."[:500]
    match told:
        case Nothing():
            return told.why
        case Ran():
            return "The hook names no service, and none is built from its repository."
        case Pushed():
            return "The hook names no repository, and no build of these commits is known."
        case Deployed():
            return "The message tells of no deploy that could be taken."


def _record(session: WriteSession, hook: Hook, told: Pushed, now: datetime) -> str:
    said = []
    if hook.repository_id is not None:
        repository = repositories.find(session, RepositoryId(hook.repository_id))
        new = history.record(session, RepositoryId(repository.id), told.commits)
        said.append(f"{new} new of {len(told.commits)} commits on {told.branch} recorded")
        if repository.url is not None:
            repositories.fetch(session, RepositoryId(repository.id), after_s=PUSHES_SETTLE_S)
    builds, services = 0, _services(session, hook)
    for commit in told.commits:
        columns = {
            "branch": told.branch,
            "title": commit.title[:200],
            "author": commit.author_name,
            "committed_at": commit.committed_at,
            "parent": commit.parents[0] if commit.parents else None,
        }
        remembered_at = now if commit is told.commits[-1] else None  # what CI builds of a push is its head
        builds += sum(
            catalog.tell_builds_of_commit(session, service_id, commit.sha, columns, remembered_at=remembered_at)
            for service_id in services
        )
    if builds:
        said.append(f"{builds} builds told")
    return "; ".join(said)


def _deploy(session: WriteSession, hook: Hook, told: Deployed, now: datetime) -> str:
    services = [] if told.names_service else _services(session, hook)
    try:
        if not services:
            rows = [catalog.hear_of_deploy(session, dict(told.message), now)]
        else:
            several = len(services) > 1
            message = dict(told.message)
            rows = [
                catalog.hear_of_deploy(session, message, now, of_service=each, one_of_several=several)
                for each in services
            ]
    except (NoDeploy, NotASlug) as why:
        return f"No deploy: {why.detail}"[:500]
    made = sum(new for _, new in rows)
    return f"{made} deploys made known" if made else "The deploy was known already"


def _tell(session: WriteSession, hook: Hook, told: Ran, now: datetime) -> str:
    services = _services(session, hook)
    builds = sum(
        catalog.tell_builds_of_commit(session, each, told.commit, told.told, remembered_at=now) for each in services
    )
    if builds or not services:
        return f"{builds} builds told" if builds else ""
    return "Kept until there is a build of this commit"


def _services(session: ReadSession, hook: Hook) -> list[ServiceId]:
    """Return what the hook's messages are about: the services it names, else those built from its repository."""
    found = []
    for each in hook.service_ids:
        try:
            found.append(ServiceId(catalog.service(session, ServiceId(each)).id))
        except NotFound:
            continue  # deleted since
    if found or hook.repository_id is None:
        return found
    repository = repositories.find(session, RepositoryId(hook.repository_id))
    return [ServiceId(built.service_id) for built, _ in repositories.kept(session, repository).services]


def _parsed(content: bytes) -> Message | None:
    """Return the JSON object of a message, which GitHub may also send as a field of a form."""
    plain = zlib.decompressobj().decompress(content, MAX_MESSAGE_BYTES)
    try:
        if plain[:8] == b"payload=":
            plain = parse_qs(plain.decode("ascii", "replace"), max_num_fields=2)["payload"][0].encode()
        message: Any = json.loads(plain)
    except (ValueError, KeyError, RecursionError):
        return None
    return message if isinstance(message, Mapping) else None
