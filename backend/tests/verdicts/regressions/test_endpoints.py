"""Regressions over HTTP: rights, triage, history, manual regressions."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from fastapi.testclient import TestClient

from slowpath.analysis.findings.findings import Effect
from slowpath.core.ids import BuildId, new_id
from slowpath.core.jobs import JobRow, JobState, enqueue
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.verdicts.comparisons.tables import Comparison, ComparisonArtifact
from slowpath.verdicts.regressions.jobs import EvaluateBuild
from slowpath.verdicts.regressions.tables import Regression
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.findings import FINDING, stored_result
from tests.support.app_under_test import AppUnderTest
from tests.support.statements import Statements
from tests.verdicts.regressions.synthetic_builds import BEGUN, SyntheticBuilds

pytestmark = pytest.mark.database

AT = datetime(2026, 11, 20, tzinfo=UTC)
DECODE = replace(
    FINDING,
    subject="app.decode",
    base=30.0,
    candidate=45.0,
    change=Effect(1.5, 15.0, 1.4, 1.6, 0.95, "ratio"),
    sentence="app.decode takes more time.",
)


@pytest.fixture
def synthetic(app: AppUnderTest, team: SomeTeam) -> SyntheticBuilds:
    return SyntheticBuilds.opened(app, team, seed=3)


def put(synthetic: SyntheticBuilds, number: int | None = 1, **fields: Any) -> UUID:  # noqa: ANN401 - any column
    values = {
        "branch": "main",
        "state": "new",
        "title": f"decode takes more time ({number})",
        "sentence": "decode takes more time.",
        "kind": "profile.function",
        "subject": "app.decode",
        "unit": "us/request",
        "direction": "worse",
        "ratio": 1.5,
        "since_commit": "abc",
        "since_at": AT,
        "related_series": [{"kind": "profile.function", "subject": "app.decode", "ratio": 1.5, "is_move": False}],
    }
    row = Regression(
        team_id=synthetic.team.id,
        id=new_id(),
        number=number,
        confirmed=number is not None,
        service_id=synthetic.service_id,
        **{**values, **fields},
    )
    with synthetic.writing() as session:
        session.add(row)
    return row.id


def listed(client: TestClient, **asked: Any) -> list[int | None]:  # noqa: ANN401 - any parameter
    return [row["number"] for row in client.get("/api/v1/regressions", params=asked).json()["items"]]


def test_the_list_is_filtered_and_holds_no_candidates(client: TestClient, synthetic: SyntheticBuilds) -> None:
    put(synthetic, 1)
    put(synthetic, 2, state="fixed", kind="bench", subject="BenchmarkX sec/op", title="BenchmarkX takes longer")
    put(synthetic, None)

    assert listed(client) == [2, 1]
    assert listed(client, confirmed=False) == [None]
    assert listed(client, state="new") == [1]
    assert listed(client, kind="bench") == [2]
    assert listed(client, search="benchmarkx") == [2]
    assert listed(client, service_id=str(synthetic.service_id)) == [2, 1]
    assert listed(client, service_id=str(new_id())) == []
    assert listed(client, assignee="unassigned") == [2, 1]
    assert listed(client, assignee="nobody") == [2, 1], "the former name"
    assert listed(client, assignee="me") == []


def test_the_list_asks_as_much_for_many_as_for_few(
    client: TestClient, synthetic: SyntheticBuilds, queries: Statements
) -> None:
    put(synthetic, 1)
    listed(client)
    with queries.during() as few:
        listed(client)
    for number in range(2, 30):
        put(synthetic, number)
    with queries.during() as many:
        listed(client)

    assert len(many) == len(few)


def test_changes_are_recorded_and_notified(
    client: TestClient, synthetic: SyntheticBuilds, people: AccountsFactory, team: SomeTeam
) -> None:
    regression_id = put(synthetic)
    member = people.member(team)
    change = {"state": "acknowledged", "assignee_id": str(member.user_id), "due_on": "2026-12-24", "note": "looking"}
    body = client.patch(f"/api/v1/regressions/{regression_id}", json=change).json()

    assert (body["state"], body["due_on"]) == ("acknowledged", "2026-12-24")
    assert body["assignee"]["id"] == str(member.user_id)
    assert body["assignee"]["name"]
    events = client.get(f"/api/v1/regressions/{regression_id}/events").json()["items"]
    assert [event["kind"] for event in events] == ["note", "due", "assignee", "state"]
    assert events[-1]["details"] == {"from": "new", "to": "acknowledged"}
    assert events[-1]["actor"]["id"] == str(team.owner.user_id)
    assert [job["what"] for job in synthetic.jobs("regressions.notify-changed")] == ["state", "assignee", "due", "note"]

    again = client.patch(f"/api/v1/regressions/{regression_id}", json={"state": "acknowledged"})
    assert again.status_code == 200
    assert len(client.get(f"/api/v1/regressions/{regression_id}/events").json()["items"]) == 4

    closed = client.patch(f"/api/v1/regressions/{regression_id}", json={"state": "not-a-regression"}).json()
    assert closed["closed_at"] is not None
    taken = client.patch(f"/api/v1/regressions/{regression_id}", json={"assignee_id": None, "state": "new"}).json()
    assert (taken["assignee"], taken["closed_at"]) == (None, None)


def test_many_are_changed_together_or_not_at_all(client: TestClient, synthetic: SyntheticBuilds) -> None:
    ids = [str(put(synthetic, number)) for number in (1, 2, 3)]
    change = {"state": "ignored"}
    response = client.patch("/api/v1/regressions", json={"ids": [*ids[:2], str(new_id())], "change": change})
    assert (response.status_code, listed(client, state="ignored")) == (404, [])

    response = client.patch("/api/v1/regressions", json={"ids": ids[:2], "change": change})
    assert {row["state"] for row in response.json()["items"]} == {"ignored"}
    assert listed(client, state="ignored") == [2, 1]


def test_only_members_can_be_assigned(client: TestClient, synthetic: SyntheticBuilds, people: AccountsFactory) -> None:
    outsider = people.team("Others").owner
    response = client.patch(f"/api/v1/regressions/{put(synthetic)}", json={"assignee_id": str(outsider.user_id)})

    assert (response.status_code, response.json()["type"]) == (422, "urn:slowpath:not-a-member")


def test_a_candidate_can_be_ignored_but_not_worked_on(client: TestClient, synthetic: SyntheticBuilds) -> None:
    candidate = put(synthetic, None)

    assert client.patch(f"/api/v1/regressions/{candidate}", json={"state": "acknowledged"}).status_code == 409
    assert client.patch(f"/api/v1/regressions/{candidate}", json={"state": "ignored"}).status_code == 200
    assert synthetic.jobs("regressions.notify-changed") == []


@pytest.mark.asked_by("viewer")
def test_viewers_look_and_change_nothing(client: TestClient, synthetic: SyntheticBuilds) -> None:
    regression_id = put(synthetic)

    assert client.get(f"/api/v1/regressions/{regression_id}").status_code == 200
    for answer in (
        client.patch(f"/api/v1/regressions/{regression_id}", json={"state": "fixed"}),
        client.patch(f"/api/v1/regressions/{regression_id}", json={"note": "hm"}),
        client.patch("/api/v1/regressions", json={"ids": [str(regression_id)], "change": {"state": "fixed"}}),
    ):
        assert answer.status_code == 403


def test_the_summary_counts_and_names_the_largest_open_one(client: TestClient, synthetic: SyntheticBuilds) -> None:
    put(synthetic, 1, ratio=1.2)
    put(synthetic, 2, ratio=1.9)
    put(synthetic, 3, ratio=9.0, state="fixed")
    put(synthetic, None, ratio=20.0)
    body = client.get("/api/v1/regression-summary").json()

    assert body["open"] == 2
    assert (body["states"]["new"], body["states"]["fixed"]) == (2, 1)
    assert body["services"] == [{"service_id": str(synthetic.service_id), "open": 2, "total": 3}]
    assert body["headline"]["number"] == 2


def test_a_comparison_becomes_a_manual_regression(client: TestClient, synthetic: SyntheticBuilds) -> None:
    good, bad = synthetic.prepare(), synthetic.prepare()
    comparison_id = new_id()
    with synthetic.writing() as session:
        session.add(
            Comparison(
                team_id=synthetic.team.id,
                id=comparison_id,
                name="a against b",
                base_label="a",
                candidate_label="b",
                state="done",
                result=stored_result(DECODE),
            )
        )
        session.flush()
        for side, build_id in (("base", good), ("candidate", bad)):
            artifact = Artifact(
                team_id=synthetic.team.id, id=new_id(), name=side, size_bytes=1, sha256="0" * 64, state="decoded", run_metadata={},
                build_id=build_id,
            )  # fmt: skip
            session.add(artifact)
            session.flush()
            session.add(
                ComparisonArtifact(
                    team_id=synthetic.team.id, id=new_id(), comparison_id=comparison_id, side=side, artifact_id=artifact.id,
                    position=0,
                )
            )  # fmt: skip
    fields = {"comparison_id": str(comparison_id), "note": "seen in production"}
    headers = {"Idempotency-Key": "once"}
    response = client.post("/api/v1/regressions", json=fields, headers=headers)
    again = client.post("/api/v1/regressions", json=fields, headers=headers)

    assert response.status_code == 201, response.text
    assert again.json()["id"] == response.json()["id"]
    assert response.json()["is_manual"] is True
    assert response.json()["number"] == 1
    assert response.json()["first_bad_build"]["build_id"] == str(bad)
    assert response.json()["good"]["build_id"] == str(good)
    assert response.json()["ratio"] == 1.5
    assert [each["kind"] for each in response.json()["evidence"]] == ["comparison"]
    assert len(synthetic.jobs("regressions.notify-opened")) == 1


def test_rules_on_series_are_replaced_not_piled_up(client: TestClient, synthetic: SyntheticBuilds) -> None:
    path = f"/api/v1/services/{synthetic.service_id}/mute-rules"
    rule = {"kind": "profile.function", "subject": "app.decode", "is_muted": True}
    client.put(path, json=rule)
    client.put(path, json={**rule, "is_muted": False})

    [mute_rule] = client.get(path).json()
    assert (mute_rule["subject"], mute_rule["is_muted"]) == ("app.decode", False)


def test_the_function_of_a_regression_is_marked_as_changed_in_its_series(
    client: TestClient, synthetic: SyntheticBuilds
) -> None:
    for _ in range(8):
        synthetic.build()
    members = [{"kind": "profile.function", "subject": name, "ratio": 1.5} for name in ("app.decode", "app.clone")]
    regression_id = put(
        synthetic,
        related_series=[{**each, "is_move": False} for each in members],
        since_build_id=synthetic.made[5],
        good_build_id=synthetic.made[3],
    )

    series = client.get(f"/api/v1/regressions/{regression_id}/series").json()["series"]

    assert [each["subject"] for each in series] == ["app.decode", "app.clone"]
    for each in series:
        (change,) = each["change_points"]
        assert (change["low_index"], change["index"], change["ratio"]) == (4, 5, 1.5)
        assert (each["levels"][4], each["levels"][5]) == (change["before"], change["after"])
        assert each["levels"][0] == each["levels"][4] != each["levels"][5]

    fixed_id = put(
        synthetic,
        2,
        related_series=[{**members[1], "is_move": False}],
        fixed_build_id=synthetic.made[7],
        since_build_id=synthetic.made[5],
        good_build_id=synthetic.made[3],
    )
    (_, clone) = client.get(f"/api/v1/regressions/{fixed_id}/series").json()["series"]
    assert [(change["index"], round(change["ratio"], 2)) for change in clone["change_points"]] == [(5, 1.5), (7, 0.67)]
    of_service = client.get(f"/api/v1/services/{synthetic.service_id}/series?kind=profile.function").json()["series"]
    assert clone in of_service


def test_series_are_drawn_in_the_order_of_their_commits(client: TestClient, synthetic: SyntheticBuilds) -> None:
    for _ in range(4):
        synthetic.build()
    first = "0000001" + "0" * 33
    synthetic.build(parent="f" * 40)
    synthetic.build(at=BEGUN, parent=first)  # its parent's build is known; it was given an earlier time than that

    drawn = client.get(f"/api/v1/services/{synthetic.service_id}/series").json()["builds"]

    assert [build["id"] for build in drawn] == [str(synthetic.made[number]) for number in (0, 5, 1, 2, 3, 4)]


def test_a_regression_is_found_by_its_number(client: TestClient, synthetic: SyntheticBuilds) -> None:
    put(synthetic, 7, title="it waits longer")
    put(synthetic, 8, title="it takes 7 times as long")
    assert listed(client, search="#7") == [7]
    assert listed(client, search="7") == [8, 7]
    assert listed(client, search="9" * 30) == []


def test_the_summary_counts_what_is_new_and_nobodys(
    client: TestClient, synthetic: SyntheticBuilds, team: SomeTeam
) -> None:
    put(synthetic, 1)
    put(synthetic, 2, assignee_id=team.owner.user_id)
    put(synthetic, 3, state="fixed")
    put(synthetic, None)
    body = client.get("/api/v1/regression-summary").json()
    assert (body["states"]["new"], body["new_unassigned_count"]) == (2, 1)


def test_an_earlier_verdict_is_withheld_while_more_of_the_build_is_measured(
    client: TestClient, synthetic: SyntheticBuilds
) -> None:
    build_id = synthetic.build()
    path = f"/api/v1/builds/{build_id}/verdict"
    before = client.get(path).json()
    with synthetic.writing() as session:
        job_id = enqueue(session, EvaluateBuild(BuildId(build_id)))
    body = client.get(path).json()
    with synthetic.writing() as session:
        session.get_one(JobRow, (synthetic.team.id, job_id)).state = JobState.DONE

    assert before["state"] not in {"pending", "evaluating"}
    assert (body["state"], body["sentence"]) == ("evaluating", "New artifacts of this build are being measured.")
    assert client.get(path).json() == before


def test_a_slow_trend_of_a_series_is_described_and_drawn(client: TestClient, synthetic: SyntheticBuilds) -> None:
    for number in range(60):
        synthetic.build({"decode": 30.0 * (1 + 0.01 * max(0, number - 20))})
    page = client.get(f"/api/v1/services/{synthetic.service_id}/series?kind=profile.function").json()
    (decode,) = [one for one in page["series"] if one["subject"] == "app.decode"]
    (write,) = [one for one in page["series"] if one["subject"] == "app.write"]

    assert decode["trend"]["kind"] in {"ramp", "linear"}
    assert re.match(r"Rises by about [01]\.\d% per build( since [0-9a-f]{10})?; ", decode["trend"]["sentence"])
    drawn = decode["trend"]["values"]
    assert (drawn[5], drawn[59]) == (pytest.approx(30.0, rel=0.1), pytest.approx(41.7, rel=0.1))
    assert decode["levels"] == [None] * 60
    assert write["trend"] is None
