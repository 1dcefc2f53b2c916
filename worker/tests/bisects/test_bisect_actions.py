"""Actions of users on a bisect, its guardrails, and the reports of runners and deployments."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath.verdicts.bisects.service import bisect_monitor
from tests.bisects.conftest import Runner, Search, plan_of, sha, slower_from
from tests.factories.accounts import AccountsFactory

pytestmark = pytest.mark.database


def other(search: Search, people: AccountsFactory, name: str = "other") -> Runner:
    token = people.token(search.bench.team, TokenScope.RUNNER)
    runner = Runner(people.app.asked(token=token.secret), name)
    runner.come()
    return runner


def watch(search: Search, stop: str | None = None, **later: float) -> None:
    with search.bench.worker_context.database.writing(search.scope) as session:
        bisect_monitor.monitor_bisect(session, search.bisect_id, stop, now=search.now() + timedelta(**later))
    search.work()


def kinds(detail: dict[str, Any]) -> list[str]:
    return [one["kind"] for one in detail["events"]]


def test_one_of_many_concurrent_runners_gets_the_probe(search: Search, people: AccountsFactory) -> None:
    search.begin(plan_of(10))
    runners = [other(search, people, f"r{number}") for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        given = [one for found in threads.map(lambda runner: runner.lease(), runners * 2) for one in found]
    assert len({one["run_id"] for one in given}) == 1
    assert len({(one["run_id"], one["slot"]) for one in given}) == 1


def test_a_lost_response_is_repeated_until_the_runner_confirms_it(search: Search) -> None:
    search.begin(plan_of(10))
    [first] = search.runner.lease()
    search.runner.running.clear()
    [again] = search.runner.lease()
    assert again == first
    search.runner.beat(first["run_id"], "deploying")
    search.runner.running.clear()
    assert search.runner.lease() == []
    [known] = search.runner.client.get("/api/v1/runners/lab/probes", params={"instance": "one"}).json()
    assert (known["run_id"], known["state"], known["command"]) == (first["run_id"], "deploying", "measure")


def test_only_its_runner_keeps_a_probe(search: Search, people: AccountsFactory) -> None:
    search.begin(plan_of(10))
    [lease] = search.runner.lease()
    theirs = other(search, people)
    response = theirs.client.post(
        f"/api/v1/probes/{lease['run_id']}/heartbeats", json={"runner": "other", "instance": "one", "phase": "warming"}
    )
    assert response.status_code == 404, "another token sees nothing of the probe"


def test_a_token_of_a_runner_may_nothing_else(search: Search) -> None:
    assert search.runner.client.get("/api/v1/bisects").status_code == 403
    assert search.runner.client.get("/api/v1/runners").status_code == 403


def test_a_lost_probe_is_queued_again_and_stopped_when_its_runner_returns(search: Search) -> None:
    search.begin(plan_of(10), lease_timeout_seconds=60)
    [lease] = search.runner.lease()
    watch(search, seconds=30)
    assert search.get_detail()["probes"][0]["state"] == "leased"
    watch(search, seconds=200)
    detail = search.get_detail()
    assert [one["state"] for one in detail["probes"]] == ["lost", "queued"]
    assert search.runner.beat(lease["run_id"])["command"] == "stop"
    assert search.runner.lease()[0]["slot"] != lease["slot"], "a slot is free only when what was in it is gone"
    search.runner.end(lease["run_id"])
    assert search.get_detail()["probes"][0]["state"] == "lost"


@pytest.mark.processes
def test_a_pause_ends_after_the_window_and_nothing_new_begins(search: Search) -> None:
    search.begin(plan_of(10))
    [lease] = search.runner.lease()
    detail = search.ask("actions", {"action": "pause", "reason": "lunch"})
    assert (detail["state"], detail["sentence"]) == ("paused", "Paused: lunch")
    assert search.runner.beat(lease["run_id"])["command"] == "measure"
    search.runner.measure(lease["run_id"], value=1.0)
    search.work()
    assert search.runner.beat(lease["run_id"])["command"] == "stop"
    search.runner.end(lease["run_id"])
    search.work()
    assert search.runner.lease() == []
    search.ask("actions", {"action": "resume"})
    detail = search.run(slower_from(4))
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", sha(4))
    assert len(detail["probes"][0]["measurements"]) == 1


def test_a_cancelled_one_takes_everything_down_and_can_be_deleted_then(search: Search) -> None:
    search.begin(plan_of(10))
    [lease] = search.runner.lease()
    assert search.ask("actions", {"action": "cancel"})["state"] == "cancelled"
    path = f"/api/v1/bisects/{search.bisect_id}"
    assert search.person.delete(path).status_code == 409
    assert search.runner.beat(lease["run_id"])["command"] == "stop"
    search.runner.end(lease["run_id"])
    assert search.person.delete(path).status_code == 204
    assert search.person.get(path).status_code == 404


@pytest.mark.processes
def test_each_round_waits_for_approval(search: Search) -> None:
    search.begin(plan_of(4), needs_approval=True)
    detail = search.get_detail()
    assert (detail["state"], detail["needs_approval"]) == ("waiting-approval", True)
    assert search.runner.lease() == []
    for _ in range(60):
        if detail["state"] == "waiting-approval":
            search.ask("actions", {"action": "approve"})
        elif detail["state"] != "searching":
            break
        search.runner.turn(slower_from(2))
        search.work()
        detail = search.get_detail()
    assert detail["culprit"]["sha"] == sha(2)
    assert kinds(detail).count("approved") >= detail["cost"]["rounds"] - 1


def test_deploys_begin_in_the_allowed_hours_only(search: Search, people: AccountsFactory) -> None:
    hours = {"days": ["mon"], "from": "09:00", "to": "17:00", "zone": "Europe/Berlin"}
    search.begin(plan_of(4), deployment_hours=hours)
    people.app.clock.at = datetime(2026, 11, 21, 12, tzinfo=UTC)  # a Saturday
    assert search.runner.lease() == []
    assert "hours" in search.get_detail()["sentence"]
    people.app.clock.move(days=2)
    assert len(search.runner.lease()) == 1


def test_the_guard_stops_everything(search: Search) -> None:
    search.begin(plan_of(10))
    [lease] = search.runner.lease()
    watch(search, "Guardrail: error rate 7 %, limit 5 %.")
    detail = search.get_detail()
    assert (detail["state"], detail["pause_reason"]) == ("paused", "Guardrail: error rate 7 %, limit 5 %.")
    assert search.runner.beat(lease["run_id"])["command"] == "stop"


@pytest.mark.processes
def test_marks_steer_the_search_without_deploys(search: Search) -> None:
    search.begin(plan_of(64))
    for at, verdict in ((31, "not-slower"), (33, "slower")):
        body = {"candidate": f"{sha(at)}/itself", "verdict": verdict, "reason": "known"}
        detail = search.ask("overrides", body)
    assert detail["cost"]["deployments"] == 0
    found = {one["sha"]: one["posterior"] for one in detail["levels"][0]["candidates"]}
    assert found[sha(32)] + found[sha(33)] > 0.5
    detail = search.run(slower_from(33))
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", sha(33))


@pytest.mark.processes
def test_a_commit_that_cannot_be_built_is_passed_over(search: Search) -> None:
    search.begin(plan_of(20))
    measure = slower_from(12)
    detail = search.run(lambda lease: None if lease["build"]["commit"] in {sha(8), sha(9), sha(10)} else measure(lease))
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", sha(12))


@pytest.mark.processes
def test_an_unbuildable_end_is_reported_to_a_person(search: Search) -> None:
    search.begin(plan_of(20))
    detail = search.run(lambda lease: None if lease["build"]["commit"] == sha(0) else 1.0)
    assert detail["state"] == "paused"
    assert "good boundary" in detail["pause_reason"].lower()
    search.ask("actions", {"action": "resume"})
    assert search.run(slower_from(5))["culprit"]["sha"] == sha(5)


def test_failing_deployments_pause_the_bisect(search: Search) -> None:
    search.begin(plan_of(20))
    for _ in range(3):
        [lease] = search.runner.lease()
        search.runner.end(lease["run_id"], "failed")
        search.work()
    assert search.get_detail()["state"] == "paused"
    assert search.runner.lease() == []


def test_measurements_before_a_failure_count(search: Search) -> None:
    search.begin(plan_of(20))
    [lease] = search.runner.lease()
    search.runner.measure(lease["run_id"], value=1.0)
    search.runner.end(lease["run_id"], "failed")
    search.work()
    [first, *_] = search.get_detail()["probes"]
    assert (first["state"], len(first["measurements"])) == ("done", 1)


@pytest.mark.processes
def test_a_probe_can_be_annulled_and_measured_again(search: Search) -> None:
    search.begin(plan_of(8))
    measure = slower_from(3)
    [lease] = search.runner.lease()
    search.runner.measure(lease["run_id"], value=50.0)
    search.work()
    search.ask("invalidations", {"number": 1, "reason": "a bad node"})
    detail = search.run(measure)
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", sha(3))
    assert detail["probes"][0]["state"] == "invalidated"
    assert detail["probes"][0]["measurements"][0]["value"] == 50.0


@pytest.mark.processes
def test_a_control_stays_and_is_measured_with_the_others(search: Search) -> None:
    search.begin(plan_of(16), control=True, slots=2)
    detail = search.run(slower_from(7))
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", sha(7))
    [control] = [one for one in detail["probes"] if one["purpose"] == "control"]
    rounds = {window["round"] for window in control["measurements"]}
    assert len(control["measurements"]) >= detail["cost"]["rounds"]
    measured = {w["round"] for one in detail["probes"] if one["purpose"] != "control" for w in one["measurements"]}
    assert measured - rounds == set()
    assert detail["evidence"]["control"]


def test_a_control_needs_a_slot(search: Search) -> None:
    search.begin(plan_of(16))
    path = f"/api/v1/bisects/{search.bisect_id}"
    response = search.person.patch(path, json={"settings": {"control": True}})
    assert response.status_code == 422
    response = search.person.patch(path, json={"settings": {"control": True, "slots": 3, "stop_probability": 0.9}})
    assert response.json()["settings"]["stop_probability"] == 0.9
    assert response.json()["settings"]["measurement_seconds"] == 30.0


@pytest.mark.processes
def test_as_many_deploys_as_are_allowed(search: Search) -> None:
    search.begin(plan_of(24), max_deployments=5)
    detail = search.run(slower_from(13, noise=0.2))
    assert detail["state"] == "stopped"
    assert detail["deployments"] <= 5
    assert detail["cost"]["limit"] == 5
    assert detail["sentence"].startswith("Inconclusive at the limit of 5 deployments: ")
    assert "Most likely: " in detail["sentence"]
    path = f"/api/v1/bisects/{search.bisect_id}"
    assert search.person.patch(path, json={"settings": {"max_deployments": 5}}).status_code == 409
    assert search.person.patch(path, json={"settings": {"max_deployments": 60}}).json()["state"] == "searching"
    detail = search.run(slower_from(13, noise=0.2))
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", sha(13))


@pytest.mark.processes
def test_verdicts_alone_are_enough(search: Search) -> None:
    search.begin(plan_of(12))
    runner = search.runner
    for _ in range(200):
        runner.lease()
        for run_id, lease in list(runner.running.items()):
            response = runner.beat(run_id)
            if response["command"] == "measure":
                slow = int(lease["build"]["commit"], 16) >= 9
                runner.measure(run_id, verdict="slower" if slow else "not-slower")
            elif response["command"] == "stop":
                runner.end(run_id)
        search.work()
        if (detail := search.get_detail())["state"] == "found":
            break
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", sha(9))


def test_a_deploy_calls_back_once_a_word(search: Search, people: AccountsFactory) -> None:
    search.begin(plan_of(10))
    [lease] = search.runner.lease()
    anonymous = people.app.asked()
    path = f"/api/v1/probe-callbacks/{lease['callback']['token']}"
    assert lease["callback"]["url"].endswith(path)
    assert anonymous.post(path, json={"state": "building"}).status_code == 204
    assert anonymous.post(path, json={"state": "ready", "detail": "x" * 1024}).status_code == 204
    assert anonymous.post(path, json={"state": "ready", "detail": "again"}).status_code == 204
    assert anonymous.post(path, json={"state": "failed"}).status_code == 410
    assert anonymous.post(path[:-1] + "!", json={"state": "ready"}).status_code == 404
    response = search.runner.beat(lease["run_id"])
    assert (response["callback"]["state"], len(response["callback"]["detail"])) == ("ready", 1024)


def test_a_runner_that_has_something_is_not_forgotten(search: Search, people: AccountsFactory) -> None:
    search.begin(plan_of(10))
    search.runner.lease()
    [known] = search.person.get("/api/v1/runners").json()
    assert (known["name"], known["alive"], known["running"]) == ("lab", True, 1)
    assert search.person.delete("/api/v1/runners/lab").status_code == 409
    people.app.clock.move(hours=2)
    assert search.person.delete("/api/v1/runners/lab").status_code == 204
    search.work()
    assert [one["state"] for one in search.get_detail()["probes"]] == ["lost", "queued"]


@pytest.mark.processes
def test_the_end_of_a_bisect_is_sent_and_listed(search: Search) -> None:
    made = {"name": "hook", "kind": "slack", "url": "https://hooks.slack.com/services/T/B/x"}
    assert search.person.post("/api/v1/notification-channels", json=made).status_code == 201
    search.begin(plan_of(6))
    search.run(slower_from(3))
    [content] = search.bench.admin.execute(
        "SELECT content FROM notification WHERE event = 'bisect.finished'"
    ).fetchall()
    assert content[0]["bisect"]["state"] == "found"
    assert sha(3)[:10] in content[0]["bisect"]["sentence"]
    news = search.person.get("/api/v1/activity", params={"kind": "bisect"}).json()["items"]
    assert [one["action"] for one in news] == ["bisect.finished"]


@pytest.mark.processes
def test_fewer_slots_than_the_search_would_have_are_enough(search: Search) -> None:
    search.runner.slots = 2
    search.begin(plan_of(24), slots=4)
    detail = search.run(slower_from(11))
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", sha(11))


@pytest.mark.processes
def test_a_control_with_fewer_slots_than_asked_for_blocks_nothing(search: Search) -> None:
    search.begin(plan_of(24), slots=4, control=True)
    detail = search.run(slower_from(11))
    assert (detail["state"], detail["culprit"]["sha"]) == ("found", sha(11))
