"""Parse deployment events of Slowpath's own format, Argo CD, GitHub, GitLab and Kubernetes.

The format is recognized by content. All texts are external: they are truncated to the length of names, and missing values
are never guessed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

MAX_TEXT = 200
MAX_URL = 2000
MAX_COMMITS = 250
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
COMMIT = re.compile(r"[0-9a-f]{7,64}")
ZONE = re.compile(r" ([+-][0-9]{2}:?[0-9]{2})$")
IMAGE_TAG = re.compile(r":([^:/]+)$")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

Message = Mapping[str, Any]


class NotADeploymentEvent(Exception):
    """The event is not a completed deployment; the message has the reason."""


@dataclass(frozen=True)
class DeploymentEvent:
    """A deployment event. `started_at` is None if the event has no time."""

    service: str
    environment: str | None
    commit: str
    dialect: str
    started_at: datetime | None = None
    label: str | None = None
    url: str | None = None
    external_id: str | None = None
    commits: tuple[Mapping[str, str], ...] = field(default=())


def parse_deployment_event(message: Message) -> DeploymentEvent:
    """Return the deployment. Raises `NotADeploymentEvent` for an event without one."""
    for recognised, read in _DIALECTS:
        if recognised(message):
            return read(message)
    raise NotADeploymentEvent(
        "The format of the event is unknown. Supported are: Slowpath's own (service, environment, commit), an Argo CD "
        "Application, GitHub's deployment_status, GitLab's deployment, a Kubernetes Deployment."
    )


def _ours(message: Message) -> DeploymentEvent:
    commits = message.get("commits")
    return DeploymentEvent(
        service=_needed(message.get("service"), "service"),
        environment=_text(message.get("environment")),
        commit=_text(message.get("commit")) or "",
        dialect="slowpath",
        started_at=_time(message.get("at") or message.get("started_at")),
        label=_text(message.get("label")),
        url=_link(message.get("url")),
        external_id=_text(message.get("id")),
        commits=tuple(_commits(commits if isinstance(commits, Sequence) and not isinstance(commits, str) else ())),
    )


def _argo(message: Message) -> DeploymentEvent:
    app = next(
        (app for app in (_part(message, key) for key in ("application", "app")) if _part(app, "status")), message
    )
    status, meta = _part(app, "status"), _part(app, "metadata")
    operation = _part(status, "operationState")
    phase = operation.get("phase", "Succeeded")
    if phase != "Succeeded":
        raise NotADeploymentEvent(f"The sync did not succeed: its phase is {_text(phase)}.")
    revision = _text(_part(operation, "syncResult").get("revision")) or _text(_part(status, "sync").get("revision"))
    finished = _text(operation.get("finishedAt"))
    name = _needed(meta.get("name"), "metadata.name")
    labels = _part(meta, "labels")
    return DeploymentEvent(
        service=_text(labels.get("app.kubernetes.io/name")) or name,
        environment=_text(labels.get("environment"))
        or _text(_part(_part(app, "spec"), "destination").get("namespace")),
        commit=revision or "",
        dialect="argo-cd",
        started_at=_time(finished),
        external_id=f"argo-cd {name} {revision} {finished}"[:MAX_TEXT] if finished else None,
    )


def _github(message: Message) -> DeploymentEvent:
    status, deployment = _part(message, "deployment_status"), _part(message, "deployment")
    state = _text(status.get("state"))
    if state != "success":
        raise NotADeploymentEvent(
            f"The state of the GitHub deployment is {state or 'missing'}; only success is recorded."
        )
    repository = _part(message, "repository")
    payload = _part(deployment, "payload")
    return DeploymentEvent(
        service=_text(payload.get("service")) or _needed(repository.get("name"), "repository.name"),
        environment=_text(deployment.get("environment")) or _text(status.get("environment")),
        commit=_text(deployment.get("sha")) or "",
        dialect="github",
        started_at=_time(status.get("created_at")),
        label=_text(deployment.get("ref")),
        url=_link(status.get("log_url")) or _link(status.get("target_url")),
        external_id=f"github {_text(status.get('id'))}" if status.get("id") is not None else None,
    )


def _gitlab(message: Message) -> DeploymentEvent:
    status = _text(message.get("status"))
    if status != "success":
        raise NotADeploymentEvent(
            f"The status of the GitLab deployment is {status or 'missing'}; only success is recorded."
        )
    project, number = _part(message, "project"), message.get("deployment_id")
    whole = (_link(message.get("commit_url")) or "").rsplit("/", 1)[-1]
    path = _text(project.get("path_with_namespace")) or ""
    return DeploymentEvent(
        service=_needed(path.rsplit("/", 1)[-1] or project.get("name"), "project.path_with_namespace"),
        environment=_text(message.get("environment")),
        commit=whole if COMMIT.fullmatch(whole) else _text(message.get("short_sha")) or "",
        dialect="gitlab",
        started_at=_time(_iso(message.get("status_changed_at"))),
        label=_text(message.get("ref")),
        url=_link(message.get("deployable_url")),
        external_id=f"gitlab {path} {number}"[:MAX_TEXT] if isinstance(number, int) else None,
    )


def _iso(value: object) -> object:
    """Return a time of GitLab in ISO 8601: without a space before its zone."""
    return ZONE.sub(r"\1", value.replace(" UTC", "+00:00")) if isinstance(value, str) else value


def _kubernetes(message: Message) -> DeploymentEvent:
    deployment = message
    if message.get("kind") == "AdmissionReview":
        deployment = _part(_part(message, "request"), "object")
    meta, spec = _part(deployment, "metadata"), _part(deployment, "spec")
    labels = {**_part(meta, "labels"), **_part(_part(_part(spec, "template"), "metadata"), "labels")}
    notes = _part(meta, "annotations")
    tag = _image_tag(_part(_part(spec, "template"), "spec"))
    commit = next(
        (
            found
            for found in (labels.get("commit"), notes.get("commit"), labels.get("app.kubernetes.io/version"), tag)
            if isinstance(found, str) and COMMIT.fullmatch(found)
        ),
        tag or _text(labels.get("app.kubernetes.io/version")) or "",
    )
    name = _needed(meta.get("name"), "metadata.name")
    uid, generation = _text(meta.get("uid")), meta.get("generation")
    return DeploymentEvent(
        service=_text(labels.get("app.kubernetes.io/name")) or _text(labels.get("app")) or name,
        environment=_text(labels.get("environment")) or _text(meta.get("namespace")),
        commit=commit,
        dialect="kubernetes",
        started_at=_time(_progressed(_part(deployment, "status"))),
        label=_text(notes.get("kubernetes.io/change-cause")),
        external_id=f"kubernetes {uid} {generation}"[:MAX_TEXT] if uid and generation is not None else None,
    )


def _image_tag(pod: Message) -> str | None:
    containers = pod.get("containers")
    if not isinstance(containers, list) or not containers or not isinstance(containers[0], Mapping):
        return None
    image = _text(containers[0].get("image"))
    found = IMAGE_TAG.search(image.split("@")[0]) if image else None
    return found.group(1) if found else None


def _progressed(status: Message) -> object:
    conditions = status.get("conditions")
    if not isinstance(conditions, list):
        return None
    for condition in conditions:
        if isinstance(condition, Mapping) and condition.get("type") == "Progressing":
            return condition.get("lastUpdateTime") or condition.get("lastTransitionTime")
    return None


def _is_argo(message: Message) -> bool:
    wrapped = any(_part(_part(message, key), "status") for key in ("application", "app"))
    return wrapped or (message.get("kind") == "Application" and "argoproj.io" in str(message.get("apiVersion")))


def _is_kubernetes(message: Message) -> bool:
    kind = message.get("kind")
    return isinstance(kind, str) and kind in {"Deployment", "StatefulSet", "DaemonSet", "AdmissionReview"}


_DIALECTS: tuple[tuple[Callable[[Message], bool], Callable[[Message], DeploymentEvent]], ...] = (
    (lambda message: isinstance(message.get("deployment_status"), Mapping), _github),
    (lambda message: message.get("object_kind") == "deployment", _gitlab),
    (_is_argo, _argo),
    (_is_kubernetes, _kubernetes),
    (lambda message: isinstance(message.get("service"), str), _ours),
)


def _part(whole: Message, key: str) -> Message:
    part = whole.get(key)
    return part if isinstance(part, Mapping) else {}


def _text(value: object) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    shown = _CONTROL.sub(" ", str(value).encode("utf-8", "replace").decode()).strip()
    return shown[:MAX_TEXT] or None


def _needed(value: object, where: str) -> str:
    text = _text(value)
    if text is None:
        raise NotADeploymentEvent(f"The event does not name the deployed service: {where} is missing.")
    return text


def _link(value: object) -> str | None:
    text = value if isinstance(value, str) and not _CONTROL.search(value) and len(value) <= MAX_URL else ""
    return text.encode("utf-8", "replace").decode() if text.startswith(("https://", "http://")) else None


def _time(value: object) -> datetime | None:
    if not isinstance(value, str):
        return None
    try:
        when = datetime.fromisoformat(value)
    except ValueError:
        return None
    known = when if when.tzinfo else when.replace(tzinfo=UTC)
    return known if EARLIEST <= known <= LATEST else None


def _commits(listed: Sequence[object]) -> list[dict[str, str]]:
    commits = []
    for each in listed[:MAX_COMMITS]:
        if not isinstance(each, Mapping):
            continue
        commit = {key: text for key in ("id", "title", "author") if (text := _text(each.get(key)))}
        link = _link(each.get("url"))
        if "id" in commit:
            commits.append(commit | ({"url": link} if link else {}))
    return commits
