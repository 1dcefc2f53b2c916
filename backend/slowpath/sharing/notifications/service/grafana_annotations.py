"""Grafana as receiver: one annotation per production event, which becomes a region when the event ends.

Annotations HTTP API (grafana.com/docs): `POST /api/annotations` and `PUT /api/annotations/:id`. Grafana shows the text as
sanitized HTML, and searches annotations by their tags.
"""

import html
import json
import re
from datetime import datetime
from typing import Any, Final, Literal

from slowpath.core.errors import UpstreamUnavailable
from slowpath.core.ports import EgressConnection, HttpResponse
from slowpath.sharing.notifications import wording
from slowpath.sharing.notifications.errors import InvalidChannel, PermanentDeliveryError
from slowpath.sharing.notifications.rules import (
    MAX_ANSWER_BYTES,
    SEND_SECONDS,
    ChannelTarget,
    NotificationContent,
    plain,
)
from slowpath.sharing.notifications.service.code_hosts import check

TOKEN: Final = re.compile(r"[A-Za-z0-9_.=+/-]{20,500}")
TAG_VALUE: Final = 80
"""Characters of a name in a tag: Grafana stores at most 100 of a tag's key and of its value."""


def validate_grafana(target: ChannelTarget) -> None:
    """Require the address of Grafana and a token. Raises `InvalidChannel`."""
    if not target.url:
        raise InvalidChannel("The URL of Grafana is missing.", remedy="Enter it as https://grafana.example.com.")
    if not TOKEN.fullmatch(target.token):
        raise InvalidChannel(
            "The token is missing or invalid.",
            remedy="Create a token of a service account that may write annotations; it begins with glsa_.",
        )


class GrafanaAnnotations:
    """The annotations of one Grafana organization."""

    def __init__(self, peer: EgressConnection, token: str) -> None:
        """Set the open connection and the token of a service account."""
        self._peer, self._token = peer, token

    def write(self, content: NotificationContent, annotation_id: str | None, at: datetime) -> str:
        """Create the annotation of an event, or replace it; returns its ID. A deleted one is created again."""
        annotation = make_annotation(content, at)
        if annotation_id is not None:
            answer = self._send("PUT", f"/api/annotations/{annotation_id}", annotation)
            if answer.status != 404:
                check(answer, "Grafana")
                return annotation_id
        answer = self._send("POST", "/api/annotations", annotation)
        check(answer, "Grafana")
        return _parse_id(answer.content)

    def _send(self, method: Literal["POST", "PUT"], path: str, body: dict[str, Any]) -> HttpResponse:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        content = json.dumps(body).encode()
        answer = self._peer.send(method, path, content, headers, max_bytes=MAX_ANSWER_BYTES, seconds=SEND_SECONDS)
        if answer.status == 400:
            excerpt = " ".join(answer.content[:200].decode(errors="replace").split())
            raise PermanentDeliveryError(f"Grafana answered 400: {excerpt}")
        if answer.status in {401, 403}:
            raise UpstreamUnavailable(
                f"Grafana answered {answer.status}: the token may not write annotations.",
                slug="answered-with-an-error",
                remedy="Create a new channel with a token of a service account that has the role Editor.",
            )
        return answer


def make_annotation(content: NotificationContent, at: datetime) -> dict[str, Any]:
    """Return the body of an annotation: a region from the start of the event to its end, a line while it is open."""
    event = content.production_event
    now_ms = int(at.timestamp() * 1_000)
    begin_ms = event.started_ms if event is not None and event.started_ms is not None else now_ms
    end_ms = event.ended_ms if event is not None and event.ended_ms is not None else begin_ms
    lines = [wording.format_headline(content), *wording.describe_event(content)]
    link = f'<a href="{html.escape(content.url)}" target="_blank">Open in Slowpath</a>'
    tags = ["slowpath"]
    if event is not None:
        tags += [f"service:{_tag(event.service)}", f"environment:{_tag(event.environment)}"]
    return {
        "time": begin_ms,
        "timeEnd": max(begin_ms, end_ms),
        "tags": tags,
        "text": "<br>".join([*(html.escape(line) for line in lines), link]),
    }


def _tag(name: str) -> str:
    return plain(name, TAG_VALUE) or "unknown"


def _parse_id(content: bytes) -> str:
    """Return the ID of a new annotation. Raises `UpstreamUnavailable`."""
    try:
        answer = json.loads(content)
    except ValueError as error:
        raise UpstreamUnavailable("Grafana did not return JSON.", slug="answer-no-json") from error
    found = answer.get("id") if isinstance(answer, dict) else None
    if not isinstance(found, int) or isinstance(found, bool) or found < 0:
        raise UpstreamUnavailable("Grafana did not return the annotation.", slug="answer-no-json")
    return str(found)
