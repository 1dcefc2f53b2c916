"""From pushed histograms to a regression: builds are deployed one after the other, and every job is carried out."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from numpy.random import default_rng

from bench.synthetic_traffic import BOUNDS, counts_of, weather
from slowpath.core.ids import JobId, new_id
from slowpath.evidence.metrics.jobs import DetectChangePoints
from slowpath.platform.accounts.rules.roles import TokenScope
from support.prometheus_oracle import REMOTE_WRITE_HEADERS, WrittenBlock, remote_write_body
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.jobs.conftest import Bench
from tests.support.app_under_test import AppUnderTest

pytestmark = [pytest.mark.database, pytest.mark.processes]

NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""
MINUTE = 60_000
EACH = 25
"""Minutes that a build runs in steady traffic: with bursts, so short a time is not conclusive."""
PLACEMENTS = 0.03
PER_SECOND = 60.0
REAL = 8
"""Builds that are measured by what was pushed; the longer history repeats what they measured."""
HISTORY = 48


@pytest.fixture
def client(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> TestClient:
    return app.asked(token=people.token(team, TokenScope.WRITE).secret)


def commit_of(build: int) -> str:
    return f"{build + 1:07x}" + "0" * 33


def instance(build: int, began_ms: int, counts: np.ndarray[Any, np.dtype[np.float64]]) -> Iterator[WrittenBlock]:
    """One instance that answers from its build's deploy until the next."""
    who = {"job": "checkout", "instance": f"pod-{build}:80"}
    times = [began_ms + MINUTE * minute for minute in range(len(counts) + 1)]
    upto = np.concatenate((np.zeros((1, counts.shape[1])), np.cumsum(np.cumsum(counts, axis=1), axis=0)))
    for bucket, bound in enumerate(BOUNDS):
        le = "+Inf" if np.isinf(bound) else f"{bound:.6g}"
        name = {"__name__": "http_request_duration_seconds_bucket", "le": le}
        yield WrittenBlock({**name, **who}, list(zip(times, upto[:, bucket].tolist(), strict=True)))
    whole = list(zip(times, upto[:, -1].tolist(), strict=True))
    yield WrittenBlock({"__name__": "http_request_duration_seconds_count", **who}, whole)


@dataclass
class Line:
    """Builds of one service that are deployed one after the other."""

    client: TestClient
    bench: Bench
    team: SomeTeam
    rng: np.random.Generator
    began_ms: int = NOW_MS - 40 * EACH * MINUTE
    made: list[str] = field(default_factory=list)

    def deploy(self, builds: int, slower: float = 1.0, load: float = 1.0) -> list[str]:
        """Push what builds answer, deploy them, watch, and do all that follows."""
        first, series = len(self.made), list[WrittenBlock]()
        for build in range(first, first + builds):
            placed = slower * float(np.exp(self.rng.normal(0, PLACEMENTS)))
            counts = counts_of(self.rng, weather(self.rng, EACH, bursts=0.0), PER_SECOND * load, placed)
            series += instance(build, self.began_ms + build * EACH * MINUTE, counts)
        body = remote_write_body(series)
        assert self.client.post("/api/v1/metrics/write", content=body, headers=REMOTE_WRITE_HEADERS).status_code == 204
        self.made += [self._deployed(build) for build in range(first, first + builds)]
        watch_and_do(self.bench, self.team)
        return self.made[first:]

    def _deployed(self, build: int) -> str:
        [service] = self.client.get("/api/v1/services").json()["items"]
        [environment] = self.client.get("/api/v1/environments").json()["items"]
        at = datetime.fromtimestamp(self.began_ms / 1000, UTC) + timedelta(minutes=build * EACH)
        fields: dict[str, Any] = {"service_id": service["id"], "commit": commit_of(build)}
        made = self.client.post("/api/v1/builds", json={**fields, "branch": "main"})
        where = {"environment_id": environment["id"], "started_at": at.isoformat()}
        response = self.client.post("/api/v1/deployments", json={**fields, **where})
        assert (made.status_code, response.status_code) == (201, 201), (made.text, response.text)
        return str(made.json()["id"])

    def repeat(self) -> None:
        """Give the service older builds that measured what the real ones did."""
        for number in range(HISTORY):
            names = {"new": new_id(), "row": new_id(), "like": self.made[number % len(self.made)]}
            fields = {**names, "commit": commit_of(1000 + number), "hours": 2 + number}
            self.bench.admin.execute(
                "INSERT INTO build (team_id, id, service_id, commit, go_version, goos, goarch, flags, branch, committed_at,"
                " run_metadata) SELECT team_id, %(new)s, service_id, %(commit)s, '', '', '', '', branch,"
                " created_at - make_interval(hours => %(hours)s), '{}' FROM build WHERE id = %(like)s",
                fields,
            )
            self.bench.admin.execute(
                "INSERT INTO build_verdict (team_id, id, build_id, service_id, branch, ordered_at, state, sentence,"
                " evaluated_at) SELECT team_id, %(row)s, id, service_id, branch, committed_at, 'passed', '', committed_at"
                " FROM build WHERE id = %(new)s",
                fields,
            )
            self.bench.admin.execute(
                "INSERT INTO build_measurement (team_id, id, build_id, kind, artifact_hashes, artifacts, conditions, content)"
                " SELECT team_id, %(row)s, %(new)s, kind, 'repeated', 0, conditions, content FROM build_measurement"
                " WHERE build_id = %(like)s",
                fields,
            )


