"""Panels on pages of others: what a link shows, to which sites, and when it ends."""

import base64
import xml.etree.ElementTree as ET
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.core.link_signatures import LinkSigner
from slowpath.platform.accounts.rules.roles import Role, TokenScope
from slowpath.sharing.embedded_panels.rules import PURPOSE, VIEWS_BY_ADDRESS
from support.prometheus_oracle import REMOTE_WRITE_HEADERS, remote_write_body
from tests.evidence.metrics.dashboard_samples import SomeService
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database

NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""
HOUR = 3_600_000
PATH = "/api/v1/embedded-panels"


@pytest.fixture
def panel(app: AppUnderTest, people: AccountsFactory, team: SomeTeam, client: TestClient) -> dict[str, Any]:
    """Give the fields of a panel of a service with samples of two hours."""
    program = app.asked(token=people.token(team, TokenScope.UPLOAD).secret)
    some = SomeService("shop", NOW_MS - 2 * HOUR, NOW_MS, routes=("/pay", "<script>alert(1)</script>"))
    written = program.post(
        "/api/v1/metrics/write", content=remote_write_body(list(some.written())), headers=REMOTE_WRITE_HEADERS
    )
    assert written.status_code == 204, written.text
    (service,) = client.get("/api/v1/services").json()["items"]
    (environment,) = client.get("/api/v1/environments").json()["items"]
    return {"service_id": service["id"], "environment_id": environment["id"], "panel": "latency"}


