"""Subscriptions over HTTP, and links that end them: without sign-in, by a POST only, and only what they name."""

import base64
from collections.abc import Callable
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import UserId, new_id
from slowpath.core.link_signatures import create_link_signer
from slowpath.inventory.catalog.service import ensure_service
from slowpath.sharing.subscriptions.rules import INVALID_LINKS
from slowpath.sharing.subscriptions.service import service_subscriptions
from slowpath.sharing.subscriptions.service.unsubscribe_links import make_unsubscribe_url
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import PUBLIC_URL, AppUnderTest

pytestmark = pytest.mark.database

Subscribe = Callable[[UserId, str | None], UUID]


@pytest.fixture
def client(app: AppUnderTest, team: SomeTeam) -> TestClient:
    return app.asked(cookie=team.owner.cookie, team=team.id)


@pytest.fixture
def subscribe(app: AppUnderTest, team: SomeTeam) -> Subscribe:
    def create(user_id: UserId, slug: str | None) -> UUID:
        with app.database.writing(TeamScope(team.id, user_id)) as session:
            service_id = ensure_service(session, slug).id if slug else None
            return service_subscriptions.subscribe(session, service_id, user_id).id  # type: ignore[arg-type]

    return create


def token_of(app: AppUnderTest, team: SomeTeam, user_id: UserId, *subscription_ids: UUID) -> str:
    url = make_unsubscribe_url(PUBLIC_URL, create_link_signer(app.settings), team.id, user_id, subscription_ids)
    assert url.startswith(f"{PUBLIC_URL}/unsubscribe/")
    return url.rsplit("/", 1)[1]


def services_of(client: TestClient) -> list[str | None]:
    return [each["service_id"] for each in client.get("/api/v1/subscriptions").json()["items"]]


def test_a_user_subscribes_to_a_service_with_a_choice_of_events(
    app: AppUnderTest, team: SomeTeam, client: TestClient
) -> None:
    with app.database.writing(TeamScope(team.id)) as session:
        service_id = str(ensure_service(session, "shop").id)
    path = f"/api/v1/services/{service_id}/subscription"
    assert client.get(path).json() == {
        "service_id": service_id, "is_subscribed": False, "is_of_all_services": False, "events": [],
        "min_severity": "low", "subscribers": 0,
    }  # fmt: skip
    assert [client.put(path).json()["subscribers"] for _ in range(2)] == [1, 1]
    changed = client.put(path, json={"events": ["production-event.opened"], "min_severity": "high"}).json()
    assert (changed["events"], changed["min_severity"]) == (["production-event.opened"], "high")
    assert client.put(path, json={"min_severity": "low"}).json()["events"] == ["production-event.opened"]
    invalid: list[dict[str, object]] = [
        {"events": []}, {"events": ["channel.test"]}, {"min_severity": "none"}, {"user_id": str(new_id())},
    ]  # fmt: skip
    for body in invalid:
        assert client.put(path, json=body).status_code == 422
    assert client.delete(path).json()["subscribers"] == 0


def test_a_subscription_to_all_services_is_one(app: AppUnderTest, team: SomeTeam, client: TestClient) -> None:
    with app.database.writing(TeamScope(team.id)) as session:
        service_id = str(ensure_service(session, "shop").id)
    for severity in ("low", "high"):
        client.put("/api/v1/subscriptions/all-services", json={"min_severity": severity})
    assert client.get("/api/v1/subscriptions").json()["items"][0]["min_severity"] == "high"
    state = client.get(f"/api/v1/services/{service_id}/subscription").json()
    assert (state["is_subscribed"], state["is_of_all_services"], state["subscribers"]) == (True, True, 1)
    client.put(f"/api/v1/services/{service_id}/subscription")
    assert services_of(client) == [None, service_id]
    assert client.delete("/api/v1/subscriptions/all-services").status_code == 204
    assert services_of(client) == [service_id]


def test_a_token_has_no_subscription(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> None:
    program = app.asked(token=people.token(team).secret)
    assert program.get("/api/v1/subscriptions").json() == {"items": []}
    assert program.put("/api/v1/subscriptions/all-services").json()["title"] == "Sign in as a user"


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, 200),
        ({"quiet_from": "22:00", "quiet_to": "07:00"}, 200),
        ({"quiet_from": "22:00"}, 422),
        ({"quiet_from": "22:00", "quiet_to": "22:00"}, 422),
        ({"quiet_from": "24:00", "quiet_to": "07:00"}, 422),
        ({"quiet_from": "22:00\n", "quiet_to": "07:00"}, 422),
        ({"time_zone": "Mars/Olympus"}, 422),
        ({"time_zone": "../../etc/passwd"}, 422),
        ({"digest_hour": 24}, 422),
        ({"digest_hour": True}, 422),
        ({"is_high_severity_immediate": "yes"}, 422),
        ({"frequency": "hourly"}, 422),
    ],
)
def test_a_schedule_is_valid_or_rejected(client: TestClient, changed: dict[str, object], status: int) -> None:
    body = {"frequency": "daily", "digest_hour": 8, "time_zone": "Europe/Berlin", **changed}
    answer = client.put("/api/v1/mail-schedule", json=body)
    assert answer.status_code == status, answer.text
    stored = client.get("/api/v1/mail-schedule").json()
    assert stored["is_stored"] is (status == 200)
    assert stored["time_zone"] == ("Europe/Berlin" if status == 200 else "UTC")


