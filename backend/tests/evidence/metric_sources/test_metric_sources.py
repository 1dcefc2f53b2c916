"""Sources over HTTP: admins manage them, credentials are never returned, and a check reports the server."""

import base64
import json
import logging
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.core.db_sessions import TeamScope
from slowpath.core.encryption import DecryptionError, SecretEncryptor
from slowpath.core.ids import MetricSourceId
from slowpath.evidence.metric_sources.service import metric_sources
from slowpath.platform.accounts.rules.roles import Role
from tests.evidence.metric_sources.prometheus_fake import FakeEgress, PrometheusFake, success
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

SOURCES = "/api/v1/metric-sources"
URL = "https://prometheus.example/prometheus"
BEARER = {"kind": "bearer", "token": "tok-of-nobody-5f1c"}
BASIC = {"kind": "basic", "username": "ann", "password": "pa:ss-öf-nobody"}
PROMETHEUS = {
    "/api/v1/status/buildinfo": success({"version": "2.42.0"}),
    "/api/v1/label/__name__/values": success(
        [
            "up",
            "http_requests_total",
            "http_request_duration_seconds_bucket",
            "http_client_requests_total",
            "queue_depth",
        ]
    ),
}
NOW_ISO, DAY_BEFORE, YEAR_BEFORE = "2026-11-21T12:00:00Z", "2026-11-20T12:00:00Z", "2025-11-21T12:00:00Z"


def made(client: TestClient, **changed: object) -> dict[str, object]:
    answer = client.post(SOURCES, json={"name": "ours", "url": URL, **changed})
    assert answer.status_code == 201, answer.text
    body: dict[str, object] = answer.json()
    return body


def reach(app: AppUnderTest, team: SomeTeam, request: dict[str, object]) -> metric_sources.SourceConnection:
    with app.database.reading(TeamScope(team.id)) as session:
        row = metric_sources.get_metric_source(session, MetricSourceId(UUID(str(request["id"]))))
        return metric_sources.get_connection(row, app.app.state.sealer)


def name_of(answer: object) -> str:
    return str(answer.json()["type"]).removeprefix("urn:slowpath:")  # type: ignore[attr-defined]  # an httpx answer


def test_a_source_is_added_changed_listed_and_deleted(client: TestClient) -> None:
    one = made(client)
    assert (one["name"], one["url"], one["credentials"], one["last_import"]) == ("ours", URL, "none", None)
    two = made(client, name="theirs")

    changed = client.patch(f"{SOURCES}/{one['id']}", json={"name": "renamed"})
    assert (changed.status_code, changed.json()["name"], changed.json()["url"]) == (200, "renamed", URL)
    assert [item["id"] for item in client.get(SOURCES).json()["items"]] == [two["id"], one["id"]]

    assert client.delete(f"{SOURCES}/{one['id']}").status_code == 204
    assert [item["id"] for item in client.get(SOURCES).json()["items"]] == [two["id"]]
    assert client.delete(f"{SOURCES}/{one['id']}").status_code == 404


@pytest.mark.asked_by(Role.VIEWER, Role.MEMBER)
def test_only_admins_keep_sources(client: TestClient) -> None:
    assert client.get(SOURCES).status_code == 200
    assert client.post(SOURCES, json={"name": "ours", "url": URL}).status_code == 403
    for path in ("check", "imports"):
        assert client.post(f"{SOURCES}/{uuid4()}/{path}", json={}).status_code == 403


@pytest.mark.parametrize(
    "url",
    ["http://127.0.0.1:9090", "http://[64:ff9b::a9fe:a9fe]", "http://ann:secret@prometheus.example", "ftp://x", "x"],
)
def test_an_address_that_is_not_asked_is_not_stored(client: TestClient, url: str) -> None:
    answer = client.post(SOURCES, json={"name": "ours", "url": url})
    assert answer.status_code == 422
    assert name_of(answer).startswith("address-")
    assert client.get(SOURCES).json()["items"] == []


@pytest.mark.parametrize("credentials", [BEARER, BASIC], ids=["bearer", "basic"])
def test_credentials_are_sent_and_never_returned(
    app: AppUnderTest,
    team: SomeTeam,
    client: TestClient,
    emptied: TestDatabase,
    caplog: pytest.LogCaptureFixture,
    credentials: dict[str, str],
) -> None:
    peer = PrometheusFake(PROMETHEUS)
    app.app.state.outside = FakeEgress(peer)
    with caplog.at_level(logging.DEBUG):
        one = made(client, credentials=credentials)
        answers = [
            client.get(SOURCES),
            client.patch(f"{SOURCES}/{one['id']}", json={"credentials": credentials}),
            client.post(f"{SOURCES}/{one['id']}/check"),
            client.get(f"/api/v1/teams/{team.id}/audit-events"),
        ]
    assert [answer.status_code for answer in answers] == [200] * 4

    pair = base64.b64encode(f"{BASIC['username']}:{BASIC['password']}".encode()).decode()
    header = f"Bearer {BEARER['token']}" if credentials is BEARER else f"Basic {pair}"
    assert {headers["Authorization"] for *_, headers in peer.asked} == {header}
    assert reach(app, team, one).headers == {"Authorization": header}

    with emptied.as_admin() as admin:
        rows = str(admin.execute("SELECT metric_source::text FROM metric_source").fetchall())
        rows += str(admin.execute("SELECT encode(encrypted_credentials, 'escape') FROM metric_source").fetchall())
    text = "".join([json.dumps(one), *(answer.text for answer in answers), rows, caplog.text])
    text += repr(reach(app, team, one))
    for secret in (BEARER["token"], BASIC["password"], "nobody", pair):
        assert secret not in text


