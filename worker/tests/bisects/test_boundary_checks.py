"""Both boundaries are measured once before a bisect starts, and what was measured counts in its search."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select

from slowpath.core.ids import BisectId
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.verdicts.bisects.rules.preflight import ProbeForecast, RangeReport, to_json
from slowpath.verdicts.bisects.service import boundary_checks
from slowpath.verdicts.bisects.tables import BisectPreflight
from tests.bisects.conftest import sha, slower_from
from tests.bisects.test_automatic_bisects import Service, service
from tests.bisects.test_starts import start

__all__ = ["service"]
pytestmark = pytest.mark.database

Measure = Callable[[dict[str, Any]], float | str | None]


def request(service: Service, **settings: Any) -> dict[str, Any]:  # noqa: ANN401 - members of settings; the fixture
    """Return the request for a bisect of commits 0 to 8."""
    path, query = "/api/v1/bisect-proposals", {"service_id": str(service.id)}
    proposal = service.search.person.get(path, params=query).json()
    return {
        "service_id": str(service.id), "repository_id": proposal["repository"]["id"], "good_sha": sha(0),
        "bad_sha": sha(8), "signature": {"kind": "custom", "subject": ""}, "settings": settings,
    }  # fmt: skip


def check(service: Service, measure: Measure, **settings: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """Measure both boundaries, and return the bisect."""
    made = start(service, **request(service, pauses_after_boundaries=True, **settings))
    service.plan(BisectId(UUID(made["id"])))
    return service.search.run(measure)


def preflight(service: Service, **settings: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """Return the preflight of the request as of now."""
    service.search.clock.at = service.search.now()
    made = service.search.person.post("/api/v1/bisect-preflights", json=request(service, **settings))
    assert made.status_code == 201, made.text
    found: dict[str, Any] = made.json()
    return found


def rows(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the checks of the boundaries by their keys."""
    return {one["key"]: one for one in found["checks"] if one["key"] in {"good", "bad", "effect"}}


@pytest.mark.processes
def test_what_was_measured_of_the_boundaries_counts_in_the_search(service: Service) -> None:
    paused = check(service, slower_from(4))
    assert (paused["state"], [one["purpose"] for one in paused["probes"]]) == ("paused", ["boundary", "boundary"])
    assert {one["sha"] for one in paused["probes"]} == {sha(0), sha(8)}
    assert [len(one["measurements"]) for one in paused["probes"]] == [4, 4]
    assert paused["pause_reason"].startswith("The ends differ: +3")
    assert "more probes find the commit" in paused["pause_reason"]
    found = preflight(service)
    assert found["boundary_check"]["bisect_id"] == paused["id"]
    assert found["boundary_check"]["state"] == "measured"
    assert [one["state"] for one in rows(found).values()] == ["ok", "ok", "ok"]
    assert rows(found)["good"]["value"].startswith(("1 ±", "0.99", "1.0"))
    assert rows(found)["effect"]["value"].startswith("+3")
    started = start(service, **request(service, slots=2))
    assert (started["id"], started["state"], started["settings"]["slots"]) == (paused["id"], "searching", 2)
    assert not started["settings"]["pauses_after_boundaries"]
    service.search.work()
    ended = service.search.run(slower_from(4, seed=2))
    assert (ended["state"], ended["culprit"]["sha"]) == ("found", sha(4)), ended["sentence"]
    assert [one["purpose"] for one in ended["probes"]].count("boundary") == 4, "two of each end, with those before"
    assert preflight(service)["boundary_check"] is None


def test_a_boundary_that_cannot_be_built_is_named_and_can_be_tried_again(service: Service) -> None:
    works = slower_from(4)
    failed = check(service, lambda lease: None if lease["build"]["commit"] == sha(0) else works(lease))
    assert failed["state"] == "paused"
    assert failed["pause_reason"] == "The good end could not be built."
    service.search.bench.admin.execute(
        "UPDATE probe SET log_tail = %s WHERE state = 'unbuildable'", ["go: a\nno disk\n"]
    )
    found = rows(preflight(service))
    assert [found[key]["state"] for key in ("good", "bad", "effect")] == ["missing", "ok", "missing"]
    assert found["good"]["detail"] == "The good end could not be built: no disk"
    assert not any(one["blocks_start"] for one in found.values())
    assert [fix["action"] for fix in found["good"]["fixes"]] == ["measure-again"]
    service.search.ask("actions", {"action": "retry"})
    service.search.work()
    again = service.search.run(works)
    assert [one["sha"] for one in again["probes"]].count(sha(8)) == 1, "the other one was measured"
    assert again["pause_reason"].startswith("The ends differ")


