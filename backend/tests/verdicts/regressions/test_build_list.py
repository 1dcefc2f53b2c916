"""The list of builds with evidence and verdicts."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi.testclient import TestClient

from slowpath.core.ids import new_id
from slowpath.verdicts.regressions.tables import BuildVerdict, Regression
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.evidence import RECORDED_AT, EvidenceFactory
from tests.support.app_under_test import AppUnderTest
from tests.support.statements import Statements

pytestmark = pytest.mark.database


@pytest.fixture
def made(app: AppUnderTest, team: SomeTeam) -> EvidenceFactory:
    return EvidenceFactory(app, team)


def listed(client: TestClient, **query: object) -> list[dict[str, Any]]:
    answer = client.get("/api/v1/builds", params={name: str(value) for name, value in query.items()})
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def judge(made: EvidenceFactory, build_id: UUID, service_id: UUID, *regression_ids: UUID) -> None:
    row = BuildVerdict(build_id=build_id, service_id=service_id, branch="main", ordered_at=RECORDED_AT, state="passed")
    row.sentence, row.regression_ids = "No change.", [str(each) for each in regression_ids]
    made.add(row)


def regression(made: EvidenceFactory, service_id: UUID, number: int, kind: str) -> UUID:
    row = Regression(id=new_id(), number=number, service_id=service_id, branch="main", state="new", confirmed=True)
    row.kind, row.subject, row.unit, row.direction = kind, "main.Total", "", "worse"
    row.title = row.sentence = "Slower"
    made.add(row)
    return row.id


def test_a_build_is_listed_with_its_evidence_and_verdict(client: TestClient, made: EvidenceFactory) -> None:
    service_id = made.service()
    judged, bare = (made.build(service_id, 40 * letter, branch="main") for letter in "ab")
    made.profiles(judged, 2)
    made.profile(judged, kind="heap")
    made.profile(judged, state="decoding")
    judge(made, judged, service_id)

    second, first = listed(client)

    assert (second["id"], second["evidence"], second["verdict"]) == (str(bare), [], None)
    assert first["evidence"] == [{"kind": "profile.cpu", "count": 2}, {"kind": "profile.heap", "count": 1}]
    assert (first["waiting_artifacts"], first["verdict"]["state"]) == (1, "passed")


def test_builds_are_filtered_by_service_branch_and_text(client: TestClient, made: EvidenceFactory) -> None:
    service_id = made.service()
    main = made.build(service_id, 40 * "a", branch="main", title="Use 100% of _all_ cores")
    made.build(service_id, 40 * "b", branch="feature")
    made.build(made.service("other"), 40 * "c", branch="main")

    assert [each["id"] for each in listed(client, service_id=service_id, branch="main")] == [str(main)]
    for text in ("100%", "_all_", "AAAA", "use"):
        assert [each["id"] for each in listed(client, search=text)] == [str(main)], text
    assert listed(client, search="[a") == []
    for query in ({"search": "a\x00"}, {"branch": "\x00"}, {"search": "x" * 201}):
        assert client.get("/api/v1/builds", params=query).status_code == 422


def test_a_service_of_another_team_is_not_found(app: AppUnderTest, client: TestClient, people: AccountsFactory) -> None:
    theirs = EvidenceFactory(app, people.team("Theirs"))
    service_id = theirs.service()
    theirs.build(service_id, 40 * "a")

    assert listed(client) == []
    for unknown in (service_id, uuid4()):
        assert client.get("/api/v1/builds", params={"service_id": str(unknown)}).status_code == 404


def test_a_long_list_sends_no_more_statements(client: TestClient, made: EvidenceFactory, queries: Statements) -> None:
    service_id = made.service()
    for number in range(8):
        regressed = regression(made, service_id, number + 1, "profile.heap" if number % 2 else "trace.sched_delay")
        judge(made, made.build(service_id, f"{number:040x}"), service_id, regressed)
    with queries.during() as few:
        listed(client, limit=1)
    with queries.during() as many:
        found = listed(client)
    assert len(many) == len(few)
    assert not any("build.dependencies" in each for each in many.seen)
    kinds = [[one["kind"] for one in each["verdict"]["kinds"] if one["is_announced"]] for each in found]
    assert kinds == [["heap"], ["traces"]] * 4