def made(client: TestClient, fields: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(PATH, json=fields)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def path_of(url: str) -> str:
    return url.removeprefix("http://127.0.0.1:8080")


def test_anyone_with_the_link_sees_the_panel_and_nothing_else(
    client: TestClient, panel: dict[str, Any], app: AppUnderTest
) -> None:
    page = app.asked().get(path_of(made(client, panel)["page_url"]))
    assert page.status_code == 200
    assert "<script" not in page.text
    assert "p99 " in page.text
    assert 'http-equiv="refresh"' in page.text
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["cache-control"] == "no-store"
    image = app.asked().get(
        path_of(made(client, {**panel, "panel": "requests"})["image_url"]), params={"theme": "dark"}
    )
    assert image.headers["content-type"] == "image/svg+xml"
    assert image.headers["cross-origin-resource-policy"] == "cross-origin"
    texts = [each.text for each in ET.fromstring(image.text).iter("{http://www.w3.org/2000/svg}text")]
    assert "shop: requests per second" in texts
    assert any(text and text.startswith("all ") for text in texts)


def test_only_the_sites_of_the_team_may_show_it_in_a_frame(
    client: TestClient, panel: dict[str, Any], app: AppUnderTest
) -> None:
    client.patch(
        "/api/v1/share-settings", json={"embedding_origins": ["https://wiki.example", "https://*.corp.example"]}
    )
    made_panel = made(client, panel)
    policy = app.asked().get(path_of(made_panel["page_url"])).headers["content-security-policy"]
    assert "frame-ancestors https://wiki.example https://*.corp.example" in policy
    for path in ("/", "/api/v1/services", path_of(made_panel["image_url"])):
        assert "frame-ancestors 'none'" in app.asked().get(path).headers["content-security-policy"]


def test_names_from_outside_are_escaped(client: TestClient, panel: dict[str, Any], app: AppUnderTest) -> None:
    page = app.asked().get(path_of(made(client, {**panel, "split_label": "route"})["page_url"])).text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script" not in page


def test_a_link_ends_when_it_is_revoked_expires_or_links_are_disabled(
    client: TestClient, panel: dict[str, Any], app: AppUnderTest
) -> None:
    revoked, expiring, off = (made(client, {**panel, "expires_in_days": days}) for days in (9, 1, 9))

    def status(one: dict[str, Any]) -> int:
        answers = {app.asked().get(path_of(one[name])).status_code for name in ("page_url", "image_url")}
        return answers.pop() if len(answers) == 1 else 0

    assert [status(one) for one in (revoked, expiring, off)] == [200, 200, 200]
    assert client.delete(f"{PATH}/{revoked['id']}").status_code == 204
    assert status(revoked) == 410
    listed = client.get(PATH, params={"service_id": panel["service_id"]}).json()["items"]
    assert [one["id"] for one in listed] == [off["id"], expiring["id"]]
    app.clock.move(days=1)
    assert status(expiring) == 410
    client.patch("/api/v1/share-settings", json={"are_links_allowed": False})
    assert status(off) == 410
    assert client.post(PATH, json=panel).status_code == 422


def test_a_forged_link_is_refused(
    client: TestClient, panel: dict[str, Any], app: AppUnderTest, team: SomeTeam, people: AccountsFactory
) -> None:
    one = made(client, panel)
    token = one["page_url"].rpartition("/")[2]
    other = people.team("Others")
    known = UUID(one["id"]).bytes
    own = LinkSigner(app.settings.secret_key.get_secret_value())
    forged = [
        token[:-2] + ("AA" if token[-2:] != "AA" else "BB"),
        token[:-8],
        "x",
        base64.urlsafe_b64encode(team.id.bytes + known + bytes(32)).decode().rstrip("="),
        LinkSigner("another key of thirty-two letters").sign(PURPOSE, team.id.bytes + known),
        own.sign("unsubscribe", team.id.bytes + known),
        own.sign(PURPOSE, other.id.bytes + known),  # no row of the other team
    ]
    assert [app.asked().get(f"/api/v1/embed/{each}").status_code for each in forged] == [404] * len(forged)


def test_the_range_is_that_of_the_link_whatever_the_address_says(
    client: TestClient, panel: dict[str, Any], app: AppUnderTest
) -> None:
    fixed = made(client, {**panel, "length_s": 600, "until": "2026-11-21T11:30:00Z"})
    path = path_of(fixed["page_url"])
    usual = app.asked().get(path).text
    assert "2026-11-21 11:20 to 11:30 UTC" in usual
    assert "refresh" not in usual
    more = {"from": "0", "to": str(NOW_MS), "length_s": "99999999", "service_id": panel["environment_id"]}
    assert app.asked().get(path, params=more).text == usual
    assert client.post(PATH, json={**panel, "length_s": 31 * 86_400}).status_code == 422


def test_a_panel_of_another_team_cannot_be_embedded_or_revoked(
    client: TestClient, panel: dict[str, Any], app: AppUnderTest, people: AccountsFactory
) -> None:
    other = people.team("Others")
    theirs = app.asked(cookie=other.owner.cookie, team=other.id)
    assert theirs.post(PATH, json=panel).status_code == 404
    assert theirs.get(PATH, params={"service_id": panel["service_id"]}).status_code == 404
    one = made(client, panel)
    assert theirs.delete(f"{PATH}/{one['id']}").status_code == 404


def test_a_deleted_team_and_a_deleted_service_have_no_panels(
    client: TestClient, panel: dict[str, Any], app: AppUnderTest, team: SomeTeam
) -> None:
    path = path_of(made(client, panel)["page_url"])
    client.delete(f"/api/v1/teams/{team.id}")
    assert app.asked().get(path).status_code == 404


def test_viewers_embed_nothing(
    panel: dict[str, Any], app: AppUnderTest, team: SomeTeam, people: AccountsFactory
) -> None:
    viewer = app.asked(cookie=people.member(team, Role.VIEWER).cookie, team=team.id)
    assert viewer.post(PATH, json=panel).status_code == 403


def test_requests_of_one_address_are_limited(client: TestClient, panel: dict[str, Any], app: AppUnderTest) -> None:
    path = path_of(made(client, panel)["image_url"])
    times, _seconds = VIEWS_BY_ADDRESS
    for _ in range(times):
        app.throttle.hit("embed:127.0.0.1", times=times, seconds=60)
    assert app.asked().get(path).status_code == 429