def test_equal_boundaries_are_measured_more_on_request(service: Service) -> None:
    equal = check(service, slower_from(99))
    assert equal["pause_reason"].startswith("The ends do not differ beyond the noise")
    effect = rows(preflight(service))["effect"]
    assert (effect["state"], [one["action"] for one in effect["fixes"]]) == (
        "warning", ["measure-again", "choose-ends"],
    )  # fmt: skip
    service.search.ask("actions", {"action": "retry"})
    service.search.work()
    more = service.search.run(slower_from(99, seed=5))
    assert len(more["probes"]) == 4
    assert "from several deployments of each" in more["pause_reason"]


def test_one_measurement_of_each_end_does_not_show_the_noise(service: Service) -> None:
    once = check(service, slower_from(4), max_measurements_per_probe=1)
    assert once["pause_reason"].startswith("The noise is not known from one measurement of each end: +3")
    assert rows(preflight(service))["effect"]["title"] == "The noise is not known"


def test_exit_codes_show_the_difference_without_values(service: Service) -> None:
    paused = check(service, lambda lease: "slower" if int(lease["build"]["commit"], 16) >= 4 else "not-slower")
    assert paused["pause_reason"].startswith("The ends differ. About")
    assert [one["value"] for one in rows(preflight(service)).values()] == ["", "", ""]


def test_a_better_bad_end_is_offered_to_be_exchanged(service: Service) -> None:
    check(service, lambda lease: 2.0 - slower_from(4)(lease) / 2)  # type: ignore[operator]  # it returns numbers
    effect = rows(preflight(service))["effect"]
    assert (effect["title"], effect["fixes"][0]["action"]) == ("The bad end is better", "swap-ends")


def test_another_range_signature_or_build_is_not_the_same_check(service: Service) -> None:
    paused = check(service, slower_from(4))
    assert preflight(service, tags=["other"])["boundary_check"] is None
    assert preflight(service, runner_labels={"zone": "eu"})["boundary_check"] is None
    assert preflight(service, stop_probability=0.9)["boundary_check"]["bisect_id"] == paused["id"]
    asked = request(service, pauses_after_boundaries=True)
    assert start(service, **asked)["id"] == paused["id"], "it measures them already"
    assert start(service, **(asked | {"good_sha": sha(1)}))["id"] != paused["id"]
    service.search.ask("actions", {"action": "cancel"})
    assert preflight(service)["boundary_check"] is None
    assert start(service, **request(service))["id"] != paused["id"]


def test_progress_is_shown_and_ends_with_cancel(service: Service) -> None:
    made = start(service, **request(service, pauses_after_boundaries=True))
    assert rows(preflight(service))["effect"]["detail"] == "Finding the commits between good and bad."
    service.plan(BisectId(UUID(made["id"])))
    assert rows(preflight(service))["good"]["title"] == "Good boundary waits for a runner"
    service.search.runner.lease()
    found = preflight(service)
    assert (rows(found)["good"]["title"], rows(found)["effect"]["state"]) == ("Good boundary is being built", "running")
    assert found["boundary_check"]["state"] == "running"
    assert service.search.get_detail()["sentence"] == "Building and measuring both ends, before the first candidate."
    service.search.ask("actions", {"action": "cancel"})
    assert preflight(service)["boundary_check"] is None


def test_a_check_that_a_user_paused_goes_on_as_a_check(service: Service) -> None:
    made = start(service, **request(service, pauses_after_boundaries=True))
    service.plan(BisectId(UUID(made["id"])))
    service.search.ask("actions", {"action": "pause", "reason": "load test"})
    assert preflight(service)["boundary_check"]["state"] == "paused"
    resumed = service.search.ask("actions", {"action": "resume"})
    assert resumed["settings"]["pauses_after_boundaries"]
    service.search.work()
    assert service.search.run(slower_from(4))["pause_reason"].startswith("The ends differ")
    assert not service.search.ask("actions", {"action": "resume"})["settings"]["pauses_after_boundaries"]


def discard(service: Service, days: float) -> None:
    """Do what the monitor of the bisect does after some days."""
    with service.search.bench.worker_context.database.writing(service.search.scope) as session:
        now = service.search.now() + timedelta(days=days)
        boundary_checks.discard_if_expired(session, service.search.bisect_id, 7, now=now)
    service.search.work()


def test_a_check_that_is_not_continued_ends_and_its_measurements_count_later(service: Service) -> None:
    paused = check(service, slower_from(4))
    assert paused["sentence"] == paused["pause_reason"], "no second word for its state"
    expires_at = datetime.fromisoformat(paused["expires_at"])
    assert abs(expires_at - service.search.now() - timedelta(days=7)) < timedelta(minutes=10)
    discard(service, 6.9)
    assert service.search.get_detail()["state"] == "paused"
    discard(service, 7.1)
    ended = service.search.get_detail()
    assert (ended["state"], ended["events"][0]["kind"]) == ("cancelled", "expired")
    assert ended["sentence"].startswith("Discarded, because it was not continued in time. The ends differ")
    shown = preflight(service)["boundary_check"]
    assert (shown["bisect_id"], shown["state"]) == (paused["id"], "expired")
    assert shown["sentence"].startswith("The ends differ")
    started = start(service, **request(service))
    assert (started["id"], started["state"], started["expires_at"]) == (paused["id"], "searching", None)
    assert started["finished_at"] is None
    service.search.work()
    assert len(service.search.get_detail()["probes"]) > 2, "it deploys candidates"