def test_credentials_do_not_follow_to_another_host_unasked(
    app: AppUnderTest, team: SomeTeam, client: TestClient
) -> None:
    one = made(client, credentials=BEARER)

    same = client.patch(f"{SOURCES}/{one['id']}", json={"url": "https://prometheus.example/other"})
    assert same.status_code == 200
    for url in ("https://other.example", "http://prometheus.example", "https://prometheus.example:8443"):
        refused = client.patch(f"{SOURCES}/{one['id']}", json={"url": url})
        assert (refused.status_code, name_of(refused)) == (422, "credentials-needed-again")
    assert reach(app, team, one).url == "https://prometheus.example/other"

    again = client.patch(
        f"{SOURCES}/{one['id']}", json={"url": "https://other.example", "credentials": {"kind": "none"}}
    )
    assert (again.status_code, again.json()["credentials"]) == (200, "none")
    assert reach(app, team, one) == metric_sources.SourceConnection("https://other.example", {})


@pytest.mark.parametrize(
    "credentials",
    [
        {"kind": "bearer"},
        {"kind": "bearer", "token": "two words"},
        {"kind": "bearer", "token": "line\r\nX-Other: 1"},
        {"kind": "basic", "password": "x"},
        {"kind": "basic", "username": "a:b", "password": "x"},
        {"kind": "other", "token": "x"},
    ],
)
def test_credentials_that_cannot_be_sent_are_refused(client: TestClient, credentials: dict[str, str]) -> None:
    assert client.post(SOURCES, json={"name": "ours", "url": URL, "credentials": credentials}).status_code == 422


def test_encrypted_values_are_bound_to_key_and_row() -> None:
    team_id, source_id = uuid4(), uuid4()
    sealer = SecretEncryptor("one key")
    sealed = sealer.seal("a secret", team_id, source_id)

    assert b"a secret" not in sealed
    assert sealer.seal("a secret", team_id, source_id) != sealed
    assert SecretEncryptor("one key").unseal(sealed, team_id, source_id) == "a secret"
    for other, ids, content in [
        (SecretEncryptor("another"), (team_id, source_id), sealed),
        (sealer, (team_id, uuid4()), sealed),
        (sealer, (uuid4(), source_id), sealed),
        (sealer, (team_id, source_id), sealed[:-1] + bytes([sealed[-1] ^ 1])),
        (sealer, (team_id, source_id), b""),
    ]:
        with pytest.raises(DecryptionError):
            other.unseal(content, *ids)


def test_with_another_key_credentials_are_asked_for_again(app: AppUnderTest, client: TestClient) -> None:
    one = made(client, credentials=BEARER)
    app.app.state.sealer = SecretEncryptor("another")
    answer = client.post(f"{SOURCES}/{one['id']}/check")
    assert (answer.status_code, name_of(answer)) == (422, "credentials-unreadable")


def test_a_check_reports_the_server_and_the_known_metric_names(app: AppUnderTest, client: TestClient) -> None:
    app.app.state.outside = FakeEgress(PrometheusFake(PROMETHEUS))
    body = client.post(f"{SOURCES}/{made(client)['id']}/check").json()
    usual = ["http_request_duration_seconds_bucket", "http_requests_total", "queue_depth"]
    assert body == {"version": "2.42.0", "names": 5, "recognized_names": usual}


def test_the_last_check_is_stored_good_or_bad(app: AppUnderTest, client: TestClient) -> None:
    one = made(client)
    assert one["last_check"] is None
    app.app.state.outside = FakeEgress(PrometheusFake(PROMETHEUS))
    body = client.post(f"{SOURCES}/{one['id']}/check").json()
    stored = client.get(SOURCES).json()["items"][0]["last_check"]
    assert {key: stored[key] for key in body} == body
    assert stored["detail"] is None
    assert stored["at_ms"] == 1_795_262_400_000

    app.app.state.outside = FakeEgress(PrometheusFake({"/api/v1/label/__name__/values": (401, b"")}))
    assert client.post(f"{SOURCES}/{one['id']}/check").status_code == 422
    stored = client.get(SOURCES).json()["items"][0]["last_check"]
    assert (stored["names"], stored["detail"]) == (None, "The source rejected the credentials (401).")

    assert client.patch(f"{SOURCES}/{one['id']}", json={"name": "renamed"}).json()["last_check"] is not None
    elsewhere = client.patch(f"{SOURCES}/{one['id']}", json={"url": "https://other.example"})
    assert elsewhere.json()["last_check"] is None


