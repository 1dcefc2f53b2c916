"""Process deliveries: record commits and deployments, update builds."""

import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, cast
from urllib.parse import parse_qs

from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.errors import NotFound
from slowpath.core.ids import HookDeliveryId, HookId, RepositoryId, ServiceId
from slowpath.core.jobs import enqueue
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.errors import InvalidSlug, NoDeploymentInEvent
from slowpath.inventory.repositories.service import commit_graph, pull_requests, repositories
from slowpath.inventory.webhooks import queries
from slowpath.inventory.webhooks.errors import WebhookNotFound
from slowpath.inventory.webhooks.jobs import PullRequestChanged
from slowpath.inventory.webhooks.rules import MAX_MESSAGE_BYTES, PUSHES_SETTLE_S, HookKind
from slowpath.inventory.webhooks.rules.payload_fields import Message
from slowpath.inventory.webhooks.rules.webhook_events import (
    CiRunEvent,
    DeploymentStatusEvent,
    IgnoredEvent,
    PullRequestEvent,
    PushedBranch,
    PushEvent,
    WebhookEvent,
)
from slowpath.inventory.webhooks.rules.webhook_senders import SENDERS
from slowpath.inventory.webhooks.tables import Webhook

LONGEST_WAIT: Final = timedelta(minutes=10)
"""How long a delivery waits for the fetch of commits that it names."""


def parse_delivery(session: ReadSession, delivery_id: HookDeliveryId) -> WebhookEvent | None:
    """Return the parsed delivery; None if it was already processed. Raises `WebhookNotFound`."""
    row = queries.delivery(session, delivery_id)
    if row is None:
        raise WebhookNotFound("The delivery no longer exists.")
    if row.content is None:
        return None
    hook = queries.hook(session, HookId(row.webhook_id))
    if hook is None:
        raise WebhookNotFound("The team has no such webhook.")
    message = _parsed(row.content)
    if message is None:
        return IgnoredEvent("The payload is not a JSON object.")
    return SENDERS[cast("HookKind", hook.kind)].parse(row.event, message)


def process_delivery(session: WriteSession, delivery_id: HookDeliveryId, parsed: WebhookEvent, now: datetime) -> None:
    """Process a delivery, and record the result. Raises `WebhookNotFound`."""
    row = queries.lock_delivery(session, delivery_id)
    if row is None or row.content is None:
        return  # deleted, or processed by another worker meanwhile
    hook = queries.lock_webhook(session, HookId(row.webhook_id))
    if hook is None:
        raise WebhookNotFound("The team has no such webhook.")
    if hook.provider_target is None and parsed.repository is not None:
        hook.provider_target = parsed.repository
    done = "" if _is_of_another(hook, parsed) else _take(session, hook, parsed, now)
    row.state, row.outcome = ("done", done) if done else ("ignored", _why(hook, parsed))
    row.content, row.processed_at = None, now
    if hook.api_url is not None and hook.reconciled_at is None:
        queries.make_reconciliation_due(session, HookId(hook.id))


def wait_for_commits(session: WriteSession, delivery_id: HookDeliveryId, now: datetime) -> bool:
    """Fetch the repository of a delivery that names commits which are not known yet; returns whether that may help."""
    row = queries.lock_delivery(session, delivery_id)
    hook = None if row is None else queries.hook(session, HookId(row.webhook_id))
    repository_id = None if hook is None else _repository_of(session, hook)
    if row is None or repository_id is None or now - row.created_at > LONGEST_WAIT:
        return False
    if repositories.get_repository(session, repository_id).url is None:
        return False
    repositories.enqueue_fetch(session, repository_id)
    return True


def record_delivery_failure(session: WriteSession, delivery_id: HookDeliveryId, detail: str) -> None:
    """Record why a delivery could not be processed."""
    row = queries.lock_delivery(session, delivery_id)
    if row is not None and row.content is not None:
        row.state, row.outcome = "failed", detail


def _take(session: WriteSession, hook: Webhook, parsed: WebhookEvent, now: datetime) -> str:
    """Return the result; empty if nothing was done."""
    match parsed:
        case PushEvent():
            return _record(session, hook, parsed, now)
        case DeploymentStatusEvent():
            return _deploy(session, hook, parsed, now)
        case CiRunEvent():
            return _update_builds(session, hook, parsed, now)
        case PullRequestEvent():
            return _record_pull_request(session, hook, parsed, now)
        case IgnoredEvent():
            return parsed.why if parsed.is_ping else ""


def _is_of_another(hook: Webhook, parsed: WebhookEvent) -> bool:
    """Whether a delivery is from another repository: the webhook of an organization sends those of all repositories."""
    if (
        hook.provider_target is None
        or parsed.repository is None
        or (hook.repository_id is None and not hook.service_ids)
    ):
        return False
    return parsed.repository.casefold() != hook.provider_target.casefold()


def _why(hook: Webhook, parsed: WebhookEvent) -> str:
    if _is_of_another(hook, parsed):
        return f"The delivery is from {parsed.repository}, but this webhook belongs to {hook.provider_target}."[:500]
    match parsed:
        case IgnoredEvent():
            return parsed.why
        case PushEvent():
            return "The webhook has no repository, and these commits have no build."
        case CiRunEvent():
            return "The webhook has no service, and no service is built from its repository."
        case PullRequestEvent():
            return "The webhook has no repository, and its services are not built from one repository."
        case DeploymentStatusEvent():
            return "The delivery contains no deployment to record."


