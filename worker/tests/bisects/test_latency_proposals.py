"""Latency is proposed where the dashboard has it, with measurements long enough for the traffic there."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.roles import TokenScope
from tests.bisects.conftest import Search, sha
from tests.bisects.pushed_histograms import Instance
from tests.factories.accounts import AccountsFactory

pytestmark = pytest.mark.database

OFFERS, BISECTS = "/api/v1/bisect-proposals", "/api/v1/bisects"


@pytest.fixture
def service(search: Search, people: AccountsFactory) -> str:
    """A service that two instances in the lab push latency of, 10 requests a second each."""
    token = people.token(search.bench.team, TokenScope.UPLOAD)
    pusher = people.app.asked(token=token.secret)
    now_ms = int(search.now().timestamp() * 1000)
    for name in ("a", "b"):
        instance = Instance(pusher, name, now_ms - 300_000)
        instance.run(range(now_ms - 300_000, now_ms, 15_000), 0.02, 150)
    [found] = search.person.get("/api/v1/services").json()["items"]
    return str(found["id"])


@pytest.fixture
def asked(search: Search, service: str) -> dict[str, Any]:
    response = search.person.post(
        "/api/v1/repositories",
        json={"name": "mono", "url": "https://example.com/mono.git", "services": [{"service_id": service}]},
    )
    assert response.status_code == 201, response.text
    return {
        "service_id": service, "repository_id": response.json()["id"], "good_sha": sha(1), "bad_sha": sha(2),
        "signature": {"kind": "latency", "subject": "lab p99"},
    }  # fmt: skip


def start(person: TestClient, asked: dict[str, Any], **fields: Any) -> Any:  # noqa: ANN401 - an answer
    return person.post(BISECTS, json={**asked, **fields})


def test_latency_is_proposed_where_the_dashboard_has_it(search: Search, service: str) -> None:
    offer = search.person.get(OFFERS, params={"service_id": service}).json()
    assert [(one["kind"], one["subject"]) for one in offer["signatures"]] == [("custom", ""), ("latency", "lab p99")]
    latency = offer["signatures"][1]
    assert latency["label"] == "Latency, p99 in lab"
    assert not latency["is_separating"]
    [environment] = offer["environments"]
    # 1,000 requests at 10 a second, and some room
    assert latency["dashboard_selector"] == {
        "environment_id": environment["id"],
        "environment": "lab",
        "measurement_seconds": 130,
    }


def test_the_window_length_follows_the_traffic_unless_it_is_given(search: Search, asked: dict[str, Any]) -> None:
    by_itself, proposed = start(search.person, asked), start(search.person, asked, settings={"measurement_seconds": 20})
    assert (by_itself.status_code, proposed.status_code) == (201, 201), by_itself.text
    first, second = by_itself.json(), proposed.json()
    assert (first["settings"]["measurement_seconds"], second["settings"]["measurement_seconds"]) == (130, 20)
    assert first["settings"]["dashboard_selector"]["match"] == "instance"
    assert (first["signature"]["unit"], first["signature"]["larger_is_worse"]) == ("ns", True)


def test_the_signature_names_where_it_is_read(search: Search, asked: dict[str, Any]) -> None:
    staging = search.person.post("/api/v1/environments", json={"name": "staging"}).json()["id"]
    body = start(search.person, asked, settings={"dashboard_selector": {"environment_id": staging}}).json()
    assert body["signature"]["subject"] == "staging p99"


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"signature": {"kind": "latency", "subject": "lab p0"}}, "does not name a latency quantile"),
    ({"signature": {"kind": "latency", "subject": "nowhere p99"}}, "no dashboard metrics"),
    (
        {"signature": {"kind": "custom", "subject": "ms"}, "settings": {"dashboard_selector": "lab"}},
        "not measured from dashboard metrics",
    ),
    ({"settings": {"dashboard_selector": "lab", "slots": 2}}, "cannot be distinguished"),
]


def test_mismatching_options_are_rejected(search: Search, asked: dict[str, Any]) -> None:
    [lab] = search.person.get("/api/v1/environments").json()["items"]
    for fields, expected in REFUSED:
        settings = dict(fields.get("settings", {}))
        if "dashboard_selector" in settings:
            settings["dashboard_selector"] = {"environment_id": lab["id"], "match": "environment"}
        answer = start(search.person, asked, **{**fields, "settings": settings})
        assert answer.status_code == 422
        assert expected in answer.json()["detail"]
