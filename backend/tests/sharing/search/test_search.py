"""Search over all objects of a team: what is found, in which order, and how fast with 10,000 builds."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Connection, Engine, event

from slowpath.analysis.findings.build_measurements import KindMeasurement, SubjectValues
from slowpath.platform.accounts.rules.roles import Role
from slowpath.sharing.search.rules import MOST_SEARCHED, parse_words
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.comparisons.tables import Comparison
from slowpath.verdicts.regressions.tables import BuildMeasurement, Regression
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.evidence import EvidenceFactory
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

FILL = """
INSERT INTO build (team_id, id, service_id, commit, go_version, goos, goarch, flags, branch, title, created_at)
    SELECT %(team)s, gen_random_uuid(), %(service)s, md5(n::text), '', '', '', '', 'branch-' || n %% 40, 'Change ' || n,
        now() - n * interval '1 minute' FROM generate_series(1, 10000) n;
INSERT INTO artifact (team_id, id, name, size_bytes, sha256, build_id, run_metadata, state, kind, created_at)
    SELECT %(team)s, gen_random_uuid(), 'cpu.pprof', 1, md5(id::text), id, '{}', 'decoded', 'profile.cpu', created_at
    FROM build, generate_series(1, 3) WHERE team_id = %(team)s
"""


@contextmanager
def seen_statements(engine: Engine) -> Iterator[list[tuple[str, Any]]]:
    """Collect the SELECT statements with their parameters."""
    statements: list[tuple[str, Any]] = []

    def note(_connection: Connection, _cursor: object, statement: str, parameters: object, *_rest: object) -> None:
        if statement.startswith("SELECT") and " FROM " in statement.replace("\n", " "):
            statements.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    yield statements
    event.remove(engine, "before_cursor_execute", note)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


def explain(admin: psycopg.Connection, statement: str, parameters: Any) -> dict[str, Any]:  # noqa: ANN401
    row = admin.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}".encode(), parameters).fetchone()
    assert row is not None
    found = row[0] if isinstance(row[0], list) else json.loads(row[0])
    plan: dict[str, Any] = found[0]["Plan"]
    return plan


@pytest.fixture
def made(app: AppUnderTest, team: SomeTeam) -> EvidenceFactory:
    return EvidenceFactory(app, team)


def search(client: TestClient, text: str, **query: int) -> dict[str, list[dict[str, Any]]]:
    answer = client.get("/api/v1/search", params={"q": text, **query})
    assert answer.status_code == 200, answer.text
    return {group["type"]: group["items"] for group in answer.json()["groups"]}


def titles(found: dict[str, list[dict[str, Any]]]) -> dict[str, list[str]]:
    return {searched: [item["title"] for item in items] for searched, items in found.items()}


def regression(service_id: UUID, number: int | None, title: str) -> Regression:
    return Regression(
        number=number,
        service_id=service_id,
        branch="main",
        state="new",
        confirmed=number is not None,
        title=title,
        sentence=title,
        kind="profile.function",
        subject="main.Total",
        unit="",
        direction="worse",
    )


def measured(made: EvidenceFactory, build_id: UUID, *functions: str) -> None:
    values = SubjectValues("us/request", np.ones(len(functions)), np.ones(len(functions)))
    content = KindMeasurement("profile.function", 1, functions, {"per_request": values}).pack()
    made.add(
        BuildMeasurement(
            build_id=build_id, kind="profile.function", artifact_hashes="", artifacts=1, conditions="", content=content
        )
    )


@pytest.mark.database
def test_a_text_finds_objects_of_each_type(client: TestClient, made: EvidenceFactory) -> None:
    service_id = made.service("checkout")
    build_id = made.build(service_id, "3f1c0a7be2d9" + 28 * "0", branch="main", title="Sum the checkout again")
    made.add(regression(service_id, 12, "Checkout takes 1.8 times the CPU"))
    made.add(regression(service_id, None, "An unconfirmed checkout regression"))
    made.add(Comparison(name="checkout, main", base_label="", candidate_label=""))
    made.add(
        Bisect(
            number=3,
            title="checkout p99",
            service_id=service_id,
            good_sha="a",
            bad_sha="b",
            state="searching",
            signature={},
            settings={},
        )
    )
    artifact_id = made.profile(build_id)
    measured(made, build_id, "shop.checkoutTotal", "main.main")
    client.post("/api/v1/reports", json={"title": "Why checkout got slower"}).raise_for_status()

    found = search(client, "checkout")

    assert titles(found) == {
        "service": ["checkout"],
        "regression": ["Checkout takes 1.8 times the CPU"],
        "build": ["3f1c0a7be2"],
        "comparison": ["checkout, main"],
        "bisect": ["checkout p99"],
        "report": ["Why checkout got slower"],
        "function": ["shop.checkoutTotal"],
    }
    assert found["build"][0]["subtitle"] == "checkout, main, Sum the checkout again"
    assert found["build"][0]["path"] == f"/builds/{build_id}"
    assert found["regression"][0]["subtitle"] == "Regression 12, checkout, new"
    assert found["function"][0]["path"] == f"/artifacts/{artifact_id}?fn=shop.checkoutTotal&q=shop.checkoutTotal"
    assert titles(search(client, "cpu.pprof")) == {"artifact": ["cpu.pprof"]}


@pytest.mark.database
@pytest.mark.parametrize("text", ["chexkout", "checkot", "checkoutt", "kheckout", "shop chexkout"])
def test_a_misspelled_text_finds_similar_words(client: TestClient, made: EvidenceFactory, text: str) -> None:
    made.service("shop-checkout")
    made.service("ingester")
    assert titles(search(client, text)) == {"service": ["shop-checkout"]}


@pytest.mark.database
def test_an_answer_states_whether_words_are_only_similar(client: TestClient, made: EvidenceFactory) -> None:
    made.service("checkout")
    answers = {text: client.get("/api/v1/search", params={"q": text}).json() for text in ("check", "chexkout", "")}
    assert {text: answer["is_similar"] for text, answer in answers.items()} == {
        "check": False,
        "chexkout": True,
        "": False,
    }


@pytest.mark.database
def test_a_commit_finds_the_bisect_whose_culprit_it_is(client: TestClient, made: EvidenceFactory) -> None:
    bisect = Bisect(
        number=4,
        title="main.Total",
        service_id=made.service("checkout"),
        good_sha="a",
        bad_sha="b",
        state="found",
        signature={},
        settings={},
        summary={"culprit": {"sha": "512ff71" + 33 * "0", "repository": "shop", "title": "Sum again"}},
    )
    made.add(bisect)
    assert titles(search(client, "512ff71")) == {"bisect": ["main.Total"]}


@pytest.mark.database
def test_a_title_that_begins_with_the_text_comes_first(client: TestClient, made: EvidenceFactory) -> None:
    service_id = made.service("a")
    for name in ("the cart", "cart", "a cart"):
        made.build(service_id, name, display_name=name)
    made.build(service_id, "x", display_name="x", title="Empty the cart")
    assert titles(search(client, "cart"))["build"] == ["cart", "a cart", "the cart", "x"]
    assert titles(search(client, "cart", limit=2))["build"] == ["cart", "a cart"]


@pytest.mark.database
@pytest.mark.parametrize(("text", "expected"), [("#12", [12]), ("regression 12", [12]), ("%", []), ("_", [])])
def test_numbers_find_regressions_and_wildcards_are_letters(
    client: TestClient, made: EvidenceFactory, text: str, expected: list[int]
) -> None:
    service_id = made.service("a")
    made.add(regression(service_id, 12, "Slower"))
    made.add(regression(service_id, 7, "Slower too"))
    found = [item["subtitle"] for item in search(client, text).get("regression", [])]
    assert found == [f"Regression {number}, a, new" for number in expected]


@pytest.mark.database
def test_an_empty_text_finds_nothing_and_a_long_one_is_refused(client: TestClient, made: EvidenceFactory) -> None:
    made.service("a")
    assert search(client, " # ") == {}
    assert client.get("/api/v1/search", params={"q": "x" * 201}).status_code == 422


@pytest.mark.database
def test_a_viewer_searches_the_own_team_only(
    app: AppUnderTest, team: SomeTeam, people: AccountsFactory, made: EvidenceFactory
) -> None:
    service_id = made.service("checkout")
    measured(made, made.build(service_id, "abc"), "shop.checkoutTotal")
    viewer, stranger = people.member(team, Role.VIEWER), people.team("Others").owner
    assert set(search(app.asked(cookie=viewer.cookie), "checkout")) == {"service", "build", "function"}
    assert search(app.asked(cookie=stranger.cookie), "checkout") == {}


def test_words_are_limited_and_lose_the_sign_of_a_number() -> None:
    assert parse_words("  #12 cart  # ") == ("12", "cart")
    assert parse_words("a b c d e f g h") == ("a", "b", "c", "d", "e", "f")


@pytest.mark.database
@pytest.mark.processes
def test_a_search_of_10_000_builds_reads_a_limited_number_of_rows_by_index(
    team: SomeTeam, client: TestClient, made: EvidenceFactory, migrated: TestDatabase, engine: Engine
) -> None:
    values = {"team": team.id, "service": made.service()}
    with migrated.as_admin() as admin, seen_statements(engine) as seen:
        for statement in FILL.split(";\n"):
            admin.execute(statement.encode(), values)
        admin.commit()
        admin.execute("ANALYZE")
        admin.commit()
        for text in ("change 9999", "Chamge of nothing"):
            seen.clear()
            search(client, text)
            plans = [node for each in seen for node in nodes(explain(admin, *each))]
            assert "ix_artifact_newest" in {node.get("Index Name") for node in plans}
            assert "artifact" not in {node.get("Relation Name") for node in plans if node["Node Type"] == "Seq Scan"}
            read = [node["Actual Rows"] + node.get("Rows Removed by Filter", 0) for node in plans]
            assert max(read) <= 1.01 * MOST_SEARCHED  # artifacts of one time count as one