def _record(session: WriteSession, hook: Webhook, parsed: PushEvent, now: datetime) -> str:
    results = []
    if hook.repository_id is not None:
        repository = repositories.get_repository(session, RepositoryId(hook.repository_id))
        for pushed in parsed.branches:
            new = commit_graph.record_commits(session, RepositoryId(repository.id), pushed.commits)
            results.append(f"{new} new of {len(pushed.commits)} commits recorded on {pushed.name}")
        if repository.url is not None:
            repositories.enqueue_fetch(session, RepositoryId(repository.id), after_s=PUSHES_SETTLE_S)
    services = _services(session, hook)
    builds = sum(_describe_builds(session, services, pushed, now) for pushed in parsed.branches)
    if builds:
        results.append(f"{builds} builds updated")
    return "; ".join(results)[:500]


def _describe_builds(session: WriteSession, services: Sequence[ServiceId], pushed: PushedBranch, now: datetime) -> int:
    """Fill in what builds of pushed commits lack; returns their number."""
    builds = 0
    for commit in pushed.commits:
        columns = {
            "branch": pushed.name,
            "title": commit.title[:200],
            "author": commit.author_name,
            "committed_at": commit.committed_at,
            "parent": commit.parents[0] if commit.parents else None,
        }
        remembered_at = now if commit is pushed.commits[-1] else None  # CI builds the head of a push
        builds += sum(
            catalog.fill_commit_builds_metadata(session, service_id, commit.sha, columns, remembered_at=remembered_at)
            for service_id in services
        )
    return builds


def _deploy(session: WriteSession, hook: Webhook, parsed: DeploymentStatusEvent, now: datetime) -> str:
    services = [] if parsed.names_service else _services(session, hook)
    try:
        if not services:
            rows = [catalog.record_deployment_event(session, dict(parsed.message), now)]
        else:
            several = len(services) > 1
            message = dict(parsed.message)
            rows = [
                catalog.record_deployment_event(session, message, now, of_service=each, one_of_several=several)
                for each in services
            ]
    except (NoDeploymentInEvent, InvalidSlug) as why:
        return f"No deployment: {why.detail}"[:500]
    made = sum(new for _, new in rows)
    return f"{made} deployments recorded" if made else "The deployment already exists"


def _update_builds(session: WriteSession, hook: Webhook, parsed: CiRunEvent, now: datetime) -> str:
    services = _services(session, hook)
    builds = sum(
        catalog.fill_commit_builds_metadata(session, each, parsed.commit, parsed.metadata, remembered_at=now)
        for each in services
    )
    if builds or not services:
        return f"{builds} builds updated" if builds else ""
    return "Stored until this commit has a build"


def _record_pull_request(session: WriteSession, hook: Webhook, parsed: PullRequestEvent, now: datetime) -> str:
    """Record a pull request, and enqueue one job per service, which measures it if its settings allow it.

    Returns the result, empty if its repository is not known.
    """
    repository_id = _repository_of(session, hook)
    if repository_id is None:
        return ""
    facts = pull_requests.resolve_facts(session, repository_id, parsed.facts)
    pull_requests.record_pull_request(session, repository_id, facts, now)
    services = _services(session, hook) if facts.branch is not None else []
    for each in services:
        enqueue(session, PullRequestChanged(each, repository_id, facts.number))
    if services:
        return f"Pull request {facts.number}: {len(services)} services"
    names = [one.name or one.login for one in facts.reviewers]
    return f"Pull request {facts.number}: " + (f"reviewed by {', '.join(names)}"[:400] if names else "recorded")


def _repository_of(session: ReadSession, hook: Webhook) -> RepositoryId | None:
    """Return the webhook's repository, else the only one that its services are built from."""
    if hook.repository_id is not None:
        return RepositoryId(hook.repository_id)
    return pull_requests.find_common_repository(session, _services(session, hook))


def _services(session: ReadSession, hook: Webhook) -> list[ServiceId]:
    """Return the webhook's services: the configured ones, else those built from the repository."""
    found = []
    for each in hook.service_ids:
        try:
            found.append(ServiceId(catalog.service(session, ServiceId(each)).id))
        except NotFound:
            continue  # deleted since
    if found or hook.repository_id is None:
        return found
    repository = repositories.get_repository(session, RepositoryId(hook.repository_id))
    return [
        ServiceId(built.service_id)
        for built, _ in repositories.get_repository_with_services(session, repository).services
    ]


def _parsed(content: bytes) -> Message | None:
    """Return the JSON object of a payload, which GitHub may also send as a form field."""
    plain = zlib.decompressobj().decompress(content, MAX_MESSAGE_BYTES)
    try:
        if plain[:8] == b"payload=":
            plain = parse_qs(plain.decode("ascii", "replace"), max_num_fields=2)["payload"][0].encode()
        message: Any = json.loads(plain)
    except (ValueError, KeyError, RecursionError):
        return None
    return message if isinstance(message, Mapping) else None
