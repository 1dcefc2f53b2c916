"""The cost of longer waits, and their order."""

from dataclasses import replace

import pytest

from slowpath.analysis.kinds.exec_traces.wait_costs import costs_of
from slowpath.analysis.kinds.exec_traces.waiters import match_waiters
from tests.analysis.kinds.exec_traces.compare_helpers import compared
from tests.analysis.kinds.exec_traces.generated_traces import SERVICE, GeneratedWaiter, traces

CLIENT, BATCHER, WORKER, SWEEPER = SERVICE
HOG = {"user|main.hog": 1.0}


def test_the_cost_of_a_waiter_includes_the_goroutines_it_wakes() -> None:
    matched = match_waiters(traces(SERVICE, 2, 1), traces(SERVICE, 2, 2))
    costs = costs_of(matched)
    number = {waiter.subject: at for at, waiter in enumerate(matched.waiters)}
    assert costs.others[number["main.batcher|network"]] == pytest.approx(10, rel=0.1)
    assert costs.others[number["main.client|chan receive"]] == 0
    assert costs.main_waker[number["main.client|chan receive"]] == "main.batcher"
    assert costs.main_waker[number["main.worker|select"]] is None


def test_the_end_of_a_pause_counts_less_than_a_request() -> None:
    asleep, asked = (
        GeneratedWaiter("main.client", "sleep", 400, 10_000),
        GeneratedWaiter("main.client", "chan receive", 400, 10_000),
    )
    slower = [replace(each, median_ns=times * 10_000, occupancy=HOG) for each, times in ((asleep, 200), (asked, 150))]
    found = compared(traces([asleep, asked], 3, 1), traces(slower, 3, 2))
    assert [each.subject for each in found.findings if each.kind == "trace.sched_delay"] == [
        "main.client|chan receive",
        "main.client|sleep",
    ]


def test_a_waker_is_listed_before_an_equally_long_waiter() -> None:
    base = [CLIENT, replace(BATCHER, median_ns=20_000)]
    slower = [replace(each, median_ns=20_000 * 100, occupancy=HOG) for each in base]
    slower[0] = replace(slower[0], median_ns=20_000 * 200)
    first, *others = compared(traces(base, 3, 1), traces(slower, 3, 2)).findings
    assert first.subject == "main.batcher|network"
    client = next(each for each in others if each.subject == "main.client|chan receive")
    assert first.cost_s_per_s is not None
    assert client.cost_s_per_s is not None
    assert client.cost_s_per_s < first.cost_s_per_s < 1.02 * client.cost_s_per_s


def test_but_not_if_its_own_waiting_is_slight() -> None:
    slower = [replace(CLIENT, median_ns=4e6, occupancy=HOG), replace(BATCHER, median_ns=80_000, occupancy=HOG)]
    assert compared(traces(SERVICE[:2], 3, 1), traces(slower, 3, 2)).findings[0].subject == "main.client|chan receive"