def test_a_rule_of_the_team_makes_a_name_usual_or_not(app: AppUnderTest, client: TestClient) -> None:
    app.app.state.outside = FakeEgress(PrometheusFake(PROMETHEUS))
    client.post("/api/v1/metric-rules", json={"metric": "up", "role": "gauge"})
    client.post("/api/v1/metric-rules", json={"metric": "queue_depth", "role": "ignore"})
    body = client.post(f"{SOURCES}/{made(client)['id']}/check").json()
    assert body["recognized_names"] == ["http_request_duration_seconds_bucket", "http_requests_total", "up"]


@pytest.mark.parametrize(
    ("response", "name"),
    [
        ((200, b"<html>"), "source-strange"),
        ((200, b"[" * 100_000), "source-strange"),
        ((200, []), "source-strange"),
        ((200, {"status": "success", "data": {"a": 1}}), "source-strange"),
        ((200, {"status": "success", "data": [1]}), "source-strange"),
        ((401, b"who are you"), "source-not-signed-in"),
        ((500, {"status": "error", "error": "no\ud800" * 1000}), "source-refused"),
        ((404, b""), "source-refused"),
    ],
)
def test_a_server_that_is_not_prometheus_is_reported(
    app: AppUnderTest, client: TestClient, response: tuple[int, object], name: str
) -> None:
    app.app.state.outside = FakeEgress(PrometheusFake({"/api/v1/label/__name__/values": response}))
    answer = client.post(f"{SOURCES}/{made(client)['id']}/check")
    assert (answer.status_code, name_of(answer)) == (422, name)
    assert len(answer.text) < 1_000


def test_an_import_becomes_a_job_of_what_is_stored(client: TestClient) -> None:
    one = made(client)
    begun = client.post(f"{SOURCES}/{one['id']}/imports", json={"from": YEAR_BEFORE, "to": NOW_ISO})
    assert begun.status_code == 202
    assert begun.json()["to_ms"] - begun.json()["from_ms"] <= 30 * 86_400_000
    job = client.get(f"/api/v1/jobs/{begun.json()['job_id']}").json()
    assert (job["name"], job["subject"]["id"], job["state"]) == ("metric-sources.import", one["id"], "waiting")

    again = client.post(f"{SOURCES}/{one['id']}/imports", json={"from": DAY_BEFORE, "to": NOW_ISO})
    assert (again.status_code, name_of(again)) == (409, "import-goes-on")
    client.post(f"/api/v1/jobs/{begun.json()['job_id']}/cancel")
    after = client.post(f"{SOURCES}/{one['id']}/imports", json={"from": DAY_BEFORE, "to": NOW_ISO})
    assert after.status_code in {202, 409}


def test_an_interval_of_which_nothing_is_stored_is_refused(client: TestClient) -> None:
    one = made(client)
    for first, last in [(YEAR_BEFORE, "2025-11-22T12:00:00Z"), (NOW_ISO, DAY_BEFORE)]:
        answer = client.post(f"{SOURCES}/{one['id']}/imports", json={"from": first, "to": last})
        assert (answer.status_code, name_of(answer)) == (422, "import-interval")


def test_a_team_has_so_many_sources(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metric_sources, "MOST_SOURCES", 1)
    made(client)
    assert client.post(SOURCES, json={"name": "ours", "url": URL}).status_code == 429


def test_a_slow_source_of_one_team_delays_no_other_team(
    app: AppUnderTest, client: TestClient, people: AccountsFactory
) -> None:
    running, most, release = Counter[str](), Counter[str](), threading.Event()

    class SlowEgress(FakeEgress):
        @contextmanager
        def opened(self, url: str) -> Iterator[PrometheusFake]:
            running[url] += 1
            most[url] = max(most[url], running[url])
            if "slow" in url:
                release.wait(10)
            yield self.peer
            running[url] -= 1

    app.app.state.outside = SlowEgress(PrometheusFake(PROMETHEUS))
    slow = made(client, url="https://slow.example")
    quick = app.asked(cookie=people.team().owner.cookie)
    fast = made(quick, url="https://fast.example")
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(client.post, f"{SOURCES}/{slow['id']}/check") for _ in range(4)]
        assert quick.post(f"{SOURCES}/{fast['id']}/check").status_code == 200, "the others still wait"
        refused = [pool.submit(client.post, f"{SOURCES}/{slow['id']}/check") for _ in range(3)]
        release.set()
        codes = {answer.result().status_code for answer in waiting + refused}
    assert codes <= {200, 503}
    assert most["https://slow.example"] == 1