@pytest.fixture
def line(client: TestClient, bench: Bench, team: SomeTeam) -> Line:
    line = Line(client, bench, team, default_rng(9))
    line.deploy(REAL)
    line.repeat()
    return line


def watch_and_do(bench: Bench, team: SomeTeam) -> None:
    """Watch, and carry out what is asked for then, the oldest first."""
    assert bench.carry_out(bench.write_down(DetectChangePoints(team.id)))["state"] == "done"
    while True:
        found = bench.admin.execute(
            "SELECT id FROM job WHERE state = 'waiting' AND name = 'regressions.evaluate-build' ORDER BY created_at, id LIMIT 1"
        ).fetchone()
        if found is None:
            return
        bench.change(JobId(found[0]), "not_before = clock_timestamp()")
        row = bench.carry_out(JobId(found[0]))
        assert row["state"] == "done", row["problem"]


def series_of(client: TestClient) -> dict[str, Any]:
    [service] = client.get("/api/v1/services").json()["items"]
    response = client.get(f"/api/v1/services/{service['id']}/series", params={"kind": "latency"})
    assert response.status_code == 200, response.text
    page: dict[str, Any] = response.json()
    return page


def regressions(client: TestClient, *, confirmed: bool = True) -> list[dict[str, Any]]:
    response = client.get("/api/v1/regressions", params={"confirmed": confirmed})
    items: list[dict[str, Any]] = response.json()["items"]
    return items


def test_a_slowdown_of_a_fifth_is_reported_once_when_five_builds_show_it(client: TestClient, line: Line) -> None:
    builds = line.deploy(4, 1.2)

    assert regressions(client) == []
    [candidate] = regressions(client, confirmed=False)
    assert candidate["first_bad_build"]["build_id"] == builds[0]
    body = client.get(f"/api/v1/builds/{builds[0]}/verdict").json()
    assert (body["state"], body["required_evidence"]) == ("inconclusive", {"builds": 1, "profiles": None})
    assert "Latency alone is weak evidence" in body["sentence"]

    line.deploy(3, 1.2)
    [regression] = regressions(client)
    assert regression["kind"] == "latency"
    assert regression["subject"] in ("production p50", "production p99")
    assert regression["first_bad_build"]["build_id"] == builds[0]
    assert regression["ratio"] == pytest.approx(1.2, rel=0.06)
    assert "in production is higher" in regression["title"]
    comparison = client.get(f"/api/v1/comparisons/{regression['comparison_id']}").json()
    base, candidate_side = comparison["base"]["time_range"], comparison["candidate"]["time_range"]
    assert base["environment_id"] == candidate_side["environment_id"]
    assert base["to"] <= candidate_side["from"]
    page = series_of(client)
    assert {each["subject"] for each in page["series"]} == {"production p50", "production p99"}
    assert {each["unit"] for each in page["series"]} == {"ns"}
    assert all(value is not None for each in page["series"] for value in each["values"])
    assert "requests a second" in page["builds"][0]["conditions"]


def test_unchanged_builds_have_no_findings(client: TestClient, line: Line) -> None:
    builds = line.deploy(10)

    assert regressions(client) == regressions(client, confirmed=False) == []
    assert {client.get(f"/api/v1/builds/{build}/verdict").json()["state"] for build in builds} == {"passed"}


def test_under_another_load_slower_is_no_regression(client: TestClient, line: Line) -> None:
    line.deploy(7, 1.2, load=2.5)

    assert regressions(client) == []
    assert len({each["conditions"] for each in series_of(client)["builds"]}) == 2


def test_a_repeated_evaluation_measures_nothing_again(line: Line, bench: Bench, team: SomeTeam) -> None:
    found = "SELECT artifact_hashes, content FROM build_measurement ORDER BY build_id"
    rows = bench.admin.execute(found).fetchall()
    watch_and_do(bench, team)

    assert len(rows) == REAL + HISTORY
    assert bench.admin.execute(found).fetchall() == rows
    [[jobs]] = bench.admin.execute("SELECT count(*) FROM job WHERE name = 'regressions.evaluate-build'").fetchall()
    assert jobs == REAL
