"""A bisect with an invented plan, a runner over HTTP, and the jobs between them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import BisectId, JobId, new_id
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.repositories.tables import Repository, ServiceRepository
from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.verdicts.bisects.rules import search_plan
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings, apply_settings_update, to_json
from slowpath.verdicts.bisects.rules.candidates import BuildInputs, CandidateNode, SearchLevel
from slowpath.verdicts.bisects.service import search_planner
from slowpath.verdicts.bisects.tables import Bisect
from tests.conftest import (  # noqa: F401 - pytest finds fixtures by name
    app,
    asker,
    client,
    emptied,
    engine,
    migrated,
    people,
    role,
    team,
)
from tests.factories.accounts import AccountsFactory
from tests.jobs.conftest import Bench, bench  # noqa: F401 - as above
from tests.support.fakes import FrozenClock

STEPS = ("bisects.advance", "bisects.read-measurement", "bisects.notify-finished")
EVER_AFTER = 1e9
Measure = Callable[[dict[str, Any]], float | str | None]


def sha(number: int) -> str:
    """Return the id of a made-up commit."""
    return f"{number:040x}"


def nodes(count: int) -> list[CandidateNode]:
    """Return candidates 1..count of the main repository."""
    return [
        CandidateNode(
            sha(one),
            "",
            sha(one),
            f"commit {one}",
            "commit",
            BuildInputs(sha(one)),
            BuildInputs(sha(one - 1)),
            (sha(one),),
        )
        for one in range(1, count + 1)
    ]


def plan_of(count: int) -> search_plan.SearchPlan:
    """Return a plan of so many candidates, in none of which others hide."""
    made = [CandidateNode(**{**vars(one), "id": f"{one.id}/itself"}) for one in nodes(count)]
    level = SearchLevel(tuple(made), count, label="mono", good=sha(0), bad=sha(count))
    return search_planner.make_plan(level, {})


@dataclass
class Runner:
    """A runner that deploys by writing down that it did."""

    client: TestClient
    name: str = "lab"
    slots: int = 2
    instance: str = "one"
    labels: dict[str, str] = field(default_factory=dict)
    variants: list[str] = field(default_factory=list)
    can_compile: bool = False
    running: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Leases by run."""
    taken: dict[str, int] = field(default_factory=dict)
    started: list[str] = field(default_factory=list)
    """Every run that was started, as often as it was."""

    def come(self) -> None:
        """Make itself known."""
        introduced = self.introduce()
        assert introduced.status_code == 200, introduced.text

    def introduce(self) -> Response:
        """Say what it is, and return what is answered."""
        fields = {
            "slots": self.slots,
            "version": "1",
            "instance": self.instance,
            "labels": self.labels,
            "variants": self.variants,
            "can_compile": self.can_compile,
        }
        response: Response = self.client.put(
            f"/api/v1/runners/{self.name}", json={**fields, "host": f"machine of {self.instance}"}
        )
        return response

    def leave(self) -> Response:
        """Say that it has ended, and return what is answered."""
        response: Response = self.client.post(f"/api/v1/runners/{self.name}/release", json={"instance": self.instance})
        return response

    def lease(self) -> list[dict[str, Any]]:
        """Ask for work in all free slots and start it."""
        busy = {one["slot"] for one in self.running.values()}
        free = [one for one in range(self.slots) if one not in busy]
        if not free:
            return []
        body = {"instance": self.instance, "free_slots": free, "wait_seconds": 0}
        response = self.client.post(f"/api/v1/runners/{self.name}/leases", json=body)
        assert response.status_code == 200, response.text
        found: list[dict[str, Any]] = response.json()["leases"]
        for one in found:
            self.running[one["run_id"]] = one
            self.started.append(one["run_id"])
        return found

    def beat(self, run_id: str, phase: str = "soaking") -> dict[str, Any]:
        """Send a heartbeat of a run."""
        fields = {"runner": self.name, "instance": self.instance, "phase": phase}
        response = self.client.post(f"/api/v1/probes/{run_id}/heartbeats", json=fields)
        assert response.status_code == 200, response.text
        body: dict[str, Any] = response.json()
        return body

    def measure(self, run_id: str, **overrides: Any) -> None:  # noqa: ANN401 - members of a body
        """Tell one window."""
        index = self.taken.get(run_id, 0)
        times = {"started_at": "2026-11-22T02:00:00Z", "ended_at": "2026-11-22T02:00:30Z"}
        response = self.client.post(
            f"/api/v1/probes/{run_id}/measurements", json={"index": index, **times, **overrides}
        )
        assert response.status_code == 204, response.text
        self.taken[run_id] = index + 1

    def end(self, run_id: str, how: str = "done") -> None:
        """Say that a run is gone."""
        response = self.client.post(f"/api/v1/probes/{run_id}/result", json={"outcome": how})
        assert response.status_code == 204, response.text
        self.running.pop(run_id, None)

    def turn(self, measure: Measure) -> None:
        """Do all there is to do once: `measure` returns a number, a verdict, or None for a build that cannot be made."""
        self.lease()
        for run_id, lease in list(self.running.items()):
            response = self.beat(run_id)
            if response["command"] == "measure":
                value = measure(lease)
                if value is None:
                    self.end(run_id, "unbuildable")
                else:
                    self.measure(run_id, **{"verdict" if isinstance(value, str) else "value": value})
            elif response["command"] == "stop":
                self.end(run_id)


