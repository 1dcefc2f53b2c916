"""Messages for PagerDuty, Opsgenie and Teams fit what the vendors published, whatever the names contain."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import jsonschema_rs
import pytest

from slowpath.sharing.notifications.rules import (
    INCIDENT_EVENTS,
    AlertAction,
    NotificationContent,
    NotificationEvent,
    ProductionEventContent,
    RegressionContent,
    decide_alert_action,
)
from slowpath.sharing.notifications.service.alert_services import (
    make_opsgenie_alert,
    make_opsgenie_change,
    make_pagerduty_event,
)
from slowpath.sharing.notifications.service.teams_messages import make_teams_message, split_workflow_url

TESTDATA = Path(__file__).parent / "testdata"
ID = UUID("00000000-0000-4000-8000-000000000001")
KEY = 32 * "a"
EVIL = "<at>all</at> **bold** [x](http://evil) <!channel> @everyone \r\n\u202e"
NAMES = ["checkout", EVIL, 3_000 * "x", 3_000 * "é", ""]


def published(name: str) -> jsonschema_rs.Validator:
    return jsonschema_rs.validator_for(json.loads((TESTDATA / f"{name}.json").read_text()), validate_formats=True)


def faults(name: str, body: object) -> list[str]:
    return [error.message for error in published(name).iter_errors(body)]


def content(event: NotificationEvent, name: str = "checkout", state: str = "new") -> NotificationContent:
    url = "https://slowpath.example/t/x"
    if event is NotificationEvent.TEST:
        return NotificationContent(event, ID, None, url)
    if event.startswith("regression"):
        one = RegressionContent(str(ID), 7, name, state, name, name, "a" * 40, 1.31, 1.2, 1.45, name)
        return NotificationContent(event, ID, ID, url, None, (one,), "fixed")
    incident = ProductionEventContent(
        str(ID), 31, name, name, state, name, name, "high", 4.21, "p99", 0.0012, 0.0022, 1.83, 1.71, 1.96, None, name
    )
    return NotificationContent(event, ID, ID, url, what=state, production_event=incident)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("event", [*sorted(INCIDENT_EVENTS), NotificationEvent.TEST])
def test_messages_fit_the_published_schemas(event: NotificationEvent, name: str) -> None:
    one = content(event, name)
    for action in AlertAction:
        assert faults("pagerduty_event", make_pagerduty_event(one, action, KEY)) == []
    assert faults("opsgenie_alert", make_opsgenie_alert(one)) == []
    assert faults("opsgenie_change", make_opsgenie_change()) == []
    body = make_teams_message(one)
    assert faults("teams_message", json.loads(body)) == []
    assert len(body) < 28 << 10, "the limit of Teams"


def test_the_schemas_find_what_does_not_fit() -> None:
    event = make_pagerduty_event(content(NotificationEvent.OPENED), AlertAction.TRIGGER, KEY)
    assert faults("pagerduty_event", {**event, "payload": {**event["payload"], "summary": 1_025 * "x"}})
    assert faults("pagerduty_event", {key: value for key, value in event.items() if key != "payload"})
    assert faults("opsgenie_alert", {**make_opsgenie_alert(content(NotificationEvent.OPENED)), "message": 131 * "x"})
    assert faults("teams_message", {"type": "message", "text": "x", "attachments": []})


@pytest.mark.parametrize(
    ("event", "state", "expected"),
    [
        (NotificationEvent.OPENED, "new", AlertAction.TRIGGER),
        (NotificationEvent.CHANGED, "new", AlertAction.TRIGGER),
        (NotificationEvent.CHANGED, "investigating", AlertAction.ACKNOWLEDGE),
        (NotificationEvent.CHANGED, "fixed", AlertAction.RESOLVE),
        (NotificationEvent.CHANGED, "ignored", AlertAction.RESOLVE),
        (NotificationEvent.PRODUCTION_OPENED, "new", AlertAction.TRIGGER),
        (NotificationEvent.PRODUCTION_UPDATED, "new", AlertAction.TRIGGER),
        (NotificationEvent.PRODUCTION_UPDATED, "acknowledged", AlertAction.ACKNOWLEDGE),
        (NotificationEvent.PRODUCTION_CLOSED, "new", AlertAction.RESOLVE),
    ],
)
def test_the_state_of_an_incident_decides_the_action(
    event: NotificationEvent, state: str, expected: AlertAction
) -> None:
    assert decide_alert_action(content(event, state=state)) is expected


def test_all_events_of_an_incident_share_a_key() -> None:
    opened = content(NotificationEvent.PRODUCTION_OPENED)
    closed = content(NotificationEvent.PRODUCTION_CLOSED)
    keys = {make_pagerduty_event(each, AlertAction.TRIGGER, KEY)["dedup_key"] for each in (opened, closed)}
    assert keys == {make_opsgenie_alert(opened)["alias"]} == {f"slowpath:{ID}"}
    assert opened.thread() == closed.thread() == str(ID)
    other = replace(opened, subject_id=UUID(int=2))
    assert make_opsgenie_alert(other)["alias"] not in keys


def test_the_severity_decides_who_is_woken() -> None:
    def severities(one: NotificationContent) -> tuple[str, str]:
        event: dict[str, Any] = make_pagerduty_event(one, AlertAction.TRIGGER, KEY)
        return event["payload"]["severity"], make_opsgenie_alert(one)["priority"]

    assert severities(content(NotificationEvent.PRODUCTION_OPENED)) == ("critical", "P1")
    assert severities(content(NotificationEvent.OPENED)) == ("warning", "P3")
    assert severities(content(NotificationEvent.TEST)) == ("info", "P5")


def test_names_in_a_card_are_texts_without_markup() -> None:
    card = json.loads(make_teams_message(content(NotificationEvent.PRODUCTION_OPENED, EVIL)))["attachments"][0][
        "content"
    ]
    assert {block["type"] for block in card["body"]} == {"RichTextBlock"}
    assert "entities" not in card.get("msteams", {})
    assert "\u202e" not in json.dumps(card, ensure_ascii=False)


def test_the_query_of_a_workflow_is_split_off() -> None:
    assert split_workflow_url("https://x.example/a?sig=b%2Fc&sp=1") == ("https://x.example/a", "?sig=b%2Fc&sp=1")
    assert split_workflow_url("https://x.example/a") == ("https://x.example/a", "")
