"""For any events in any order: no probe is started twice, no measurement is lost, nothing runs unnoticed."""

from collections import Counter
from typing import Any

import numpy as np
import pytest

from slowpath.verdicts.bisects.service import bisect_monitor
from tests.bisects.conftest import Search, plan_of, slower_from

pytestmark = [pytest.mark.database, pytest.mark.processes]

MOVES = ("turn", "lease", "again", "beat", "window", "repeat", "end", "lost", "annul", "mark", "pause", "resume",
         "remeasure", "work")  # fmt: skip
OFTEN = np.array([30, 12, 4, 12, 16, 5, 6, 1, 1.5, 1, 1, 3, 1.5, 20])


class Chaos:
    """Performs any action at any time and records what it reported."""

    def __init__(self, search: Search, seed: int) -> None:
        self.search, self.rng = search, np.random.default_rng(seed)
        self.measure = slower_from(23, seed=seed)
        self.kinds: Counter[str] = Counter()

    def some(self) -> str | None:
        running = list(self.search.runner.running)
        return str(self.rng.choice(running)) if running else None

    def window(self, run_id: str) -> None:
        value = self.measure(self.search.runner.running[run_id])
        self.search.runner.measure(run_id, value=value)
        self.kinds[run_id] += 1

    def move(self, what: str) -> None:
        runner, run_id = self.search.runner, self.some()
        if what in {"beat", "window", "repeat", "end"} and run_id is None:
            return
        getattr(self, f"_{what}")(runner, run_id)

    def _turn(self, runner: Any, _run_id: str | None) -> None:  # noqa: ANN401 - the runner
        runner.lease()
        for run_id in list(runner.running):
            command = runner.beat(run_id)["command"]
            if command == "measure":
                self.window(run_id)
            elif command == "stop":
                runner.end(run_id)

    def _lease(self, runner: Any, _run_id: str | None) -> None:  # noqa: ANN401
        runner.lease()

    def _again(self, runner: Any, _run_id: str | None) -> None:  # noqa: ANN401
        """The answer to a lease was lost: the same comes again, or nothing; never another one for a slot in use."""
        body = {
            "instance": runner.instance,
            "free_slots": [one["slot"] for one in runner.running.values()],
            "wait_seconds": 0,
        }
        if not body["free_slots"]:
            return
        leases = runner.client.post(f"/api/v1/runners/{runner.name}/leases", json=body).json()["leases"]
        assert {one["run_id"] for one in leases} <= set(runner.running)

    def _beat(self, runner: Any, run_id: str) -> None:  # noqa: ANN401
        runner.beat(run_id, str(self.rng.choice(["deploying", "warming", "soaking", "collecting", "idle"])))

    def _window(self, _runner: Any, run_id: str) -> None:  # noqa: ANN401
        self.window(run_id)

    def _repeat(self, runner: Any, run_id: str) -> None:  # noqa: ANN401
        """Report a window again with another value: the first one stays."""
        if runner.taken.get(run_id):
            runner.taken[run_id] -= 1
            runner.measure(run_id, value=999.0)

    def _end(self, runner: Any, run_id: str) -> None:  # noqa: ANN401
        runner.end(run_id, str(self.rng.choice(["done", "failed", "unhealthy"], p=[0.8, 0.15, 0.05])))

    def _lost(self, _runner: Any, run_id: str | None) -> None:  # noqa: ANN401
        self.search.bench.admin.execute(
            "UPDATE probe SET lease_expires_at = '2000-01-01' WHERE run_id = %s AND ended_at IS NULL", (run_id,)
        )
        with self.search.bench.worker_context.database.writing(self.search.scope) as session:
            bisect_monitor.monitor_bisect(session, self.search.bisect_id, None, now=self.search.now())

    def _annul(self, _runner: Any, _run_id: str | None) -> None:  # noqa: ANN401
        number = int(self.rng.integers(1, 30))
        self._ask("invalidations", {"number": number, "reason": "a bad node"})

    def _mark(self, _runner: Any, _run_id: str | None) -> None:  # noqa: ANN401
        at = int(self.rng.integers(1, 41))
        verdict = "slower" if at >= 23 else "not-slower"
        self._ask("overrides", {"candidate": f"{at:040x}/itself", "verdict": verdict, "reason": "seen"})

    def _remeasure(self, _runner: Any, _run_id: str | None) -> None:  # noqa: ANN401
        self._ask("probes", {"candidate": f"{int(self.rng.integers(1, 41)):040x}/itself"})

    def _pause(self, _runner: Any, _run_id: str | None) -> None:  # noqa: ANN401
        self._ask("actions", {"action": "pause"})

    def _resume(self, _runner: Any, _run_id: str | None) -> None:  # noqa: ANN401
        self._ask("actions", {"action": "resume"})

    def _work(self, _runner: Any, _run_id: str | None) -> None:  # noqa: ANN401
        self.search.work()

    def _ask(self, what: str, body: dict[str, Any]) -> None:
        response = self.search.person.post(f"/api/v1/bisects/{self.search.bisect_id}/{what}", json=body)
        assert response.status_code in {200, 404, 409}, response.text


@pytest.mark.parametrize("seed", range(2))
def test_nothing_is_started_twice_or_lost(search: Search, seed: int) -> None:
    search.begin(plan_of(40))
    chaos = Chaos(search, seed)
    for what in chaos.rng.choice(MOVES, size=120, p=OFTEN / OFTEN.sum()):
        chaos.move(str(what))
    chaos._ask("actions", {"action": "cancel"})
    for run_id in list(search.runner.running):
        assert search.runner.beat(run_id)["command"] == "stop"
        search.runner.end(run_id)
    search.work()

    detail = search.get_detail()
    assert len(search.runner.started) == len(set(search.runner.started))
    deployed = [one for one in detail["probes"] if one["leased_at"]]
    assert {one["run_id"] for one in deployed} == set(search.runner.started)
    assert all(one["ended_at"] for one in detail["probes"])
    assert {one["run_id"]: len(one["measurements"]) for one in deployed if one["measurements"]} == dict(chaos.kinds)
    assert all(window["value"] < 900 for one in deployed for window in one["measurements"])
    assert [one["number"] for one in detail["probes"]] == list(range(1, len(detail["probes"]) + 1))


def test_the_culprit_is_found_after_early_failures(search: Search) -> None:
    search.begin(plan_of(40))
    chaos = Chaos(search, 11)
    calm = [at for at, one in enumerate(MOVES) if one not in {"pause", "mark", "annul"}]
    weights = OFTEN[calm] / OFTEN[calm].sum()
    for at in chaos.rng.choice(calm, size=60, p=weights):
        chaos.move(MOVES[int(at)])
        if (detail := search.get_detail())["state"] == "paused":
            search.ask("actions", {"action": "resume"})
    detail = search.run(chaos.measure)
    while detail["state"] == "paused":
        search.ask("actions", {"action": "resume"})
        detail = search.run(chaos.measure)
    assert detail["state"] == "found"
    assert detail["culprit"]["sha"] == f"{23:040x}"