@dataclass
class Search:
    """One bisect and its team."""

    bench: Bench
    person: TestClient
    runner: Runner
    clock: FrozenClock
    bisect_id: BisectId = field(default_factory=lambda: BisectId(new_id()))
    signature: dict[str, Any] = field(
        default_factory=lambda: {"kind": "custom", "subject": "", "label": "Time", "unit": "s", "larger_is_worse": True}
    )

    @property
    def scope(self) -> TeamScope:
        """Whose it is."""
        return TeamScope(self.bench.team.id, self.bench.team.owner.user_id)

    def begin(self, plan: search_plan.SearchPlan, *, linked_package: str | None = None, **settings: Any) -> None:  # noqa: ANN401 - members of settings
        """Write a bisect down that is planned; with `linked_package`, the service is linked to that package of the repository."""
        with self.bench.worker_context.database.writing(self.scope) as session:
            service = catalog_entries.ensure_service(session, "ingester")
            repository = Repository(
                team_id=session.team_id, label="mono", kind="pushed", credentials="none", branch_heads={}
            )
            session.add(repository)
            session.flush()
            if linked_package is not None:
                session.add(
                    ServiceRepository(
                        team_id=session.team_id, id=new_id(), service_id=service.id, repository_id=repository.id,
                        directory="", main_package=linked_package,
                    )
                )  # fmt: skip
            top = plan.levels[search_plan.TOP]
            session.add(
                Bisect(
                    team_id=session.team_id, id=self.bisect_id, number=1, title="It got slower", service_id=service.id,
                    repository_id=repository.id, good_sha=top.good, bad_sha=top.bad, state="planned", approved_through_round=0,
                    signature=self.signature,
                    settings=to_json(apply_settings_update(BisectSettings(), settings)), created_by=self.bench.team.owner.user_id,
                )
            )  # fmt: skip
            session.flush()
            search_planner.record_plan(session, self.bisect_id, plan, self.now())
        self.work()

    def now(self) -> Any:  # noqa: ANN401 - a time
        """Return the time of the server."""
        return self.bench.admin.execute("SELECT clock_timestamp()").fetchone()[0]  # type: ignore[index]  # one row

    def work(self) -> None:
        """Carry out the steps that wait."""
        for _ in range(100):
            found = self.bench.admin.execute(
                "SELECT id FROM job WHERE state = 'waiting' AND name = ANY(%s) ORDER BY created_at LIMIT 1",
                (list(STEPS),),
            ).fetchone()
            if found is None:
                return
            self.bench.change(JobId(found[0]), "not_before = clock_timestamp()")
            row = self.bench.carry_out(JobId(found[0]))
            assert row["state"] == "done", row["problem"]
        raise AssertionError("it does not end")

    def get_detail(self) -> dict[str, Any]:
        """Return the bisect as its page has it."""
        response = self.person.get(f"/api/v1/bisects/{self.bisect_id}")
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def ask(self, what: str, body: dict[str, Any], expected: int = 200) -> dict[str, Any]:
        """Post to the bisect as a person."""
        self.clock.at = self.now()
        response = self.person.post(f"/api/v1/bisects/{self.bisect_id}/{what}", json=body)
        assert response.status_code == expected, response.text
        found: dict[str, Any] = response.json()
        return found

    def run(self, measure: Measure, turns: int = 400) -> dict[str, Any]:
        """Go on until it has ended, or nothing moves any more."""
        for _ in range(turns):
            self.runner.turn(measure)
            self.work()
            state = self.bench.admin.execute("SELECT state FROM bisect WHERE id = %s", (self.bisect_id,)).fetchone()
            if state is not None and state[0] not in ("searching", "planned") and not self.runner.running:
                break
        return self.get_detail()


def slower_from(guilty: int, *, noise: float = 0.01, seed: int = 1) -> Callable[[dict[str, Any]], float | None]:
    """Return what measures builds that are 30 % slower from a commit on."""
    rng = np.random.default_rng(seed)

    def measure(lease: dict[str, Any]) -> float:
        level = 1.3 if int(lease["build"]["commit"], 16) >= guilty else 1.0
        return float(level * np.exp(noise * rng.standard_normal()))

    return measure


@pytest.fixture
def search(bench: Bench, people: AccountsFactory) -> Search:  # noqa: F811
    token = people.token(bench.team, TokenScope.RUNNER)
    runner = Runner(people.app.asked(token=token.secret))
    made = Search(bench, people.app.asked(cookie=bench.team.owner.cookie, team=bench.team.id), runner, people.app.clock)
    people.app.clock.at = made.now()  # jobs go by the clock of this machine
    runner.come()
    return made
