"""Messages of a Slack app fit Block Kit, whatever the names contain; requests of Slack are believed only if signed now."""

import json
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import jsonschema_rs
import pytest

from slowpath.sharing.notifications import wording
from slowpath.sharing.notifications.rules import (
    INCIDENT_EVENTS,
    NotificationContent,
    NotificationEvent,
    ProductionEventContent,
    RegressionContent,
)
from slowpath.sharing.notifications.service.slack_app import is_signed_by_slack
from tests.support.fake_slack import SIGNING_SECRET, sign

SCHEMA = Path(__file__).parent / "testdata" / "slack_message.json"
ID = UUID("00000000-0000-4000-8000-000000000001")
EVIL = "<!channel> <@U0> *bold* [x](http://evil) & \r\n\u202e"
NAMES = ["checkout", EVIL, 3_000 * "x", 3_000 * "é&", ""]
NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
BODY = b"payload=%7B%7D"


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
def test_messages_and_replies_fit_block_kit(event: NotificationEvent, name: str) -> None:
    schema = jsonschema_rs.validator_for(json.loads(SCHEMA.read_text()))
    for message in (wording.slack_app(content(event, name)), wording.slack_reply(content(event, name))):
        assert [error.message for error in schema.iter_errors(message)] == []
        texts = json.dumps([block for block in message["blocks"] if block["type"] != "actions"])
        assert "<!channel>" not in texts
        assert "<@U0>" not in texts


def test_only_an_incident_that_has_not_ended_has_buttons() -> None:
    def buttons(one: NotificationContent) -> list[str]:
        blocks = wording.slack_app(one)["blocks"]
        return [button["value"] for block in blocks for button in block.get("elements", [])]

    assert buttons(content(NotificationEvent.PRODUCTION_OPENED)) == [f"production-event:{ID}"] * 2
    assert buttons(content(NotificationEvent.OPENED)) == [f"regression:{ID}"] * 2
    assert buttons(content(NotificationEvent.PRODUCTION_CLOSED, state="closed")) == []
    assert buttons(content(NotificationEvent.TEST)) == []


def test_a_signature_is_of_this_secret_this_body_and_the_last_five_minutes() -> None:
    at = NOW.timestamp()

    def believed(headers: dict[str, str], body: bytes = BODY) -> bool:
        timestamp, signature = headers["X-Slack-Request-Timestamp"], headers["X-Slack-Signature"]
        return is_signed_by_slack(SIGNING_SECRET, timestamp, signature, body, NOW)

    assert believed(sign(BODY, at))
    assert believed(sign(BODY, at - 300))
    assert not believed(sign(BODY, at - 301))
    assert not believed(sign(BODY, at + 301)), "of the future"
    assert not believed(sign(BODY, at), BODY + b" ")
    assert not believed(sign(BODY, at, secret="f" * 32))
    assert not believed(sign(BODY, at) | {"X-Slack-Request-Timestamp": str(int(at) - 1)}), "the time is signed"
    for forged in ("", "v0=", "v1=" + "0" * 64, "v0=" + "é" * 64, sign(BODY, at)["X-Slack-Signature"][3:]):
        assert not believed(sign(BODY, at) | {"X-Slack-Signature": forged})
    for forged in ("", "now", "-1", "1e9", " 1", "9" * 400, "\u0661\u0662"):
        assert not believed(sign(BODY, at) | {"X-Slack-Request-Timestamp": forged})


def test_the_vendors_example_verifies() -> None:
    """The values of docs.slack.dev/authentication/verifying-requests-from-slack."""
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V"
        b"&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text="
        b"&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN"
        b"&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    signature = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
    at = datetime.fromtimestamp(1531420618, UTC)
    assert is_signed_by_slack("8f742231b10e8888abcd99yyyzzz85a5", "1531420618", signature, body, at)