def test_measurements_of_a_discarded_check_are_too_old_after_as_many_days_again(service: Service) -> None:
    paused = check(service, slower_from(4))
    discard(service, 7.1)
    statement = "SELECT extract(day FROM max(due_at) - now())::int FROM job WHERE name = 'bisects.monitor'"
    assert service.search.bench.admin.execute(statement).fetchone() == (7,)
    discard(service, 13.9)
    assert preflight(service)["boundary_check"]["state"] == "expired"
    discard(service, 14.1)
    assert service.search.get_detail()["events"][0]["kind"] == "too-old"
    assert preflight(service)["boundary_check"] is None
    assert start(service, **request(service))["id"] != paused["id"]


def test_an_expired_check_can_be_measured_again_or_forgotten(service: Service) -> None:
    paused = check(service, slower_from(4))
    discard(service, 8)
    again = service.search.ask("actions", {"action": "retry"})
    assert (again["state"], again["expires_at"]) == ("searching", None)
    service.search.work()
    assert service.search.run(slower_from(4, seed=3))["state"] == "paused"
    discard(service, 8)
    assert preflight(service)["boundary_check"]["state"] == "expired"
    service.search.ask("actions", {"action": "cancel"})
    assert preflight(service)["boundary_check"] is None
    service.search.ask("actions", {"action": "cancel"}, expected=409)
    assert start(service, **request(service))["id"] != paused["id"]


def count(service: Service, report: RangeReport) -> None:
    """Store what the job counts as the report of the newest preflight."""
    with service.search.bench.worker_context.database.writing(service.search.scope) as session:
        newest = session.scalars(select(BisectPreflight).order_by(BisectPreflight.created_at.desc())).first()
        assert newest is not None
        newest.report = to_json(report)


def test_the_estimate_is_renewed_by_the_measured_ends(service: Service) -> None:
    expected = ProbeForecast(99, 90, 110)
    counted = RangeReport("ancestor", None, 8, 8, with_prior=expected, without_prior=expected)
    preflight(service)
    count(service, counted)
    assert preflight(service)["report"]["with_prior"]["mean"] == 99
    paused = check(service, slower_from(4))
    renewed = preflight(service)
    remaining = renewed["report"]["with_prior"]["mean"]
    assert remaining == pytest.approx(paused["cost"]["expected_probes"]["mean"], rel=0.01)
    assert renewed["expected_seconds"] == pytest.approx(remaining * renewed["probe_seconds"])
    certain = preflight(service, stop_probability=0.999)
    count(service, counted)
    assert preflight(service, stop_probability=0.999)["report"]["with_prior"]["mean"] > remaining, certain


def test_ends_that_do_not_differ_have_no_estimate(service: Service) -> None:
    preflight(service)
    count(service, RangeReport("ancestor", None, 8, 8, with_prior=ProbeForecast(9, 8, 10)))
    check(service, slower_from(99))
    renewed = preflight(service)
    assert (renewed["report"]["with_prior"], renewed["expected_seconds"]) == (None, None)


def duration(service: Service, **settings: Any) -> tuple[str, int, float]:  # noqa: ANN401 - as above
    """Return what shows the duration of a probe, how many probes, and the seconds."""
    found = preflight(service, **settings)
    return found["duration_source"], found["probes_seen"], found["probe_seconds"]


def test_the_duration_is_what_the_runner_states_until_probes_show_it(service: Service) -> None:
    assert duration(service) == ("settings", 0, 10 + 4 * 30), "its runner states nothing"
    runner = service.search.runner
    body = {"instance": runner.instance, "measurement_seconds": 5}
    assert runner.client.put(f"/api/v1/runners/{runner.name}", json=body).status_code == 200
    assert duration(service) == ("configuration", 0, 10 + 4 * 5)
    assert duration(service, runner_labels={"zone": "eu"})[0] == "settings", "another runner would take it"
    check(service, slower_from(4))
    assert duration(service)[:2] == ("service", 2)
    with service.search.bench.worker_context.database.writing(service.search.scope) as session:
        other = catalog_entries.ensure_service(session, "other").id
    asked = request(service) | {"service_id": str(other)}
    found = service.search.person.post("/api/v1/bisect-preflights", json=asked).json()
    assert (found["duration_source"], found["probes_seen"]) == ("runner", 2), "the same runner measured these"
