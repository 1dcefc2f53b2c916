"""Previews: what both sides contain, and what their comparison could conclude."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from slowpath.verdicts.comparisons.rules import MAX_ARTIFACTS_A_SIDE
from slowpath.verdicts.comparisons.tables import ComparisonArtifact
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.evidence import RECORDED_AT, EvidenceFactory
from tests.support.app_under_test import AppUnderTest
from tests.support.statements import Statements

pytestmark = pytest.mark.database

HOUR = timedelta(hours=1)


@pytest.fixture
def made(app: AppUnderTest, team: SomeTeam) -> EvidenceFactory:
    return EvidenceFactory(app, team)


def of_build(build_id: UUID, **labels: object) -> dict[str, Any]:
    return {"type": "build", "build_id": str(build_id), **labels}


def of_range(service_id: UUID, environment_id: UUID, begin: float, end: float) -> dict[str, Any]:
    """Return a time range in hours since the first recording."""
    return {
        "type": "time_range",
        "service_id": str(service_id),
        "environment_id": str(environment_id),
        "begin": (RECORDED_AT + begin * HOUR).isoformat(),
        "end": (RECORDED_AT + end * HOUR).isoformat(),
    }


def preview(client: TestClient, base: object = None, candidate: object = None) -> dict[str, Any]:
    answer = client.post("/api/v1/comparison-previews", json={"base": base, "candidate": candidate})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def by_evidence(body: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["evidence"]: each for each in body["conclusions"]}


def two_builds(made: EvidenceFactory) -> tuple[UUID, UUID]:
    service_id = made.service()
    return made.build(service_id, 40 * "a", branch="main"), made.build(service_id, 40 * "b", branch="main")


def test_a_preview_states_what_both_sides_contain(client: TestClient, made: EvidenceFactory) -> None:
    base, candidate = two_builds(made)
    made.profiles(base, 4, samples=3000)
    made.profiles(candidate, 6, cpu_model="Xeon")
    made.profile(base, kind="heap")
    made.profile(candidate, state="received")

    body = preview(client, of_build(base), of_build(candidate))

    side = body["base"]
    assert (side["label"], side["artifacts"], side["build_id"]) == ("aaaaaaaaaa", 5, str(base))
    assert side["kinds"][0] == {
        "kind": "profile.cpu",
        "count": 4,
        "samples": 12_000,
        "recorded_from": "2026-11-20T12:00:00Z",
        "recorded_to": "2026-11-20T12:03:00Z",
        "duration_ns": 40_000_000_000,
    }
    assert side["conditions"] == [{"go_version": "go1.25", "goos": "linux", "goarch": "amd64", "cpu_model": "EPYC"}]
    assert [(each["kind"], each["count"]) for each in body["candidate"]["kinds"]] == [("profile.cpu", 6), (None, 1)]
    assert body["caveats"] == [
        {
            "id": "cpu-model",
            "sentence": "CPU model differs: EPYC in base, Xeon in candidate; the machine may be the cause.",
        }
    ]
    assert body["can_compare"]


def test_the_two_largest_values_of_a_label_are_a_pair(client: TestClient, made: EvidenceFactory) -> None:
    """Of all its CPU profiles; of several labels, the one whose second value is largest."""
    build, other = two_builds(made)
    tenant = {"tenant": {"acme": 80, "initech": 10}}
    made.profile(build, labels={"endpoint": {"/cart": 50, "/checkout": 40}, **tenant})
    made.profile(build, labels={"endpoint": {"/checkout": 42, "/cart": 20, "/search": 10}})
    made.profile(build, kind="heap", labels={"endpoint": {"/a": 100, "/b": 100}})
    made.profile(build)  # of an earlier version
    made.profile(other, labels={"endpoint": {"/cart": 50}})

    side = preview(client, of_build(build), of_build(other))
    assert side["base"]["label_pair"] == {
        "key": "endpoint",
        "first": {"value": "/checkout", "share": pytest.approx(0.41)},
        "second": {"value": "/cart", "share": pytest.approx(0.35)},
    }
    assert side["candidate"]["label_pair"] is None
    limited = preview(client, of_build(build, labels=[{"key": "endpoint", "value": "/cart"}]))
    assert limited["base"]["label_pair"] is None


def test_conclusions_name_what_is_missing(client: TestClient, made: EvidenceFactory) -> None:
    base, candidate = two_builds(made)
    made.profiles(base, 8, samples=4000)
    made.profiles(candidate, 8, samples=4000)
    made.profiles(base, 3, kind="heap")
    made.profiles(candidate, 4, kind="heap")
    made.profile(candidate, kind="mutex")

    found = by_evidence(preview(client, of_build(base), of_build(candidate)))

    cpu, heap, mutex = found["profile.cpu"], found["profile.heap"], found["profile.mutex"]
    assert (cpu["state"], cpu["improvement"]) == ("conclusive", None)
    assert 1.02 <= cpu["minimum_detectable_ratio"] <= 1.10
    assert (heap["state"], heap["improvement"]) == ("tentative", "Record 1 more heap profile of the base.")
    assert heap["sentence"].startswith("3 heap profiles in base, 4 in candidate: the variation between runs is unknown")
    assert (mutex["state"], mutex["minimum_detectable_ratio"]) == ("not-compared", None)
    assert mutex["sentence"] == "The base has no mutex profiles, so they are not compared."
    assert mutex["improvement"] == "Record 4 mutex profiles of the base."


def test_the_same_binary_on_both_sides_is_tentative_at_best(client: TestClient, made: EvidenceFactory) -> None:
    base, candidate = two_builds(made)
    for build_id in (base, candidate):
        made.profiles(build_id, 4, go_build_id="abc")

    body = preview(client, of_build(base), of_build(candidate))

    assert [each["id"] for each in body["caveats"]] == ["same-build"]
    assert by_evidence(body)["profile.cpu"]["state"] == "tentative"


def test_either_side_may_be_missing(client: TestClient, made: EvidenceFactory) -> None:
    build_id, empty = two_builds(made)
    made.profile(build_id)

    assert preview(client)["headline"] == "Choose both sides."
    body = preview(client, of_build(build_id))
    assert (body["headline"], body["candidate"], body["can_compare"]) == ("Choose the candidate.", None, False)
    assert preview(client, candidate=of_build(build_id))["headline"] == "Choose the base."
    body = preview(client, of_build(empty), of_build(build_id))
    assert (body["base"]["empty_reason"], body["can_compare"]) == ("No files were uploaded for it.", False)
    assert body["headline"] == "Nothing can be compared: the sides have no kind of evidence in common."


def test_the_same_files_on_both_sides_differ_by_labels_only(client: TestClient, made: EvidenceFactory) -> None:
    build_id, _ = two_builds(made)
    made.profiles(build_id, 4)

    body = preview(client, of_build(build_id), of_build(build_id))
    assert body["headline"] == "4 files are on both sides: choose other sources, or two values of a label."
    assert not body["can_compare"]
    labels = [[{"key": "endpoint", "value": value}] for value in ("/a", None)]
    assert preview(client, *(of_build(build_id, labels=each) for each in labels))["can_compare"]
    six = [{"key": "endpoint", "value": str(number)} for number in range(6)]
    for hostile in (
        six,
        [{"key": "", "value": "x"}],
        [{"key": "a\x00", "value": "x"}],
        [{"key": "a", "value": "x" * 1001}],
    ):
        answer = client.post(
            "/api/v1/comparison-previews", json={"base": of_build(build_id, labels=hostile), "candidate": None}
        )
        assert answer.status_code == 422


def test_a_time_range_selects_what_its_builds_recorded_in_the_environment(
    client: TestClient, made: EvidenceFactory
) -> None:
    service_id, production, staging = made.service(), made.environment(), made.environment("staging")
    first, second = (made.build(service_id, 40 * letter) for letter in "ab")
    made.deployment(service_id, production, first, RECORDED_AT, ended_at=RECORDED_AT + HOUR)
    made.deployment(service_id, production, second, RECORDED_AT + HOUR)
    made.deployment(service_id, staging, second, RECORDED_AT - 2 * HOUR)
    inside = made.profile(first, recorded_at=RECORDED_AT + 0.5 * HOUR)
    after = made.profile(first, recorded_at=RECORDED_AT + 1.5 * HOUR)  # it no longer ran
    made.profile(second, recorded_at=RECORDED_AT - 1.5 * HOUR)  # it ran in staging only
    later = made.profile(second, recorded_at=RECORDED_AT + 1.2 * HOUR)
    made.profile(made.build(made.service("other"), "ccc"), recorded_at=RECORDED_AT + 0.5 * HOUR)

    body = preview(client, of_range(service_id, production, -2, 3))
    assert set(body["base"]["artifact_ids"]) == {str(inside), str(later)}
    assert body["base"]["time_range"]["environment_id"] == str(production)
    assert preview(client, of_range(service_id, production, 0, 1))["base"]["artifact_ids"] == [str(inside)]
    # without any known deployment, every build of the service may have run there
    unknown = made.environment("unknown")
    assert len(preview(client, of_range(service_id, unknown, 0, 3))["base"]["artifact_ids"]) == 3
    assert str(after) in preview(client, of_range(service_id, unknown, 0, 3))["base"]["artifact_ids"]
    overlapping = preview(client, of_range(service_id, production, 0, 1), of_range(service_id, production, 0.5, 2))
    assert overlapping["headline"] == "The time ranges of both sides overlap: end one before the other begins."
    too_long = client.post("/api/v1/comparison-previews", json={"base": of_range(service_id, production, 0, 200)})
    assert (too_long.status_code, too_long.json()["type"]) == (422, "urn:slowpath:window-refused")


def test_a_deployment_selects_what_was_recorded_while_it_ran(client: TestClient, made: EvidenceFactory) -> None:
    service_id, environment_id = made.service(), made.environment()
    build_id = made.build(service_id, 40 * "a")
    deployment_id = made.deployment(
        service_id, environment_id, build_id, RECORDED_AT, label="v1", ended_at=RECORDED_AT + HOUR
    )
    inside = made.profile(build_id, recorded_at=RECORDED_AT)
    made.profile(build_id, recorded_at=RECORDED_AT + HOUR)
    source = {"type": "deployment", "deployment_id": str(deployment_id)}

    side = preview(client, source)["base"]

    assert (side["label"], side["artifact_ids"], side["build_id"]) == ("v1", [str(inside)], str(build_id))
    assert side["time_range"]["from"] == "2026-11-20T12:00:00Z"
    assert side["time_range"]["to"] == "2026-11-20T13:00:00Z"


def test_of_too_many_artifacts_the_newest_are_used(client: TestClient, made: EvidenceFactory) -> None:
    build_id, other = two_builds(made)
    made.profiles(build_id, MAX_ARTIFACTS_A_SIDE + 5)
    heap = made.profile(build_id, kind="heap", recorded_at=RECORDED_AT - HOUR)

    side = preview(client, of_build(build_id))["base"]

    assert len(side["artifact_ids"]) == MAX_ARTIFACTS_A_SIDE
    assert str(heap) in side["artifact_ids"]
    assert side["kinds"][0]["recorded_from"] == "2026-11-20T12:06:00Z"
    assert side["left_out"] == "6 older CPU profiles are left out: a side has at most 200 files."
    made.profile(other)
    body = {"base": {"source": of_build(build_id)}, "candidate": {"source": of_build(other)}}
    created = client.post("/api/v1/comparisons", json=body).json()
    assert (created["base"]["artifacts"], created["base"]["left_out"]) == (MAX_ARTIFACTS_A_SIDE, side["left_out"])


def test_ids_of_another_team_are_not_found(app: AppUnderTest, client: TestClient, people: AccountsFactory) -> None:
    theirs = EvidenceFactory(app, people.team("Theirs"))
    service_id, environment_id = theirs.service(), theirs.environment()
    build_id = theirs.build(service_id, "aaa", branch="main")
    profile = theirs.profile(build_id)
    deployment = theirs.deployment(service_id, environment_id, build_id, RECORDED_AT)
    sources: Sequence[dict[str, Any]] = (
        of_build(build_id),
        {"type": "artifacts", "artifact_ids": [str(profile)]},
        {"type": "ref", "service_id": str(service_id), "ref": "main"},
        {"type": "deployment", "deployment_id": str(deployment)},
        of_range(service_id, environment_id, 0, 1),
        of_build(uuid4()),
    )
    for source in sources:
        answer = client.post("/api/v1/comparison-previews", json={"base": source})
        assert answer.status_code == 404, source
        sides = {"base": {"source": source}, "candidate": {"source": source}}
        assert client.post("/api/v1/comparisons", json=sides).status_code == 404
    answer = client.get("/api/v1/comparison-suggestions", params={"service_id": str(service_id)})
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:slowpath:service-not-found")


def test_a_preview_sends_few_statements(client: TestClient, made: EvidenceFactory, queries: Statements) -> None:
    base, candidate = two_builds(made)
    for build_id in (base, candidate):
        made.profile(build_id)
    with queries.during() as one:
        preview(client, of_build(base), of_build(candidate))
        few = len(one)
    for build_id in (base, candidate):
        made.profiles(build_id, 20)
    with queries.during() as many:
        preview(client, of_build(base), of_build(candidate))
        assert len(many) == few


# --- comparisons with sources


def test_a_comparison_stores_and_swaps_its_sources(
    app: AppUnderTest, client: TestClient, made: EvidenceFactory
) -> None:
    base, candidate = two_builds(made)
    profile = made.profile(base)
    made.profile(candidate)
    service_id = client.get(f"/api/v1/builds/{base}").json()["service_id"]
    source = {"type": "ref", "service_id": service_id, "ref": "main", "labels": []}

    body = client.post(
        "/api/v1/comparisons",
        json={"base": {"source": of_build(base)}, "candidate": {"source": source, "label": "newest"}},
    ).json()

    assert body["name"] == "aaaaaaaaaa against newest"
    assert (body["base"]["source"], body["base"]["artifact_ids"]) == (of_build(base, labels=[]), [str(profile)])
    assert (body["candidate"]["source"], body["candidate"]["build_id"]) == (source, str(candidate))
    swapped = client.post(f"/api/v1/comparisons/{body['id']}/swap").json()
    assert (swapped["base"]["source"], swapped["candidate"]["source"]) == (source, of_build(base, labels=[]))
    with app.database.reading(made.scope) as session:
        rows = session.scalars(select(ComparisonArtifact.artifact_id)).all()
    assert rows.count(profile) == 2


def test_a_source_that_selects_nothing_is_refused(client: TestClient, made: EvidenceFactory) -> None:
    empty, build_id = two_builds(made)
    profile = made.profile(build_id)
    service_id = client.get(f"/api/v1/builds/{empty}").json()["service_id"]
    refused: Sequence[tuple[dict[str, Any], int, str]] = (
        ({"source": of_build(empty)}, 422, "side-empty"),
        ({"source": {"type": "ref", "service_id": service_id, "ref": "no-such"}}, 404, "ref-not-found"),
        ({"source": of_build(build_id), "artifact_ids": [str(profile)]}, 422, "not-understood"),
        ({"source": {"type": "commit", "commit": "aaa"}}, 422, "not-understood"),
        ({"source": {"type": "ref", "service_id": service_id, "ref": "a\x00"}}, 422, "not-understood"),
        ({"source": {"type": "ref", "service_id": service_id, "ref": "x" * 65_536}}, 422, "not-understood"),
    )
    for side, status, slug in refused:
        answer = client.post("/api/v1/comparisons", json={"base": side, "candidate": {"artifact_ids": [str(profile)]}})
        assert (answer.status_code, answer.json()["type"]) == (status, f"urn:slowpath:{slug}")
    detail = client.post(
        "/api/v1/comparisons",
        json={"base": {"source": of_build(empty)}, "candidate": {"source": of_build(build_id)}},
    ).json()["detail"]
    assert "No files were uploaded for it." in detail


# --- suggestions


def test_suggestions_and_recent_pairs(client: TestClient, made: EvidenceFactory) -> None:
    service_id, environment_id = made.service(), made.environment()
    parent, other, newest = (made.build(service_id, 40 * letter, branch="main") for letter in "abc")
    child = made.build(service_id, 40 * "d", branch="main", parent=40 * "a")
    for build_id in (parent, other, newest, child):
        made.profile(build_id)
    first, second = (
        made.deployment(service_id, environment_id, None, RECORDED_AT + number * HOUR, label=f"v{number}")
        for number in range(2)
    )
    made.build(service_id, 40 * "e", branch="main")  # without evidence

    body = client.get("/api/v1/comparison-suggestions", params={"service_id": str(service_id)}).json()

    found = {each["id"]: each for each in body["suggestions"]}
    assert list(found) == ["newest-build", "newest-deployment"]
    assert found["newest-build"]["base"]["build_id"] == str(parent)
    assert (found["newest-build"]["candidate"]["build_id"], found["newest-build"]["title"]) == (
        str(child),
        "The newest build with its parent",
    )
    deployed = [found["newest-deployment"][side]["deployment_id"] for side in ("base", "candidate")]
    assert deployed == [str(first), str(second)]
    assert body["recent"] == []


def test_recent_pairs_are_the_callers_own_and_each_listed_once(
    app: AppUnderTest, client: TestClient, made: EvidenceFactory, people: AccountsFactory, team: SomeTeam
) -> None:
    base, candidate = two_builds(made)
    profiles = [made.profile(build_id) for build_id in (base, candidate)]
    sides = {"base": {"source": of_build(base)}, "candidate": {"source": of_build(candidate)}}
    listed = {
        "base": {"artifact_ids": [str(profiles[0])]},
        "candidate": {"artifact_ids": [str(profiles[1])], "label": "new"},
    }
    for body in (sides, listed, sides):
        assert client.post("/api/v1/comparisons", json=body).status_code == 201

    recent = client.get("/api/v1/comparison-suggestions").json()["recent"]

    assert [each["base"]["type"] for each in recent] == ["build", "artifacts"]
    assert recent[1]["candidate"] == {"type": "artifacts", "artifact_ids": [str(profiles[1])], "labels": []}
    member = app.asked(cookie=people.member(team).cookie)
    assert member.get("/api/v1/comparison-suggestions").json()["recent"] == []
