"""What is to be done next, from what was tried."""

from slowpath.analysis.bisect.candidate_sequence import GOOD_END, Candidate, line_of
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.next_step import NextStep, decide_next_step
from slowpath.verdicts.bisects.rules.probe_observations import (
    ProbeMeasurementValue,
    ProbeObservation,
    build_search_state,
)

LINE = line_of([Candidate(f"c{number}") for number in range(1, 9)])
SETTINGS = BisectSettings(slots=2)


def todo(*tried: ProbeObservation, settings: BisectSettings = SETTINGS, since: int = 0) -> NextStep:
    state = build_search_state(LINE, settings, tried, larger_is_worse=True)
    return decide_next_step(state, tried, since={one.number for one in tried if one.number > since})


def one(number: int, state: str, *values: float | None, candidate: str = GOOD_END, purpose: str = "boundary", expected: int = 1,
        problem: str | None = None) -> ProbeObservation:  # fmt: skip
    windows = tuple(ProbeMeasurementValue(at, 1, value, problem=problem) for at, value in enumerate(values))
    return ProbeObservation(number, candidate, purpose, 1, state, None, expected, windows)


def test_both_ends_come_first() -> None:
    assert [(start.build, start.purpose) for start in todo().start] == [(GOOD_END, "boundary"), ("c8", "boundary")]


def test_what_is_measured_or_read_is_waited_for() -> None:
    assert todo(one(1, "deploying"), one(2, "queued", candidate="c8")) == NextStep()
    assert todo(one(1, "idle", None)) == NextStep()
    assert todo(one(1, "done", None)) == NextStep()
    assert todo(one(1, "lost", None)) != NextStep()


def test_a_job_waiting_for_capacity_does_not_block_others() -> None:
    assert todo(one(1, "queued"), one(2, "soaking", candidate="c8")) == NextStep()
    full = one(2, "idle", 1.0, 1.0, 1.0, 1.0, candidate="c8", expected=4)
    assert todo(one(1, "queued"), full).close == (2,)


def test_a_probe_without_measurements_is_abandoned() -> None:
    assert todo(one(1, "idle", None, None, None, expected=3, problem="no profile")).give_up == (1,)


def test_failures_in_a_row_need_a_person_once() -> None:
    failed = [one(number, "failed") for number in (1, 2, 3)]
    assert "#3" in (todo(*failed).pause or "")
    assert todo(*failed, since=3).pause is None
    assert todo(*failed[:2], one(3, "done", 1.0)).pause is None


def test_an_end_that_cannot_be_built_needs_a_person() -> None:
    assert todo(one(1, "unbuildable")).pause is None
    assert "good boundary" in (todo(one(1, "unbuildable"), one(2, "unhealthy")).pause or "")


def test_a_control_that_is_no_longer_requested_is_stopped() -> None:
    assert todo(one(1, "idle", 1.0, purpose="control")).close == (1,)


def test_an_override_outweighs_one_measurement_and_is_no_deployment() -> None:
    mark = ProbeObservation(1, "c3", "override", 0, "done", None, 0, (), 0, 1, is_leased=False)
    state = build_search_state(LINE, BisectSettings(max_deployments=4), [mark], larger_is_worse=True)
    assert (state.deploys[0].bad, state.settings.most_deploys, state.started) == (4, 5, 1)