def test_the_hours_of_a_schedule_are_in_the_zone_of_the_account(client: TestClient) -> None:
    body = {"frequency": "daily", "digest_hour": 8, "time_zone": "Europe/Berlin"}
    client.put("/api/v1/mail-schedule", json=body)
    assert client.patch("/api/v1/user", json={"time_zone": "Asia/Tokyo"}).status_code == 200
    assert client.get("/api/v1/mail-schedule").json()["time_zone"] == "Asia/Tokyo"
    assert client.put("/api/v1/mail-schedule", json=body).json()["time_zone"] == "Asia/Tokyo"
    client.patch("/api/v1/user", json={"time_zone": None})
    assert client.get("/api/v1/mail-schedule").json()["time_zone"] == "Europe/Berlin"


def test_a_link_shows_what_it_ends_and_only_a_post_ends_it(
    app: AppUnderTest, team: SomeTeam, client: TestClient, subscribe: Subscribe
) -> None:
    own = team.owner.user_id
    token = token_of(app, team, own, subscribe(own, "shop"))
    subscribe(own, "cart")
    stranger = app.asked()
    for _ in range(2):  # a scanner of mails opens links
        shown = stranger.get(f"/api/v1/unsubscribe/{token}")
        assert shown.json() == {"is_subscribed": True, "team_name": team.name, "service_name": "shop"}
        assert stranger.get(f"/unsubscribe/{token}").status_code in {200, 503}, "the page, if it is built"
    assert len(services_of(client)) == 2
    assert shown.headers["Referrer-Policy"] == "no-referrer"
    assert shown.headers["Cache-Control"] == "no-store"

    one_click = {
        "content": b"List-Unsubscribe=One-Click",
        "headers": {"Content-Type": "application/x-www-form-urlencoded"},
    }
    for _ in range(2):  # a mail service that repeats it gets the same response
        ended = stranger.post(f"/unsubscribe/{token}", **one_click)  # type: ignore[arg-type]
        assert (ended.status_code, ended.json()["is_subscribed"]) == (200, False)
    assert len(services_of(client)) == 1, "the other subscription stays"
    after = stranger.get(f"/api/v1/unsubscribe/{token}").json()
    assert after == {"is_subscribed": False, "team_name": "", "service_name": None}, "an old link names nothing"


def test_the_link_of_a_mail_of_several_subscriptions_ends_those_of_its_user_only(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, client: TestClient, subscribe: Subscribe
) -> None:
    ann = people.member(team)
    token = token_of(app, team, ann.user_id, subscribe(ann.user_id, "shop"), subscribe(ann.user_id, None))
    subscribe(team.owner.user_id, "shop")
    assert app.asked().post(f"/unsubscribe/{token}").status_code == 200
    assert services_of(app.asked(cookie=ann.cookie, team=team.id)) == []
    assert len(services_of(client)) == 1


def test_forged_tokens_end_nothing_and_are_limited(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, client: TestClient, subscribe: Subscribe
) -> None:
    own = team.owner.user_id
    mine, other = subscribe(own, "shop"), subscribe(own, "cart")
    token = token_of(app, team, own, mine)
    value = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))

    def encoded(forged: bytes) -> str:
        return base64.urlsafe_b64encode(forged).decode().rstrip("=")

    swapped = value.replace(mine.bytes, other.bytes)
    of_all = b"u" + team.id.bytes + own.bytes + value[-32:]
    other_key = create_link_signer(app.settings.model_copy(update={"secret_key": app.settings.broker_url}))
    foreign = other_key.sign("unsubscribe", b"1" + team.id.bytes + mine.bytes)
    other_purpose = create_link_signer(app.settings).sign("reset", b"1" + team.id.bytes + mine.bytes)
    shorter, flipped = encoded(value[:-1]), encoded(value[:-1] + bytes([value[-1] ^ 1]))
    stranger = app.asked()
    forged = [
        encoded(swapped),
        encoded(of_all),
        foreign,
        other_purpose,
        shorter,
        flipped,
        "",
        "%00",
        "a",
        "é" * 5,
        "x" * 199,
    ]
    for each in forged:
        for answer in (stranger.get(f"/api/v1/unsubscribe/{each}"), stranger.post(f"/unsubscribe/{each}")):
            assert answer.status_code in {404, 405}, (each, answer.text)
            assert "shop" not in answer.text
    assert len(services_of(client)) == 2

    for _ in range(INVALID_LINKS[0]):
        answer = stranger.post("/api/v1/unsubscribe/forged")
    assert answer.status_code == 429
    assert stranger.post(f"/api/v1/unsubscribe/{token}").status_code == 200, "valid links are never limited"


def test_a_link_of_one_team_does_not_reach_another(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, client: TestClient, subscribe: Subscribe
) -> None:
    own = team.owner.user_id
    mine = subscribe(own, "shop")
    elsewhere = people.team()
    token = token_of(app, elsewhere, own, mine)
    assert app.asked().post(f"/unsubscribe/{token}").status_code == 200
    assert len(services_of(client)) == 1


def test_a_page_of_another_site_cannot_unsubscribe(
    app: AppUnderTest, team: SomeTeam, client: TestClient, subscribe: Subscribe
) -> None:
    own = team.owner.user_id
    token = token_of(app, team, own, subscribe(own, "shop"))
    answer = app.asked().post(f"/api/v1/unsubscribe/{token}", headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert len(services_of(client)) == 1
