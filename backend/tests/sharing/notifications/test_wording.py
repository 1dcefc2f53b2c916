"""External texts are put on one line, harmless at their destination."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from slowpath.sharing.notifications import wording
from slowpath.sharing.notifications.rules import (
    INCIDENT_EVENTS,
    OPTIONAL_EVENTS,
    PRODUCTION_EVENTS,
    USUAL_EVENTS,
    BuildContent,
    NotificationContent,
    NotificationEvent,
    ProductionEventContent,
    RegressionContent,
    pause_after,
    plain,
)

EVIL = "<img src=x onerror=alert(1)>\r\nBcc: all@example.com\u202e <!channel> @everyone [x](http://evil) `--> =cmd()"
ID = UUID("00000000-0000-4000-8000-000000000001")


def notification(event: NotificationEvent = NotificationEvent.JUDGED, name: str = EVIL) -> NotificationContent:
    one = RegressionContent(str(ID), 7, name, "new", name, name, "a" * 40, 1.31, 1.2, 1.45, name)
    build = BuildContent(str(ID), name, "a" * 40, name, 12, "changed", name)
    return NotificationContent(event, ID, ID, "https://slowpath.example/t/x", build, (one,), "fixed")


def test_stored_content_equals_the_notification() -> None:
    assert NotificationContent.from_json(json.loads(json.dumps(notification().to_json()))) == notification()


@pytest.mark.parametrize("event", [NotificationEvent.OPENED, NotificationEvent.CHANGED, NotificationEvent.JUDGED])
def test_hostile_names_are_harmless_in_slack(event: NotificationEvent) -> None:
    body = json.loads(wording.slack(notification(event)))
    *named, link = [block["text"] for block in body["blocks"]]
    text = body["text"] + "".join(each["text"] for each in named)
    assert "<!channel>" not in text
    assert "<img" not in text
    assert "\u202e" not in text
    assert link == {"type": "mrkdwn", "text": "<https://slowpath.example/t/x|Open in Slowpath>"}


def test_a_method_of_a_pointer_is_no_markup_in_slack() -> None:
    body = json.loads(wording.slack(notification(NotificationEvent.OPENED, "(*Cart).Total & `x` _y_")))
    assert body["mrkdwn"] is False
    assert [block["text"]["type"] for block in body["blocks"]] == ["plain_text", "plain_text", "mrkdwn"]
    assert "(*Cart).Total &amp; `x` _y_" in body["blocks"][0]["text"]["text"]


@pytest.mark.parametrize("name", ["x" * 5_000, "<&" * 2_500])
def test_slack_is_sent_no_more_than_it_takes(name: str) -> None:
    blocks = json.loads(wording.slack(notification(NotificationEvent.OPENED, name)))["blocks"]
    assert [block["type"] for block in blocks] == ["header", "section", "section", "section"]
    assert len(blocks[0]["text"]["text"]) <= 150
    assert all(len(block["text"]["text"]) <= 3_000 for block in blocks)
    assert not any(block["text"]["text"].rstrip("…").endswith(("&", "&l", "&lt")) for block in blocks)


def test_hostile_names_are_harmless_in_markdown() -> None:
    text = wording.comment(notification())
    assert text.startswith(wording.comment_marker(notification()))
    assert text.count("-->") == 1  # the mark's own
    assert "<img" not in text
    assert "@everyone" not in text
    assert "[x](" not in text


COMMANDS = "/approve\n/merge @all <!channel> <!here> <@U0> %1 &2 $3 !4 #5 ~bug cc @group/team"


@pytest.mark.parametrize("event", list(NotificationEvent))
def test_no_message_contains_a_command_or_a_mention(event: NotificationEvent) -> None:
    content = notification(event, COMMANDS)
    *_, link = json.loads(wording.slack(content))["blocks"]
    slack = wording.slack(content).decode().replace(json.dumps(link["text"]["text"]), "")
    assert not any(mention in slack for mention in ("<!", "<@"))
    title, body = wording.issue(content)
    for text in (wording.comment(content), body):
        lines = text.splitlines()
        assert not any(line.lstrip(" *-").startswith("/") for line in lines[1:])
        assert "@a" not in text
        assert "@g" not in text
        assert not re.search(r"(?<!\\)[%$!#~&][1-5b]", text)
    assert not title.startswith("/")
    assert "@a" not in title


def test_a_comment_is_posted_once_per_event() -> None:
    same = notification(name="Clone takes more time: ×1.31 (1.2 to 1.45), since aaaaaaa.")
    assert same.build is not None
    same = replace(same, build=replace(same.build, service="shop"))
    assert wording.comment(same).count("takes more time") == 1
    assert ".," not in wording.comment(same)
    other = replace(same, regressions=(*same.regressions, replace(same.regressions[0], sentence="So does Copy.")))
    assert "So does Copy." in wording.comment(other)


def test_a_subject_is_one_line() -> None:
    subject, text = wording.mail(notification(NotificationEvent.OPENED))
    assert "\n" not in subject
    assert "\r" not in subject + text
    assert "https://slowpath.example/t/x" in text


def test_a_status_fits_and_fails_on_a_change_only() -> None:
    status = wording.status(notification(name="x" * 500))
    assert len(status["description"]) == wording.STATUS_LENGTH
    assert status["state"] == "failure"
    passed = NotificationContent(
        NotificationEvent.JUDGED, ID, ID, "https://x", BuildContent("1", "shop", "a" * 40, None, None, "passed", "fine")
    )
    assert (wording.status(passed)["state"], wording.status(passed)["context"]) == ("success", "slowpath/shop")


def test_a_webhook_has_the_members_of_the_standard() -> None:
    body = json.loads(
        wording.webhook(notification(NotificationEvent.CHANGED, "shop"), datetime(2026, 11, 21, tzinfo=UTC))
    )
    assert set(body) == {"type", "timestamp", "data"}
    assert (body["type"], body["data"]["what"]) == ("regression.updated", "fixed")
    assert body["data"]["regressions"][0]["number"] == 7


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\r\nb\tc\x00d", "a b c d"),
        ("\u2066x\u2069\u200b", "x"),
        ("  ", ""),
        ("abcdef", "abcde"[:4] + "…"),
        ("\ud800", ""),
    ],
)
def test_plain(text: str, shown: str) -> None:
    assert plain(text, 5 if text == "abcdef" else 100) == shown


def test_tries_grow_over_three_days_and_end() -> None:
    pauses = [pause_after(failures) for failures in range(1, 12)]
    assert pauses[-1] is None
    known = [pause for pause in pauses if pause is not None]
    assert known == sorted(known)
    assert sum(known) > 3 * 86_400


def production(event: NotificationEvent, name: str = "checkout", what: str = "") -> NotificationContent:
    fields = (
        str(ID),
        31,
        name,
        "prod",
        "open",
        f"p99 of {name} is 1.8 times as high",
        f"Deployment of {name}.",
        "high",
    )
    content = ProductionEventContent(*fields, 4.21, "p99", 0.0012, 0.0022, 1.83, 1.71, 1.96, "b" * 40, name)
    return NotificationContent(event, ID, ID, "https://slowpath.example/t/x", what=what, production_event=content)


def test_a_production_event_states_place_change_and_cost() -> None:
    one = production(NotificationEvent.PRODUCTION_OPENED)
    assert NotificationContent.from_json(json.loads(json.dumps(one.to_json()))) == one
    assert wording.format_headline(one) == "checkout in prod got slower: p99 of checkout is 1.8 times as high"
    assert wording.describe_event(one) == [
        "Deployment of checkout.",
        "p99: 1.20 ms to 2.20 ms, ×1.83, significant (95% CI 1.71 to 1.96).",
        "Severity: high, 4.21 s of latency added per second.",
        "Since bbbbbbbbbb; assigned to checkout.",
    ]
    assert (
        json.loads(wording.webhook(one, datetime(2026, 11, 21, tzinfo=UTC)))["data"]["production_event"]["number"] == 31
    )


def test_a_changed_production_event_is_named_by_its_number() -> None:
    updated = production(NotificationEvent.PRODUCTION_UPDATED, what="assigned to Mia")
    closed = production(NotificationEvent.PRODUCTION_CLOSED)
    assert wording.format_headline(updated).startswith("Event 31 of checkout in prod is assigned to Mia: ")
    assert wording.format_headline(closed) == "Event 31 of checkout in prod is closed: Deployment of checkout."


def test_an_event_of_load_or_of_a_gauge_does_not_call_the_service_slower() -> None:
    opened = production(NotificationEvent.LOAD_CHANGED)
    assert opened.production_event is not None
    load = replace(opened.production_event, kind="load", signal="qps", title="load is 3.0 times as high", before=40.0)
    opened = replace(opened, production_event=replace(load, after=120.0, added_seconds_per_second=None))
    assert wording.format_headline(opened) == "checkout in prod: load is 3.0 times as high"
    assert wording.describe_event(opened)[1:3] == [
        "load: 40 to 120 requests/s, ×1.83, significant (95% CI 1.71 to 1.96).",
        "Severity: high.",
    ]
    queue = replace(load, kind="gauge", signal="gauge", gauge="queue_depth", before=0.0, after=60.0)
    assert wording.describe_event(replace(opened, production_event=queue))[1].startswith("queue_depth: 0 to 60, ")
    closed = replace(opened, what="closed")
    assert wording.format_headline(closed) == "Event 31 of checkout in prod is closed: Deployment of checkout."
    assert wording.mail(closed)[0] == f"Re: {wording.mail(opened)[0]}"


def test_what_is_rarely_urgent_is_sent_only_where_it_is_chosen() -> None:
    assert all(not events & OPTIONAL_EVENTS for events in USUAL_EVENTS.values())
    assert OPTIONAL_EVENTS <= PRODUCTION_EVENTS <= INCIDENT_EVENTS


def test_hostile_names_of_a_production_event_are_harmless() -> None:
    body = json.loads(wording.slack(production(NotificationEvent.PRODUCTION_OPENED, EVIL)))
    assert "<!channel>" not in json.dumps(body)
    subject, _text = wording.mail(production(NotificationEvent.PRODUCTION_OPENED, EVIL))
    assert "\n" not in subject
