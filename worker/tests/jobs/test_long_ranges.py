"""Reading a long range reports its progress, and stops within seconds of its cancellation."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from slowpath.core.ids import BisectId, JobId, ServiceId
from slowpath.core.jobs import JobState
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.repositories.service.repositories import ServiceSource
from slowpath.platform.jobs import service as work
from slowpath.verdicts.bisects.jobs import PlanBisect
from slowpath.verdicts.bisects.service import bisect_actions
from slowpath.verdicts.bisects.tables import Bisect
from tests.jobs.conftest import Bench
from tests.jobs.test_bisect_plans import added, asked, near, scope, server  # noqa: F401 - pytest finds fixtures by name
from tests.support.git_repositories import GitServer, new_repository

pytestmark = pytest.mark.database

COMMITS, PACKAGES = 10_000, 30
"""So many that reading them takes several times as long as a cancellation needs to arrive."""
SOON_S = 20.0
"""To wait for something that comes at once: the machine may be busy."""


def stream(commits: int) -> Iterator[str]:
    """Yield what `git fast-import` reads: a program of many packages, one of which changes with every commit."""
    for number in range(commits + 1):
        yield f"commit refs/heads/main\ncommitter Ann <ann@example.org> {1_700_000_000 + number} +0000\n"
        yield f"data {len(f'commit {number}')}\ncommit {number}\n"
        touched = range(PACKAGES) if number == 0 else (number % PACKAGES,)
        files = {f"p{one}/p.go": f"package p{one}\n\nconst N = {number}\n" for one in touched}
        if number == 0:
            imports = "".join(f'import _ "example.org/mono/p{one}"\n' for one in range(PACKAGES))
            files |= {
                "go.mod": "module example.org/mono\n\ngo 1.21\n",
                "cmd/service/main.go": f"package main\n\n{imports}\nfunc main() {{}}\n",
            }
        for name, text in files.items():
            yield f"M 100644 inline {name}\ndata {len(text)}\n{text}\n"


def ranged(near: Bench, server: GitServer, commits: int) -> BisectId:  # noqa: F811
    repository = new_repository(server.root / "mono")
    repository.git("fast-import", "--quiet", stdin_text="".join(stream(commits)))
    shas = repository.git("rev-list", "--reverse", "main").split()
    with near.worker_context.database.writing(scope(near)) as session:
        service_id = ServiceId(catalog_entries.create_service(session, "ingester", {}).id)
    repository_id = added(near, f"{server.url}/mono/.git", "mono", [ServiceSource(service_id, "", "cmd/service")])
    return asked(near, service_id, repository_id, shas[0], shas[-1])


def state_of(bench: Bench, bisect_id: BisectId) -> Any:  # noqa: ANN401 - a word
    with bench.worker_context.database.reading(scope(bench)) as session:
        found = session.get(Bisect, (bench.team.id, bisect_id))
        assert found is not None
        return found.state


def wait_for_result(bench: Bench, job_id: JobId) -> str:
    """Wait until the job reports its progress."""
    until = time.monotonic() + SOON_S
    while time.monotonic() < until:
        row = bench.row(job_id)
        if row["step"].startswith("read ") or row["state"] not in {JobState.WAITING, JobState.RUNNING}:
            return str(row["step"])
        time.sleep(0.02)
    return ""


@pytest.mark.processes
def test_reading_a_range_reports_progress_and_stops_when_it_is_cancelled(near: Bench, server: GitServer) -> None:  # noqa: F811
    bisect_id = ranged(near, server, COMMITS)
    job_id = near.write_down(PlanBisect(bisect_id))
    worker = threading.Thread(target=near.carry_out, args=[job_id])
    worker.start()
    assert f"of {COMMITS:,} commits" in wait_for_result(near, job_id)
    with near.worker_context.database.writing(scope(near)) as session:
        under_way = work.find_open_job(session, "bisect", bisect_id)
        assert under_way is not None
        assert under_way.id == job_id
        bisect_actions.apply_action(session, bisect_id, "cancel", "", by=None, now=near.row(job_id)["started_at"])
    worker.join(SOON_S)
    assert near.row(job_id)["state"] == JobState.CANCELLED
    assert state_of(near, bisect_id) == "cancelled"


def test_cancelling_a_plan_cancels_the_bisect(near: Bench, server: GitServer) -> None:  # noqa: F811
    bisect_id = ranged(near, server, 2)
    job_id = near.write_down(PlanBisect(bisect_id))
    near.change(job_id, "cancel_requested = true")
    assert near.carry_out(job_id)["state"] == JobState.CANCELLED
    assert state_of(near, bisect_id) == "cancelled"
