"""The inbox over HTTP: rows of every kind, actions with undo, saved views; few queries for many items."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import new_id
from slowpath.evidence.metric_sources.tables import MetricSource
from slowpath.inventory.catalog.tables import Deployment, Environment, Service
from slowpath.platform.accounts.rules.roles import Role, TokenScope
from slowpath.sharing.inbox.service import triage_retention
from slowpath.sharing.notifications.tables import NotificationChannel
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.production_events.tables import ProductionEvent
from slowpath.verdicts.regressions.tables import Regression
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.statements import Statements

pytestmark = pytest.mark.database

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ACT = "/api/v1/inbox/actions"


class Desk:
    """One service in one environment, and rows of each kind."""

    def __init__(self, app: AppUnderTest, team: SomeTeam) -> None:
        self.app, self.team = app, team
        self.service_id, self.environment_id = new_id(), new_id()
        self.write(
            Service(id=self.service_id, slug="checkout", name="Checkout"),
            Environment(id=self.environment_id, slug="prod", name="Production"),
        )

    def write(self, *rows: Any) -> None:  # noqa: ANN401 - rows of any table
        with self.app.database.writing(TeamScope(self.team.id)) as session:
            for row in rows:
                row.team_id = self.team.id
                session.add(row)

    def event(self, number: int | None = 31, **fields: Any) -> UUID:  # noqa: ANN401 - any column
        values = {
            "state": "new", "signal": "p99", "title": "p99 is 1.8 times as high", "sentence": "It rose.",
            "cause": "deployment", "before": 0.1, "after": 0.18, "ratio": 1.8, "ratio_low": 1.7, "ratio_high": 1.9,
            "severity": "high", "added_seconds_per_second": 4.2, "started_at": NOW, "earliest_at": NOW,
            "number": number, "detected_at": NOW, "occurred_at": NOW, "announced_at": NOW, "commit": "b" * 40,
        }  # fmt: skip
        row = ProductionEvent(
            id=new_id(),
            service_id=self.service_id,
            environment_id=self.environment_id,
            **{**values, **fields},
        )
        event_id = row.id
        self.write(row)
        return event_id

    def regression(self, number: int | None = 7, **fields: Any) -> UUID:  # noqa: ANN401 - any column
        values = {
            "number": number, "branch": "main", "state": "new", "title": "decode takes more time", "sentence": "It takes more time.",
            "kind": "profile.function", "subject": "app.decode", "unit": "us/request", "direction": "worse",
            "ratio": 1.3, "ratio_low": 1.2, "ratio_high": 1.4, "since_at": NOW, "confirmed": True,
        }  # fmt: skip
        row = Regression(id=new_id(), service_id=self.service_id, **{**values, **fields})
        regression_id = row.id
        self.write(row)
        return regression_id

    def bisect(self, state: str, **fields: Any) -> UUID:  # noqa: ANN401 - any column
        row = Bisect(
            id=new_id(), number=3, title="Find it", service_id=self.service_id, good_sha="a" * 40, bad_sha="b" * 40,
            state=state, signature={}, settings={}, **fields,
        )  # fmt: skip
        bisect_id = row.id
        self.write(row)
        return bisect_id


@pytest.fixture
def desk(app: AppUnderTest, team: SomeTeam) -> Desk:
    return Desk(app, team)


@pytest.fixture
def client(app: AppUnderTest, team: SomeTeam) -> TestClient:
    return app.asked(cookie=team.owner.cookie, team=team.id)


def inbox(client: TestClient, **query: Any) -> dict[str, Any]:  # noqa: ANN401 - any parameter
    answer = client.get("/api/v1/inbox", params=query)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def act(client: TestClient, action: dict[str, Any], *items: tuple[str, UUID]) -> dict[str, Any]:
    body = {"items": [{"kind": kind, "id": str(subject_id)} for kind, subject_id in items], "action": action}
    answer = client.post(ACT, json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def undo(client: TestClient, outcome: dict[str, Any]) -> None:
    for request in outcome["undo"]:
        assert client.post(ACT, json=request).status_code == 200


def test_rows_of_every_kind_are_listed_in_order(client: TestClient, desk: Desk) -> None:
    desk.event()
    desk.regression()
    desk.bisect("waiting-approval")
    desk.write(
        NotificationChannel(
            id=new_id(), kind="slack", label="#latency", target={}, events=[], state="disabled-after-failures",
            failing_since=NOW, problem={"detail": "Slack answered 404."},
        ),
        NotificationChannel(id=new_id(), kind="slack", label="fine", target={}, events=[], state="on"),
        MetricSource(
            id=new_id(), label="prometheus", url="https://p.example", credentials="none",
            last_check={"at_ms": 1_795_262_400_000, "detail": "It does not respond."},
        ),
        MetricSource(id=new_id(), label="fine", url="https://f.example", credentials="none"),
    )  # fmt: skip
    body = inbox(client)
    assert [(each["kind"], each["severity"]) for each in body["items"]] == [
        ("production-event", "high"),
        ("regression", "medium"),
        ("channel", "high"),
        ("bisect", "medium"),
        ("metric-source", "medium"),
    ]
    first = body["items"][0]
    assert (first["service"]["slug"], first["environment"]["name"], first["group"]) == (
        "checkout",
        "Production",
        "production",
    )
    assert first["change"] == {"ratio": 1.8, "low": 1.7, "high": 1.9}
    assert body["items"][4]["detail"] == "The last check failed: It does not respond."
    assert body["counts"] == {
        "needs_action": 5, "mine": 0, "production": 1, "regressions": 1, "snoozed": 0, "closed": 0, "unassigned": 5,
        "unread": 5,
    }  # fmt: skip
    assert body["headline"] == "5 items need an action, 2 of high severity. First: checkout: p99 is 1.8 times as high."


def test_unconfirmed_and_old_rows_are_not_listed(client: TestClient, desk: Desk) -> None:
    desk.event(number=None)
    desk.regression(number=None, confirmed=False)
    desk.bisect("found", finished_at=NOW - timedelta(days=400))
    body = inbox(client)
    assert (body["items"], body["headline"]) == ([], "Nothing needs an action.")


def test_pages_continue_after_the_last_item(client: TestClient, desk: Desk) -> None:
    for number in range(5):
        desk.event(number + 1, added_seconds_per_second=float(number))
    first = inbox(client, limit=2)
    second = inbox(client, limit=2, cursor=first["next_cursor"])
    third = inbox(client, limit=2, cursor=second["next_cursor"])
    numbers = [each["number"] for page in (first, second, third) for each in page["items"]]
    assert numbers == [5, 4, 3, 2, 1]
    assert third["next_cursor"] is None
    assert client.get("/api/v1/inbox", params={"cursor": "x"}).status_code == 422


def test_each_action_is_taken_and_undone(client: TestClient, desk: Desk, team: SomeTeam) -> None:
    event, regression = ("production-event", desk.event()), ("regression", desk.regression())
    other = desk.event(32)
    me = str(team.owner.user_id)
    actions: list[tuple[dict[str, Any], str, Any]] = [
        ({"type": "assign", "assignee_id": me}, "assignee", {"id": me, "name": team.owner.name}),
        ({"type": "set-state", "state": "acknowledged"}, "state", "acknowledged"),
        ({"type": "set-due", "due_on": "2026-12-01"}, "due_on", "2026-12-01"),
        ({"type": "snooze", "rule": "next-deployment"}, "snooze", {"rule": "next-deployment", "until": None}),
        ({"type": "mute", "reason": "A known batch job."}, "mute_reason", "A known batch job."),
    ]
    for action, member, expected in actions:
        outcome = act(client, action, event, regression)
        assert [each["item"][member] for each in outcome["results"]] == [expected] * 2, action
        undo(client, outcome)
        items = {each["id"]: each for each in inbox(client)["items"]}
        assert items[str(event[1])][member] in (None, "new"), action
    outcome = act(client, {"type": "merge", "into": {"kind": "production-event", "id": str(other)}}, event)
    assert [each["merged"] for each in inbox(client, view="production")["items"]] == [1]
    undo(client, outcome)
    assert len(inbox(client, view="production")["items"]) == 2


def test_an_action_that_fails_for_one_item_does_not_stop_the_others(client: TestClient, desk: Desk) -> None:
    event, missing, waiting = desk.event(), new_id(), desk.bisect("paused")
    items = [("production-event", missing), ("bisect", waiting), ("production-event", event)]
    outcome = act(client, {"type": "set-state", "state": "investigating"}, *items)
    assert [(each["problem"] or {}).get("title") for each in outcome["results"]] == [
        "No such item",
        "The action does not apply",
        None,
    ]
    assert outcome["results"][2]["item"]["state"] == "investigating"
    assert len(outcome["undo"]) == 1


@pytest.mark.parametrize(
    "action",
    [
        {"type": "snooze", "rule": "time"},
        {"type": "snooze", "rule": "next-deployment", "until": "2026-12-01T00:00:00Z"},
        {"type": "mute", "reason": " "},
        {"type": "fixed-by", "commit": "abcdef1", "build_id": str(UUID(int=1))},
        {"type": "set-state", "state": "gone"},
        {"type": "explode"},
    ],
)
def test_an_unclear_action_is_rejected(client: TestClient, desk: Desk, action: dict[str, Any]) -> None:
    body = {"items": [{"kind": "production-event", "id": str(desk.event())}], "action": action}
    assert client.post(ACT, json=body).status_code == 422


def test_only_a_proof_closes_a_production_event(client: TestClient, desk: Desk) -> None:
    event = ("production-event", desk.event())
    for state in ("closed", "fixed"):
        (result,) = act(client, {"type": "set-state", "state": state}, event)["results"]
        assert result["problem"]["status"] == 422
    act(client, {"type": "set-state", "state": "not-a-regression"}, event)
    (closed,) = inbox(client, view="closed")["items"]
    assert closed["closed"]["sentence"] == "Marked as not a regression."
    assert inbox(client)["counts"]["closed"] == 1


def test_a_snooze_until_the_next_deployment_ends_with_it(client: TestClient, desk: Desk, app: AppUnderTest) -> None:
    act(client, {"type": "snooze", "rule": "next-deployment"}, ("production-event", desk.event()))
    assert inbox(client)["items"] == []
    assert inbox(client)["counts"]["snoozed"] == 1
    started_at = app.clock.now() + timedelta(minutes=5)
    desk.write(
        Deployment(
            id=new_id(),
            service_id=desk.service_id,
            environment_id=desk.environment_id,
            started_at=started_at,
            commits=[],
        )
    )
    assert len(inbox(client)["items"]) == 1


def test_a_fix_is_stated_once_per_item(client: TestClient, desk: Desk) -> None:
    event, regression = ("production-event", desk.event()), ("regression", desk.regression())
    outcome = act(client, {"type": "fixed-by", "commit": "abcdef1234"}, event, regression)
    assert [each["item"]["state"] for each in outcome["results"]] == ["new", "fixed"]
    page = client.get(f"/api/v1/production-events/{event[1]}").json()
    assert page["history"][0]["sentence"] == "Fixed by abcdef1234, to be proven by its deployment."
    undo(client, outcome)
    page = client.get(f"/api/v1/production-events/{event[1]}").json()
    assert page["history"][0]["sentence"] == "Fix removed."
    assert len(inbox(client)["items"]) == 2


def test_undo_of_a_fix_restores_the_commit_that_was_named_before(client: TestClient, desk: Desk) -> None:
    regression = ("regression", desk.regression())

    def fix() -> tuple[str, str | None]:
        found = client.get(f"/api/v1/regressions/{regression[1]}").json()
        return found["state"], (found["fixed_by"] or {}).get("commit")

    first = act(client, {"type": "fixed-by", "commit": "abcdef1"}, regression)
    second = act(client, {"type": "fixed-by", "commit": "1234567"}, regression)
    assert fix() == ("fixed", "1234567")
    undo(client, second)
    assert fix() == ("fixed", "abcdef1")
    undo(client, first)
    assert fix() == ("new", None)


def test_a_page_without_evidence_says_so(client: TestClient, desk: Desk) -> None:
    page = client.get(f"/api/v1/production-events/{desk.event()}").json()
    assert (page["signals"], page["suspects"], page["comparison"]) == ([], [], None)
    assert page["suspects_reason"].startswith("The event is not caused by a deployment")
    assert page["range"]["from"] < page["range"]["to"]
    assert client.get(f"/api/v1/production-events/{new_id()}").status_code == 404


def test_before_and_after_are_compared_once(client: TestClient, desk: Desk) -> None:
    event_id = desk.event()
    first = client.post(f"/api/v1/production-events/{event_id}/comparison")
    assert first.status_code == 200, first.text
    assert client.post(f"/api/v1/production-events/{event_id}/comparison").json() == first.json()
    page = client.get(f"/api/v1/production-events/{event_id}").json()
    assert page["comparison"]["id"] == first.json()["comparison_id"]
    assert page["comparison"]["state"] == "waiting"


def test_an_event_is_discussed(client: TestClient, desk: Desk) -> None:
    event_id = str(desk.event())
    body = {"subject_kind": "production-event", "subject_id": event_id, "text": "It is the cache."}
    answer = client.post("/api/v1/comments", json=body)
    assert answer.status_code == 201, answer.text
    query = {"subject_kind": "production-event", "subject_id": event_id}
    assert len(client.get("/api/v1/comments", params=query).json()["items"]) == 1


def test_views_are_saved_shared_and_deleted(
    client: TestClient, app: AppUnderTest, people: AccountsFactory, team: SomeTeam
) -> None:
    other = app.asked(cookie=people.member(team, Role.MEMBER).cookie, team=team.id)
    fields = {"name": "mine", "filters": "view=mine&severity=high"}
    own = client.post("/api/v1/inbox/views", json=fields)
    assert own.status_code == 201, own.text
    assert client.post("/api/v1/inbox/views", json=fields).status_code == 409
    client.post("/api/v1/inbox/views", json={"name": "shared", "filters": "", "is_shared": True})
    assert [(each["name"], each["is_own"]) for each in client.get("/api/v1/inbox/views").json()["items"]] == [
        ("mine", True),
        ("shared", True),
    ]
    assert [each["name"] for each in other.get("/api/v1/inbox/views").json()["items"]] == ["shared"]
    assert other.delete(f"/api/v1/inbox/views/{own.json()['id']}").status_code == 404
    assert client.delete(f"/api/v1/inbox/views/{own.json()['id']}").status_code == 204
    token = app.asked(token=people.token(team, TokenScope.WRITE).secret)
    assert token.post("/api/v1/inbox/views", json=fields).status_code == 422


def test_a_thousand_items_are_listed_in_few_queries(client: TestClient, desk: Desk, queries: Statements) -> None:
    for number in range(500):
        desk.event(number + 1)
        desk.regression(number + 1)
    inbox(client)
    with queries.during() as counted:
        body = inbox(client)
    assert body["counts"]["needs_action"] == 1_000
    assert len(counted) <= 25
    of_shown = [each for each in counted.seen if "sparkline" in each]
    assert len(of_shown) == 1  # the first page shows events only
    assert all(".id IN" in each for each in of_shown)


def test_retention_deletes_the_triage_of_deleted_items(client: TestClient, desk: Desk, app: AppUnderTest) -> None:
    event, regression = ("production-event", desk.event()), ("regression", desk.regression())
    act(client, {"type": "mute", "reason": "known"}, event, regression)
    with app.database.writing(TeamScope(desk.team.id)) as session:
        session.delete(session.get_one(Regression, (desk.team.id, regression[1])))
        session.flush()
        assert triage_retention.delete_orphaned_triage(session, NOW) == 2  # a triage row and a read mark
    assert inbox(client)["counts"]["snoozed"] == 1


def test_an_item_is_read_by_its_subject(client: TestClient, desk: Desk, team: SomeTeam) -> None:
    bisect_id = desk.bisect("found")
    path = f"/api/v1/inbox/items/bisect/{bisect_id}"
    assert client.get(path).json()["assignee"] is None
    action = {"type": "assign", "assignee_id": str(team.owner.user_id)}
    client.post("/api/v1/inbox/actions", json={"items": [{"kind": "bisect", "id": str(bisect_id)}], "action": action})
    assert client.get(path).json()["assignee"]["id"] == str(team.owner.user_id)
    assert client.get(f"/api/v1/inbox/items/channel/{bisect_id}").status_code == 404
