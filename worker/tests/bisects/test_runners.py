"""Which runner may have what: processes of one name, and labels."""

from datetime import timedelta
from typing import Any

import pytest

from slowpath.verdicts.bisects.rules.bisect_states import ALIVE_SECONDS
from slowpath.verdicts.bisects.service import bisect_monitor
from tests.bisects.conftest import Runner, Search, plan_of
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
