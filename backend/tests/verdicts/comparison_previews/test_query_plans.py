"""With 10,000 builds, searches read artifacts and deployments by index."""

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Connection, Engine, event

from tests.factories.accounts import SomeTeam
from tests.factories.evidence import EvidenceFactory
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

pytestmark = [pytest.mark.database, pytest.mark.processes]

FILL = """
INSERT INTO build (team_id, id, service_id, commit, go_version, goos, goarch, flags, branch, title, created_at)
    SELECT %(team)s, gen_random_uuid(), %(service)s, md5(n::text), '', '', '', '', 'branch-' || n %% 40, 'Change ' || n,
        now() - n * interval '1 minute' FROM generate_series(1, 10000) n;
INSERT INTO artifact (team_id, id, name, size_bytes, sha256, build_id, run_metadata, state, kind, created_at)
    SELECT %(team)s, gen_random_uuid(), 'cpu.pprof', 1, md5(id::text), id, '{}', 'decoded', 'profile.cpu', created_at
    FROM build, generate_series(1, 3) WHERE team_id = %(team)s;
INSERT INTO deployment (team_id, id, service_id, environment_id, build_id, commit, started_at, source, commits)
    SELECT %(team)s, gen_random_uuid(), service_id, %(environment)s, id, commit, created_at, 'api', '[]'
    FROM build WHERE team_id = %(team)s
"""
SELECTS = (
    ("/api/v1/comparison-sources?type=build", {"ix_build_newest", "ix_artifact_build"}),
    ("/api/v1/comparison-sources?type=ref", {"ix_build_branch", "ix_artifact_build"}),
    ("/api/v1/comparison-sources?type=deployment", {"ix_deployment_started", "ix_artifact_build"}),
    ("/api/v1/builds", {"ix_build_newest", "ix_artifact_build"}),
)


@pytest.fixture
def seen(engine: Engine) -> Iterator[list[tuple[str, Any]]]:
    """Collect the statements with their parameters."""
    statements: list[tuple[str, Any]] = []

    def note(_connection: Connection, _cursor: object, statement: str, parameters: object, *_rest: object) -> None:
        if statement.startswith("SELECT"):
            statements.append((statement, parameters))

    event.listen(engine, "before_cursor_execute", note)
    yield statements
    event.remove(engine, "before_cursor_execute", note)


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for below in plan.get("Plans", ()):
        yield from nodes(below)


def test_searches_use_indexes(
    app: AppUnderTest, team: SomeTeam, client: TestClient, migrated: TestDatabase, seen: list[tuple[str, Any]]
) -> None:
    made = EvidenceFactory(app, team)
    values = {"team": team.id, "service": made.service(), "environment": made.environment()}
    with migrated.as_admin() as admin:
        for statement in FILL.split(";\n"):
            admin.execute(statement.encode(), values)
        admin.commit()
        admin.execute("ANALYZE")
        admin.commit()
        for path, expected in SELECTS:
            seen.clear()
            assert client.get(path).status_code == 200
            plans = [explain(admin, *each) for each in seen]
            used = {str(node.get("Index Name")) for plan in plans for node in nodes(plan)}
            scanned = {
                node.get("Relation Name") for plan in plans for node in nodes(plan) if node["Node Type"] == "Seq Scan"
            }
            assert expected <= used, path
            assert not scanned & {"artifact", "deployment"}, path


def explain(admin: psycopg.Connection, statement: str, parameters: Any) -> dict[str, Any]:  # noqa: ANN401
    row = admin.execute(f"EXPLAIN (FORMAT JSON) {statement}".encode(), parameters).fetchone()
    assert row is not None
    found = row[0] if isinstance(row[0], list) else json.loads(row[0])
    plan: dict[str, Any] = found[0]["Plan"]
    return plan
