"""PagerDuty and Opsgenie as receivers: one alert per incident, triggered, acknowledged and resolved under one key.

Formats: Events API v2 (developer.pagerduty.com) and Alert API v2 (docs.opsgenie.com). The tests hold their schemas.
"""

import json
import re
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final

from slowpath.core.errors import UpstreamUnavailable
from slowpath.core.ports import EgressConnection, HttpResponse
from slowpath.sharing.notifications import wording
from slowpath.sharing.notifications.errors import PermanentDeliveryError
from slowpath.sharing.notifications.rules import (
    MAX_ANSWER_BYTES,
    SEND_SECONDS,
    AlertAction,
    NotificationContent,
    NotificationEvent,
    decide_alert_action,
    plain,
)
from slowpath.sharing.notifications.service.code_hosts import check

PAGERDUTY_SUMMARY: Final = 1_024
OPSGENIE_MESSAGE: Final = 130
OPSGENIE_DESCRIPTION: Final = 15_000
OPSGENIE_TAG: Final = 50
"""Limits of the texts, in characters."""
SERVICE_NAME: Final = 100


class AlertService(ABC):
    """One service with its key."""

    KEY: ClassVar[re.Pattern[str]]
    KEY_NAME: ClassVar[str]
    KEY_REMEDY: ClassVar[str]

    def __init__(self, peer: EgressConnection, key: str) -> None:
        """Set the open connection and the key of the integration."""
        self.peer, self.key = peer, key

    def send(self, content: NotificationContent) -> None:
        """Send an event. A test opens an alert and ends it at once. Raises as `ChannelType.deliver` does."""
        if content.event is NotificationEvent.TEST:
            self._send(content, AlertAction.TRIGGER)
            self._send(content, AlertAction.RESOLVE)
        else:
            self._send(content, decide_alert_action(content))

    @abstractmethod
    def _send(self, content: NotificationContent, action: AlertAction) -> None: ...

    def _post(self, path: str, body: dict[str, Any], headers: dict[str, str], who: str) -> HttpResponse:
        content = json.dumps(body).encode()
        answer = self.peer.send("POST", path, content, headers, max_bytes=MAX_ANSWER_BYTES, seconds=SEND_SECONDS)
        if answer.status == 400:
            excerpt = " ".join(answer.content[:200].decode(errors="replace").split())
            raise PermanentDeliveryError(f"{who} answered 400: {excerpt}")
        return answer


def make_alert_key(content: NotificationContent) -> str:
    """Return the key that all events of one incident share, at PagerDuty `dedup_key`, at Opsgenie `alias`."""
    return f"slowpath:{content.subject_id}"


class PagerDuty(AlertService):
    """The Events API v2."""

    KEY = re.compile(r"[A-Za-z0-9]{32}")
    KEY_NAME = "integration key"
    KEY_REMEDY = "Copy the key of 32 characters from an Events API v2 integration of the service in PagerDuty."

    def _send(self, content: NotificationContent, action: AlertAction) -> None:
        body = make_pagerduty_event(content, action, self.key)
        check(self._post("/v2/enqueue", body, {}, "PagerDuty"), "PagerDuty")


def make_pagerduty_event(content: NotificationContent, action: AlertAction, key: str) -> dict[str, Any]:
    """Return the body of an event: acknowledge and resolve name the alert only."""
    event: dict[str, Any] = {
        "routing_key": key,
        "event_action": str(action),
        "dedup_key": make_alert_key(content),
    }
    if action is not AlertAction.TRIGGER:
        return event
    return event | {
        "client": "Slowpath",
        "client_url": content.url,
        "links": [{"href": content.url, "text": "Open in Slowpath"}],
        "payload": {
            "summary": plain(wording.format_headline(content), PAGERDUTY_SUMMARY),
            "source": _service_of(content),
            "severity": _PAGERDUTY_SEVERITIES[_severity_of(content)],
            "component": _service_of(content),
            "class": str(content.event),
            "custom_details": {"details": wording.describe_event(content)},
        },
    }


class Opsgenie(AlertService):
    """The Alert API v2."""

    KEY = re.compile(r"[A-Za-z0-9-]{20,100}")
    KEY_NAME = "API key"
    KEY_REMEDY = "Copy the key of an API integration from Opsgenie."

    def _send(self, content: NotificationContent, action: AlertAction) -> None:
        headers = {"Authorization": f"GenieKey {self.key}"}
        alias = make_alert_key(content)
        path, body = f"/v2/alerts/{alias}/", make_opsgenie_change()
        if action is AlertAction.TRIGGER:
            path, body = "/v2/alerts", make_opsgenie_alert(content)
        else:
            path += f"{'close' if action is AlertAction.RESOLVE else 'acknowledge'}?identifierType=alias"
        answer = self._post(path, body, headers, "Opsgenie")
        if answer.status == 404 and action is not AlertAction.TRIGGER:
            return  # its alert was deleted there: nothing is left to end
        if answer.status in {401, 403}:
            raise UpstreamUnavailable("Opsgenie rejects the API key.", slug="answered-with-an-error")
        check(answer, "Opsgenie")


def make_opsgenie_alert(content: NotificationContent) -> dict[str, Any]:
    """Return the body that creates an alert; the same alias adds to the alert that is open."""
    headline = wording.format_headline(content)
    return {
        "message": plain(headline, OPSGENIE_MESSAGE),
        "alias": make_alert_key(content),
        "description": "\n".join([headline, *wording.describe_event(content), content.url])[:OPSGENIE_DESCRIPTION],
        "priority": _OPSGENIE_PRIORITIES[_severity_of(content)],
        "source": "Slowpath",
        "entity": _service_of(content),
        "tags": ["slowpath", plain(_service_of(content), OPSGENIE_TAG)],
        "details": {"url": content.url, "event": str(content.event)},
    }


def make_opsgenie_change() -> dict[str, Any]:
    """Return the body that acknowledges or closes an alert."""
    return {"source": "Slowpath"}


_PAGERDUTY_SEVERITIES: Final = {"high": "critical", "medium": "error", "low": "warning", "none": "info"}
_OPSGENIE_PRIORITIES: Final = {"high": "P1", "medium": "P2", "low": "P3", "none": "P5"}


def _severity_of(content: NotificationContent) -> str:
    """Return the severity: a regression over builds is not in production yet, a test is none."""
    if content.production_event is not None:
        severity = content.production_event.severity
        return severity if severity in _PAGERDUTY_SEVERITIES else "low"
    return "low" if content.regressions else "none"


def _service_of(content: NotificationContent) -> str:
    incident = content.production_event or next(iter(content.regressions), None)
    return plain(incident.service, SERVICE_NAME) if incident is not None and incident.service else "slowpath"
