"""Which runner may have what: processes of one name, and labels."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from psycopg.types.json import Jsonb

from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import InvalidBisectState
from slowpath.verdicts.bisects.rules.bisect_states import ALIVE_SECONDS
from slowpath.verdicts.bisects.service import bisect_actions, bisect_monitor, rest_searches, runners
from tests.bisects.conftest import Runner, Search, plan_of, sha
from tests.factories.accounts import AccountsFactory

pytestmark = pytest.mark.database


def another(search: Search, people: AccountsFactory, name: str = "lab", **more: Any) -> Runner:  # noqa: ANN401 - members
    del people  # a second process has the same token: for another token the runner does not exist
    return Runner(search.runner.client, name, **more)


def test_of_two_processes_of_one_name_the_later_one_is_refused(search: Search, people: AccountsFactory) -> None:
    search.begin(plan_of(10))
    [lease] = search.runner.lease()
    second = another(search, people, instance="two")
    response = second.introduce()
    assert response.status_code == 409
    problem = response.json()
    assert problem["type"] == "urn:slowpath:runner-taken"
    assert "runs on machine of one" in problem["detail"]
    assert (problem["limit"], problem["value"]) == (ALIVE_SECONDS, 0)
    assert "different name" in problem["resolution"]
    asked = {"instance": "two", "free_slots": [1], "wait_seconds": 0}
    assert second.client.post("/api/v1/runners/lab/leases", json=asked).status_code == 409
    fields = {"runner": "lab", "instance": "two", "phase": "warming"}
    assert second.client.post(f"/api/v1/probes/{lease['run_id']}/heartbeats", json=fields).status_code == 409
    assert second.client.get("/api/v1/runners/lab/probes", params={"instance": "two"}).status_code == 409
    [listed] = search.person.get("/api/v1/runners").json()
    assert (listed["host"], listed["running"]) == ("machine of one", 1)


def test_the_sentence_counts_a_deployment_from_its_lease_on(search: Search) -> None:
    search.begin(plan_of(10))
    [_lease] = search.runner.lease()
    seen = search.get_detail()
    assert (seen["sentence"], seen["deployments"]) == ("Searching: no suspect yet after 1 deployment.", 1)
    assert (seen["cost"]["deployments"], seen["cost"]["running"]) == (1, 1)
    assert seen["cost"]["seconds_per_deployment"] is None  # none has ended
    search.runner.leave()
    assert search.get_detail()["deployments"] == 0


def test_a_runner_name_is_free_after_missed_heartbeats(search: Search, people: AccountsFactory) -> None:
    search.begin(plan_of(10))
    [lease] = search.runner.lease()
    search.runner.beat(lease["run_id"])
    second = another(search, people, instance="two")
    search.clock.at += timedelta(seconds=ALIVE_SECONDS + 1)
    second.come()
    [left] = second.client.get("/api/v1/runners/lab/probes", params={"instance": "two"}).json()
    assert left["run_id"] == lease["run_id"], "it is sent what is to be deleted"
    assert search.runner.introduce().status_code == 409
    fields = {"runner": "lab", "instance": "one", "phase": "soaking"}
    response = search.runner.client.post(f"/api/v1/probes/{lease['run_id']}/heartbeats", json=fields)
    assert (response.status_code, response.json()["type"]) == (409, "urn:slowpath:runner-taken")
    search.runner.end(lease["run_id"], "failed")
    assert search.get_detail()["probes"][0]["state"] == "failed"


def test_a_name_is_free_at_once_when_its_process_reports_its_end(search: Search, people: AccountsFactory) -> None:
    search.begin(plan_of(10))
    [lease] = search.runner.lease()
    search.runner.beat(lease["run_id"])
    second = another(search, people, instance="two")
    assert search.runner.leave().status_code == 409, "something of it runs"
    search.runner.end(lease["run_id"], "failed")
    search.work()
    assert second.leave().status_code == 409, "a runner cannot leave for another"
    assert search.runner.leave().status_code == 204
    [listed] = search.person.get("/api/v1/runners").json()
    assert (listed["alive"], listed["left_at"]) == (False, listed["seen_at"])
    assert "waits for a runner" in search.get_detail()["sentence"]
    asked = {"instance": "one", "free_slots": [0], "wait_seconds": 0}
    late = search.runner.client.post("/api/v1/runners/lab/leases", json=asked)
    assert late.status_code == 404, "what it asked before it ended gives it nothing"
    second.come()
    [listed] = search.person.get("/api/v1/runners").json()
    assert (listed["alive"], listed["host"], listed["left_at"]) == (True, "machine of two", None)
    assert len(second.lease()) == 1


def test_an_unacknowledged_lease_is_queued_again_after_its_end(search: Search, people: AccountsFactory) -> None:
    search.begin(plan_of(10))
    [lease] = search.runner.lease()
    assert search.runner.leave().status_code == 204
    other = another(search, people, "other", instance="three")
    other.come()
    [again] = other.lease()
    assert again["number"] == lease["number"]
    assert again["run_id"] != lease["run_id"]
    assert search.runner.introduce().status_code == 200
    assert search.runner.client.get("/api/v1/runners/lab/probes", params={"instance": "one"}).json() == []


def test_a_process_that_lost_its_name_cannot_report_on_a_probe_that_was_leased_again(
    search: Search, people: AccountsFactory
) -> None:
    search.begin(plan_of(10))
    [former] = search.runner.lease()
    second = another(search, people, instance="two")
    search.clock.at += timedelta(seconds=ALIVE_SECONDS + 1)
    second.come()
    [lease] = second.lease()
    assert lease["number"] == former["number"]
    second.beat(lease["run_id"])
    late = search.runner.client.post(f"/api/v1/probes/{former['run_id']}/result", json={"outcome": "failed"})
    assert late.status_code == 404
    assert second.beat(lease["run_id"])["command"] == "measure"
    assert search.get_detail()["probes"][0]["state"] == "soaking"


@pytest.mark.parametrize("reason", ["cancelled", "lost"])
def test_a_probe_stopped_before_its_lease_arrived_does_not_occupy_the_slot(search: Search, reason: str) -> None:
    search.begin(plan_of(10))
    [unreceived] = search.runner.lease()
    if reason == "cancelled":
        asked = search.person.post(f"/api/v1/bisects/{search.bisect_id}/actions", json={"action": "cancel"})
        assert asked.status_code == 200
    else:
        with search.bench.worker_context.database.writing(search.scope) as session:
            bisect_monitor.monitor_bisect(session, search.bisect_id, None, now=search.now() + timedelta(hours=1))
    search.runner.running.clear()
    [again] = search.runner.lease()
    assert again["run_id"] == unreceived["run_id"]
    assert search.runner.beat(again["run_id"], "deploying")["command"] == "stop"
    search.runner.end(again["run_id"])
    [listed] = search.person.get("/api/v1/runners").json()
    assert listed["running"] == 0


def test_labels_choose_who_deploys(search: Search, people: AccountsFactory) -> None:
    search.begin(plan_of(10), runner_labels={"zone": "eu"})
    assert search.runner.lease() == []
    assert "waits for a runner with zone: eu" in search.get_detail()["sentence"]
    european = another(search, people, "european", labels={"zone": "eu", "size": "large"})
    european.come()
    assert "waits" not in search.get_detail()["sentence"]
    [lease] = european.lease()
    assert lease["bisect_id"] == str(search.bisect_id)
    search.clock.at = search.now()
    changed = search.person.patch(f"/api/v1/bisects/{search.bisect_id}", json={"settings": {"runner_labels": {}}})
    assert changed.json()["settings"]["runner_labels"] == {}
    european.end(lease["run_id"], "failed")
    search.work()
    assert len(search.runner.lease()) == 1


def search_rest(search: Search) -> str:
    with search.bench.worker_context.database.writing(search.scope) as session:
        return rest_searches.search_rest(session, search.bisect_id, by=None, now=search.now()).state


def retry(search: Search) -> str:
    with (
        search.bench.worker_context.database.writing(search.scope) as session,
        pytest.raises(InvalidBisectState, match="failed to start"),
    ):
        bisect_actions.apply_action(session, search.bisect_id, "retry", "", by=None, now=search.now())
    return "refused"


@pytest.mark.parametrize(("begin", "state"), [(search_rest, "found"), (retry, "cancelled")])
def test_a_name_is_taken_over_while_its_ended_bisect_is_used_again(
    search: Search, begin: Callable[[Search], str], state: str
) -> None:
    """Both lock the team and the bisect: in one order, or PostgreSQL would end one of the two transactions."""
    search.begin(plan_of(10))
    [lease] = search.runner.lease()
    outcome = {"rest_after": sha(5), "suspects": [f"{sha(5)}/itself"]}
    search.bench.admin.execute(
        "UPDATE bisect SET state = %s, outcome = %s, expires_at = now() WHERE id = %s",
        (state, Jsonb(outcome), search.bisect_id),
    )
    second = runners.RunnerInfo("lab", 2, {}, "1", runners.RunnerProcess("two", "machine of two"))
    with ThreadPoolExecutor(1) as threads:
        with search.bench.worker_context.database.writing(search.scope) as session:
            queries.lock_team(session)
            begun = threads.submit(begin, search)
            wait_for_lock(search)
            later = search.now() + timedelta(seconds=ALIVE_SECONDS + 1)
            runners.register_runner(session, second, token_id=None, now=later)
        assert begun.result(timeout=30) in {"searching", "refused"}
    found = search.bench.admin.execute("SELECT state FROM probe WHERE run_id = %s", (lease["run_id"],)).fetchone()
    assert found == ("lost",), "the second process does not deploy for an ended bisect"


def wait_for_lock(search: Search) -> None:
    """Wait until another transaction waits for a lock of the team."""
    for _ in range(200):
        [waiting] = search.bench.admin.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        ).fetchone() or [0]
        if waiting:
            return
        time.sleep(0.05)
    raise AssertionError("nothing waits for the lock")
