"""The compilation of a culprit over HTTP and jobs: queued once it is found, leased to runners that compile."""

from typing import Any
from uuid import UUID

import pytest

from slowpath.core.ids import new_id
from tests.bisects.conftest import Search, plan_of, sha, slower_from

pytestmark = pytest.mark.database
REASON = {
    "function": "main.clone", "kind": "inline", "base": "", "candidate": "function too complex: cost 117 exceeds budget 80",
    "file": "main.go", "line": 7, "cost": 61,
}  # fmt: skip


def found(search: Search, *, can_compile: bool = True, **settings: Any) -> dict[str, Any]:  # noqa: ANN401 - members of settings
    search.runner.can_compile = can_compile
    search.runner.come()
    search.begin(plan_of(8), **settings)
    measure = slower_from(5)
    for _ in range(400):
        search.runner.turn(measure)
        search.work()
        if search.get_detail()["state"] != "searching":
            break
    for run_id in [*search.runner.running]:
        search.runner.end(run_id)
    search.work()
    detail = search.get_detail()
    assert detail["state"] == "found"
    return detail


def decide(search: Search, run_id: str, reasons: list[dict[str, Any]], expected: int = 204) -> None:
    response = search.runner.client.post(f"/api/v1/probes/{run_id}/compiler-decisions", json={"reasons": reasons})
    assert response.status_code == expected, response.text


def test_the_culprit_and_the_build_before_it_are_compiled_once(search: Search) -> None:
    before = found(search, main_package="./cmd/service", tags=["netgo"])
    assert before["compiler"] == {"state": "waiting", "reasons": [], "problem": "", "comparison_id": None}
    [lease] = search.runner.lease()
    assert (lease["purpose"], lease["build"]["commit"]) == ("compile", sha(5))
    target = {**lease["compile"], "base": lease["compile"]["base"]["commit"]}
    assert target == {"base": sha(4), "package": "cmd/service", "tags": ["netgo"]}
    search.runner.beat(lease["run_id"], "deploying")
    assert search.get_detail()["compiler"]["state"] == "running"
    decide(search, lease["run_id"], [REASON])
    search.runner.end(lease["run_id"])
    search.work()
    detail = search.get_detail()
    assert detail["compiler"]["state"] == "done"
    assert [one["sentence"] for one in detail["compiler"]["reasons"]] == [
        "main.clone is no longer inlined: cost 117 exceeds budget 80. In the base, its cost is 61: budget left 19. To be inlined, it has to lose 37."
    ]
    assert (detail["probes"], detail["cost"]["deployments"]) == (before["probes"], before["cost"]["deployments"])
    assert search.runner.lease() == []
    [stored] = search.bench.admin.execute(
        "SELECT base_commit, candidate_commit, package FROM compile_report"
    ).fetchall()
    assert stored == (sha(4), sha(5), "./cmd/service")
    assert search.person.delete(f"/api/v1/bisects/{search.bisect_id}").status_code == 204


def compared(search: Search, base: tuple[UUID, ...], candidate: tuple[UUID, ...]) -> str:
    """Store a finished comparison of artifacts; each is of the run that uploaded it."""
    comparison_id, team_id = new_id(), search.bench.team.id
    execute = search.bench.admin.execute
    execute(
        "INSERT INTO comparison (team_id, id, name, base_label, candidate_label, state) VALUES (%s, %s, 'x', '', '', 'done')",
        (team_id, comparison_id),
    )
    for side, runs in (("base", base), ("candidate", candidate)):
        for position, run_id in enumerate(runs):
            artifact_id = new_id()
            execute(
                "INSERT INTO artifact (team_id, id, name, size_bytes, sha256, batch, run_metadata, state)"
                " VALUES (%s, %s, 'cpu.pb.gz', 1, %s, %s, '{}', 'decoded')",
                (team_id, artifact_id, "a" * 64, run_id),
            )
            execute(
                "INSERT INTO comparison_artifact (team_id, id, comparison_id, side, artifact_id, position)"
                " VALUES (%s, %s, %s, %s, %s, %s)",
                (team_id, new_id(), comparison_id, side, artifact_id, position),
            )
    return str(comparison_id)


def test_the_newest_comparison_of_the_two_builds_is_named(search: Search) -> None:
    found(search, main_package="cmd/service")
    rows = search.bench.admin.execute(
        "SELECT build->>'commit', run_id FROM probe WHERE purpose NOT IN ('override', 'compile') ORDER BY number"
    ).fetchall()
    runs: dict[str, list[UUID]] = {}
    for commit, run_id in rows:
        runs.setdefault(commit, []).append(run_id)
    before, culprit, good = runs[sha(4)][0], runs[sha(5)][0], runs[sha(0)][0]
    assert search.get_detail()["compiler"]["comparison_id"] is None
    compared(search, (good,), (culprit,))
    compared(search, (culprit,), (before,))
    compared(search, (before,), (culprit, good))
    compared(search, (new_id(),), (culprit,))
    assert search.get_detail()["compiler"]["comparison_id"] is None, "of other builds, reversed, and of more builds"
    compared(search, (before,), (culprit,))
    newest = compared(search, (before,), (culprit,))
    assert search.get_detail()["compiler"]["comparison_id"] == newest


def test_a_build_that_fails_is_stated(search: Search) -> None:
    found(search, main_package="cmd/service")
    [lease] = search.runner.lease()
    fields = {"outcome": "unbuildable", "log_tail": "go build failed: undefined: x"}
    assert search.runner.client.post(f"/api/v1/probes/{lease['run_id']}/result", json=fields).status_code == 204
    search.work()
    assert search.get_detail()["compiler"] == {
        "state": "failed", "reasons": [], "problem": "go build failed: undefined: x", "comparison_id": None,
    }  # fmt: skip


def test_nothing_is_compiled_without_a_package_or_a_runner_that_compiles(search: Search) -> None:
    assert found(search)["compiler"] is None


def test_a_runner_that_does_not_compile_gets_no_such_lease(search: Search) -> None:
    assert found(search, can_compile=False, main_package="cmd/service")["compiler"] is None


def test_a_runner_may_only_report_what_it_compiles(search: Search) -> None:
    search.begin(plan_of(8))
    [lease, *_] = search.runner.lease()
    decide(search, lease["run_id"], [], 422)
