"""Search of builds, branches, tags and deployments that a side can be."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from fastapi.testclient import TestClient

from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.evidence import RECORDED_AT, EvidenceFactory
from tests.support.app_under_test import AppUnderTest
from tests.support.statements import Statements

pytestmark = pytest.mark.database

SHA = "3f1c0a7be2d9" + 28 * "0"


@pytest.fixture
def made(app: AppUnderTest, team: SomeTeam) -> EvidenceFactory:
    return EvidenceFactory(app, team)


def search(client: TestClient, searched: str, **query: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any parameter
    answer = client.get("/api/v1/comparison-sources", params={"type": searched, **query})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def titles(items: Sequence[dict[str, Any]]) -> list[str]:
    return [item["title"] for item in items]


def test_a_build_without_evidence_is_offered_with_the_reason(client: TestClient, made: EvidenceFactory) -> None:
    service_id = made.service()
    empty = made.build(service_id, "aaa")
    waiting = made.build(service_id, "bbb")
    made.profile(waiting, state="received")
    unread = made.build(service_id, "ccc")
    made.profile(unread, state="invalid")
    good = made.build(service_id, SHA, branch="main", title="Decode faster", go_version="go1.25", goos="linux")
    made.profiles(good, 2)
    made.profile(good, kind="heap")

    first, *others = search(client, "build", service_id=service_id)

    assert (first["title"], first["subtitle"]) == ("3f1c0a7be2", "main, Decode faster, go1.25 linux")
    assert first["evidence"] == [{"kind": "profile.cpu", "count": 2}, {"kind": "profile.heap", "count": 1}]
    assert (first["disabled_reason"], first["source"]) == (
        None,
        {"type": "build", "build_id": str(good), "labels": []},
    )
    assert {each["build_id"]: each["disabled_reason"] for each in others} == {
        str(empty): "No files were uploaded for it.",
        str(waiting): "1 file of it is still being decoded.",
        str(unread): "1 file of it could not be read.",
    }


def test_builds_are_found_by_commit_branch_and_title(client: TestClient, made: EvidenceFactory) -> None:
    service_id = made.service()
    made.build(service_id, SHA, branch="feature/zstd", title="Use zstd")
    made.build(made.service("other"), "bbb", title="Other")

    for found in ("3F1C0", "zst", "use ZSTD"):
        assert titles(search(client, "build", q=found)) == ["3f1c0a7be2"]
    assert search(client, "build", q="c0a7") == []  # a commit is found by its beginning
    assert titles(search(client, "build", service_id=service_id)) == ["3f1c0a7be2"]
    answer = client.get("/api/v1/comparison-sources", params={"type": "build", "limit": 1}).json()
    assert (len(answer["items"]), answer["has_more"]) == (1, True)


@pytest.mark.parametrize("hostile", ["%", "_", "\\", "(.*)+$", "' OR 1=1 --", "*", "\u202e", "🦀"])
def test_special_characters_are_searched_as_they_are(client: TestClient, made: EvidenceFactory, hostile: str) -> None:
    service_id = made.service()
    named = made.build(service_id, "aaa", branch=f"x{hostile}y")
    made.build(service_id, "bbb", branch="plain")
    made.deployment(service_id, made.environment(), None, RECORDED_AT, label=f"v{hostile}")
    made.deployment(service_id, made.environment("staging"), None, RECORDED_AT, label="v1")

    assert [item["build_id"] for item in search(client, "build", q=hostile)] == [str(named)]
    assert titles(search(client, "ref", q=hostile)) == [f"x{hostile}y"]
    assert titles(search(client, "deployment", q=hostile)) == [f"v{hostile}"]


def test_unusable_text_is_refused(client: TestClient) -> None:
    for query in ({"q": "a\x00b"}, {"q": "x" * 201}, {"type": "commit"}, {"limit": 0}, {"limit": 51}):
        answer = client.get("/api/v1/comparison-sources", params={"type": "build", **query})
        assert answer.status_code == 422, query
    answer = client.get("/api/v1/comparison-sources", params={"type": "build", "q": "x" * 60_000})
    assert answer.status_code in {413, 422}


def test_a_service_of_another_team_is_not_found(app: AppUnderTest, client: TestClient, people: AccountsFactory) -> None:
    theirs = EvidenceFactory(app, people.team("Theirs"))
    service_id = theirs.service()
    theirs.profile(theirs.build(service_id, "aaa", branch="secret"))

    for searched in ("build", "ref", "deployment"):
        for unknown in (service_id, uuid4()):
            answer = client.get("/api/v1/comparison-sources", params={"type": searched, "service_id": str(unknown)})
            assert (answer.status_code, answer.json()["type"]) == (404, "urn:slowpath:service-not-found")
        assert search(client, searched) == []


def test_branches_come_from_builds_and_mirrors_and_tags_from_mirrors(client: TestClient, made: EvidenceFactory) -> None:
    service_id = made.service()
    released, merged = (made.build(service_id, 40 * letter, branch="main") for letter in "ab")
    made.profile(released)
    made.build(service_id, 40 * "c", branch="main")  # the newest has no evidence
    made.profile(merged)
    made.build(service_id, 40 * "d", branch="draft")
    made.repository(
        service_id,
        {"main": 40 * "c", "hotfix": 40 * "a"},
        {"v1.9": 40 * "a", "v1.10": 40 * "b", "v2.0": 40 * "e"},
    )

    found = {item["title"]: item for item in search(client, "ref", service_id=service_id)}

    assert list(found) == ["draft", "main", "hotfix", "v1.10", "v1.9", "v2.0"]
    builds = {name: item["build_id"] for name, item in found.items()}
    assert (builds["main"], builds["v1.10"], builds["v1.9"]) == (str(merged), str(merged), str(released))
    assert builds["hotfix"] == str(released)
    assert found["v1.9"]["source"] == {"type": "ref", "service_id": str(service_id), "ref": "v1.9", "labels": []}
    assert found["draft"]["disabled_reason"] == "No build of it has files that can be compared."
    assert found["v2.0"]["disabled_reason"] == "No build of it (eeeeeeeeee) has files that can be compared."
    assert titles(search(client, "ref", service_id=service_id, q="V1.")) == ["v1.10", "v1.9"]


def test_a_deployment_counts_what_was_recorded_while_it_ran(client: TestClient, made: EvidenceFactory) -> None:
    service_id, environment_id = made.service(), made.environment()
    build_id = made.build(service_id, SHA, branch="main")
    hours = timedelta(hours=6)
    made.deployment(service_id, environment_id, build_id, RECORDED_AT - hours, ended_at=RECORDED_AT + hours, commit=SHA)
    made.deployment(service_id, environment_id, build_id, RECORDED_AT + hours, label="v2")
    made.profiles(build_id, 3)
    made.profile(build_id, recorded_at=RECORDED_AT - 2 * hours)

    newest, first = search(client, "deployment", service_id=service_id)

    assert (first["title"], first["subtitle"]) == ("3f1c0a7be2", "ingester in production, main")
    assert (first["evidence"], first["disabled_reason"]) == ([{"kind": "profile.cpu", "count": 3}], None)
    assert newest["title"] == "v2"
    assert newest["disabled_reason"] == (
        "No files of its build were recorded while it ran, and the service has no latency metrics there."
    )


def test_a_search_sends_few_statements(client: TestClient, made: EvidenceFactory, queries: Statements) -> None:
    service_id, environment_id = made.service(), made.environment()
    for number in range(12):
        build_id = made.build(service_id, f"{number:040x}", branch=f"branch-{number}")
        made.profile(build_id)
        made.deployment(service_id, environment_id, build_id, RECORDED_AT + timedelta(hours=number))
    for searched in ("build", "ref", "deployment"):
        with queries.during() as one:
            assert len(search(client, searched, limit=1)) == 1
            few = len(one)
        with queries.during() as many:
            assert len(search(client, searched)) == 12
            assert len(many) == few, searched
