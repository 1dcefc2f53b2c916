"""The compilation of a culprit over HTTP and jobs: queued once it is found, leased to runners that compile."""

from typing import Any
from uuid import UUID

import pytest

from slowpath.core.ids import JobId, new_id
from slowpath.verdicts.bisects.service import pair_comparisons
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


def decide(
    search: Search, run_id: str, reasons: list[dict[str, Any]], expected: int = 204, **fields: dict[str, str]
) -> None:
    body = {"reasons": reasons, **fields}
    response = search.runner.client.post(f"/api/v1/probes/{run_id}/compiler-decisions", json=body)
    assert response.status_code == expected, response.text


def test_the_culprit_and_the_build_before_it_are_compiled_once(search: Search) -> None:
    before = found(search, main_package="./cmd/service", tags=["netgo"])
    assert before["compiler"] == {
        "state": "waiting",
        "reasons": [],
        "problem": "",
        "comparison_id": None,
        "missing": "",
    }
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
    compare(search)
    assert search.get_detail()["compiler"] == {
        "state": "failed", "reasons": [], "problem": "go build failed: undefined: x", "comparison_id": None,
        "missing": pair_comparisons.NO_PROFILES,
    }  # fmt: skip


def stored(search: Search, run_id: UUID | str, kind: str, state: str = "decoded") -> str:
    """Store an artifact that a run uploaded."""
    artifact_id = new_id()
    search.bench.admin.execute(
        "INSERT INTO artifact (team_id, id, name, size_bytes, sha256, batch, run_metadata, state, kind)"
        " VALUES (%s, %s, 'x', 1, %s, %s, '{}', %s, %s)",
        (search.bench.team.id, artifact_id, "a" * 64, run_id, state, kind),
    )
    return str(artifact_id)


def run_of(search: Search, commit: str) -> UUID:
    """Return the run of a probe of a commit."""
    statement = "SELECT run_id FROM probe WHERE build->>'commit' = %s AND purpose <> 'compile' ORDER BY number"
    runs: list[tuple[UUID]] = search.bench.admin.execute(statement, (commit,)).fetchall()
    return runs[0][0]


def sides_of_comparison(search: Search) -> dict[str, set[str]]:
    """Return the artifacts of the only comparison."""
    sides: dict[str, set[str]] = {"base": set(), "candidate": set()}
    for side, artifact_id in search.bench.admin.execute("SELECT side, artifact_id FROM comparison_artifact").fetchall():
        sides[side].add(str(artifact_id))
    return sides


def compare(search: Search) -> None:
    """Carry out the steps that wait, and the comparison of both builds if it is enqueued."""
    search.work()
    waiting = search.bench.admin.execute(
        "SELECT id FROM job WHERE state = 'waiting' AND name = 'bisects.compare-culprit'"
    ).fetchall()
    for (job_id,) in waiting:
        search.bench.change(JobId(job_id), "not_before = clock_timestamp()")
        row = search.bench.carry_out(JobId(job_id))
        assert row["state"] == "done", row["problem"]


def compiled(search: Search, base: str, candidate: str) -> None:
    """Compile the culprit on the runner, which uploads these artifacts."""
    [lease] = search.runner.lease()
    for one in (base, candidate):
        search.bench.admin.execute("UPDATE artifact SET batch = %s WHERE id = %s", (lease["run_id"], one))
    decide(search, lease["run_id"], [], executables={"base": base, "candidate": candidate})
    search.runner.end(lease["run_id"])


def test_both_builds_are_compared_with_the_executables_of_the_runner(search: Search) -> None:
    found(search, main_package="cmd/service")
    before, culprit = run_of(search, sha(4)), run_of(search, sha(5))
    profiles = {"base": stored(search, before, "profile.cpu"), "candidate": stored(search, culprit, "profile.cpu")}
    stored(search, culprit, "binary")  # of one build only: another command built it
    programs = {side: stored(search, new_id(), "binary") for side in profiles}
    compiled(search, **programs)
    compare(search)
    assert sides_of_comparison(search) == {side: {profiles[side], programs[side]} for side in profiles}
    search.bench.admin.execute("UPDATE comparison SET state = 'done'")
    detail = search.get_detail()["compiler"]
    assert (detail["state"], detail["missing"]) == ("done", "")
    [(comparison,)] = search.bench.admin.execute("SELECT id FROM comparison").fetchall()
    assert detail["comparison_id"] == str(comparison)
    compare(search)
    assert search.bench.admin.execute("SELECT count(*) FROM comparison").fetchone() == (1,)


def test_executables_that_probes_uploaded_of_both_builds_come_first(search: Search) -> None:
    found(search, main_package="cmd/service")
    runs = {"base": run_of(search, sha(4)), "candidate": run_of(search, sha(5))}
    own = {side: {stored(search, run, "profile.cpu"), stored(search, run, "binary")} for side, run in runs.items()}
    compiled(search, stored(search, new_id(), "binary"), stored(search, new_id(), "binary"))
    compare(search)
    assert sides_of_comparison(search) == own


def test_both_builds_are_compared_without_a_runner_that_compiles(search: Search) -> None:
    assert found(search)["compiler"] is None
    for index in (4, 5):
        stored(search, run_of(search, sha(index)), "profile.cpu")
    compare(search)
    detail = search.get_detail()["compiler"]
    assert (detail["state"], detail["missing"]) == ("not-compiled", pair_comparisons.NO_EXECUTABLES)


def test_an_executable_of_another_run_is_rejected(search: Search) -> None:
    found(search, main_package="cmd/service")
    other = stored(search, run_of(search, sha(4)), "binary")
    [lease] = search.runner.lease()
    decide(search, lease["run_id"], [], 422, executables={"base": other, "candidate": other})
    decide(search, lease["run_id"], [], 404, executables={"base": str(new_id()), "candidate": str(new_id())})


def test_the_package_is_that_of_the_service_unless_it_is_set(search: Search) -> None:
    found(search, linked_package="cmd/ingester")
    [lease] = search.runner.lease()
    assert (lease["purpose"], lease["compile"]["package"]) == ("compile", "cmd/ingester")


def test_nothing_is_compiled_without_a_package_or_a_runner_that_compiles(search: Search) -> None:
    assert found(search)["compiler"] is None


def test_a_runner_that_does_not_compile_gets_no_such_lease(search: Search) -> None:
    assert found(search, can_compile=False, main_package="cmd/service")["compiler"] is None


def test_a_runner_may_only_report_what_it_compiles(search: Search) -> None:
    search.begin(plan_of(8))
    [lease, *_] = search.runner.lease()
    decide(search, lease["run_id"], [], 422)
