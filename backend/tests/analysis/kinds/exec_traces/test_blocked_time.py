"""Blocked time: who is blocked where, who released it, and what is not called a change."""

from dataclasses import replace

import pytest

from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_page import page_of_one
from tests.analysis.kinds.exec_traces.compare_helpers import compared
from tests.analysis.kinds.exec_traces.generated_traces import SERVICE, GeneratedBlocking, GeneratedWaiter, traces

LOCKED = ("internal/sync.(*Mutex).lockSlow", "sync.(*Mutex).Lock", "main.(*Ledger).Post", "main.serve")
UNLOCKED = ("internal/sync.(*Mutex).unlockSlow", "sync.(*Mutex).Unlock", "main.(*Ledger).Report", "main.report")
LOCK = GeneratedBlocking("main.serve", "sync", LOCKED, "main.report", UNLOCKED)
SEND = GeneratedBlocking("main.read", "chan send", ("runtime.chansend1", "main.read"), "main.write", ("main.write",))
CALL = GeneratedBlocking(
    "main.store", "syscall exit", ("syscall.Syscall", "os.(*File).Sync", "main.flush", "main.store")
)


def side(*blocked: GeneratedBlocking, seed: int = 1) -> list[TraceArtifact]:
    return traces(SERVICE, 4, seed, blocked=blocked, spread=0.1)


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        (LOCK, "main.serve is blocked on a lock in main.(*Ledger).Post: "),
        (SEND, "main.read is blocked on a channel send in main.read: "),
        (CALL, "main.store is in system calls of main.flush: "),
    ],
)
def test_ten_times_more_blocked_time_is_a_regression(place: GeneratedBlocking, sentence: str) -> None:
    longer = replace(place, median_ns=10 * place.median_ns)
    found = compared(side(place), side(longer, seed=2))
    assert found.verdict == "regressed"
    finding = next(each for each in found.findings if each.kind == "trace.blocked")
    assert finding.is_significant
    assert finding.direction == "worse"
    assert finding.sentence.startswith(sentence)
    assert finding.change.ci_low > 5
    swapped = compared(side(longer, seed=2), side(place))
    assert swapped.verdict == "improved"
    assert next(each for each in swapped.findings if each.kind == "trace.blocked").direction == "better"


def test_the_goroutine_and_function_that_released_a_lock_are_named() -> None:
    own = replace(LOCK, ender="main.serve", ender_stack=LOCKED[2:], per_second=20)
    longer = [replace(each, median_ns=10 * each.median_ns) for each in (LOCK, own)]
    found = compared(side(LOCK, own), side(*longer, seed=2))
    finding = next(each for each in found.findings if each.kind == "trace.blocked")
    assert "; released by main.(*Ledger).Report of main.report for 9" in finding.sentence
    assert [each.subject for each in finding.contributions] == ["main.(*Ledger).Report", "main.(*Ledger).Post"]
    assert finding.contributions[0].share > 0.8


def test_the_page_lists_each_place_with_its_change_and_who_ended_it() -> None:
    longer = replace(LOCK, median_ns=10 * LOCK.median_ns)
    page = compared(side(LOCK, CALL), side(longer, CALL, seed=2)).page()
    assert page.blocked is not None
    assert [(row.group, row.reason, row.function, row.state) for row in page.blocked.rows] == [
        ("main.serve", "sync", "main.(*Ledger).Post", "more"),
        ("main.store", "syscall exit", "main.flush", "noise"),
    ]
    first, second = page.blocked.rows
    assert first.change is not None
    assert first.candidate_ns == pytest.approx(first.base_ns * first.change.ratio, rel=0.2)
    assert [(one.group, one.function, one.share) for one in first.enders] == [
        ("main.report", "main.(*Ledger).Report", 1.0)
    ]
    assert [(one.group, one.function) for one in second.enders] == [("", "")]


def test_a_place_of_one_side_only_has_no_ratio() -> None:
    page = compared(side(), side(replace(SEND, median_ns=2_000_000), seed=2)).page()
    assert page.blocked is not None
    [row] = page.blocked.rows
    assert (row.base_ns, row.change, row.state) == (0.0, None, "only-candidate")


def test_the_page_of_one_trace_lists_its_places_per_second() -> None:
    [first, *_] = side(replace(LOCK, median_ns=5_000_000))
    page = page_of_one(first)
    assert page.blocked is not None
    [row] = page.blocked.rows
    assert (row.subject, row.candidate_ns, page.blocked.is_per_request) == (
        "main.serve|sync|main.(*Ledger).Post", None, False,
    )  # fmt: skip
    assert row.base_ns >= 1e6
    assert page_of_one(traces(SERVICE, 1, 1)[0]).blocked is None


def test_a_place_that_is_new_is_a_difference() -> None:
    found = compared(side(), side(replace(SEND, median_ns=2_000_000), seed=2))
    finding = next(each for each in found.findings if each.kind == "trace.blocked")
    assert (found.verdict, finding.base, finding.change.ci_of) == ("regressed", 0.0, "difference")
    assert " instead of none" in finding.sentence


def test_waiting_for_others_and_locks_of_the_runtime_are_not_compared() -> None:
    joined = replace(LOCK, stack=("sync.runtime_SemacquireWaitGroup", "sync.(*WaitGroup).Wait", "main.serve"))
    runtime = replace(LOCK, stack=("runtime.semacquire", "runtime.gcStart", "runtime.mallocgc", "main.allocate"))
    longer = [replace(each, median_ns=50 * each.median_ns) for each in (joined, runtime)]
    found = compared(side(joined, runtime), side(*longer, seed=2))
    assert not [each for each in found.findings if each.kind == "trace.blocked"]


def test_traces_of_an_earlier_decoder_are_compared_without_blocked_time() -> None:
    old = traces(SERVICE, 4, 1, spread=0.1)
    found = compared(old, side(replace(LOCK, median_ns=5_000_000), seed=2))
    assert not [each for each in found.findings if each.kind == "trace.blocked"]


@pytest.mark.processes
def test_runs_of_one_binary_whose_queues_differ_raise_no_alarm() -> None:
    """The deviation (of a logarithm) of 1.5 is that of a lock without contention on a busy machine."""
    alarms = possible = 0
    for seed in range(20):
        first, second = (
            traces(SERVICE[:1], 3, 100 * seed + at, blocked=[LOCK, SEND, CALL], spread=1.5, seconds=2.0)
            for at in (1, 2)
        )
        blocked = [each for each in compared(first, second).findings if each.kind == "trace.blocked"]
        alarms += any(each.is_significant for each in blocked)
        possible += bool(blocked)
    assert alarms <= 1, possible


def test_less_waiting_for_a_processor_and_more_blocked_time_are_mixed() -> None:
    slow = [
        replace(each, median_ns=20 * each.median_ns, occupancy={"user|main.hog": 0.95, "idle": 0.05})
        for each in SERVICE
    ]
    queue: list[GeneratedWaiter] = list(slow)
    base = traces(queue, 4, 1, blocked=[LOCK], spread=0.1)
    candidate = traces(SERVICE, 4, 2, blocked=[replace(LOCK, median_ns=20 * LOCK.median_ns)], spread=0.1)
    assert compared(base, candidate).verdict == "mixed"
    assert compared(candidate, base).verdict == "mixed"


@pytest.mark.processes
def test_blocked_time_that_hides_a_change_is_not_unchanged() -> None:
    steady = [
        traces(SERVICE, 8, seed, seconds=20.0, blocked=[replace(LOCK, sigma=0.5)], spread=0.05) for seed in (1, 2)
    ]
    varying = [traces(SERVICE, 8, seed, seconds=20.0, blocked=[LOCK], spread=1.0) for seed in (1, 2)]
    quiet, noisy = compared(steady[0], steady[1]), compared(varying[0], varying[1])
    assert quiet.verdict == "unchanged"
    assert noisy.verdict == "inconclusive"


@pytest.mark.parametrize(
    "frames",
    [("syscall.Syscall", "syscall.read", "os.(*File).Read"), ("syscall.Syscall6", "os.(*Process).blockUntilWaitable")],
)
def test_a_system_call_that_waits_for_input_or_a_process_is_not_compared(frames: tuple[str, ...]) -> None:
    idle = replace(CALL, stack=(*frames, "io.ReadAtLeast", "main.store"))
    found = compared(side(idle), side(replace(idle, median_ns=10 * idle.median_ns), seed=2))
    assert not [each for each in found.findings if each.kind == "trace.blocked"]


def test_a_change_within_the_variation_of_the_traces_is_tentative_in_finding_and_row() -> None:
    longer = replace(LOCK, median_ns=20 * LOCK.median_ns)
    base, candidate = (
        traces(SERVICE[:1], 3, seed, blocked=[lock], spread=1.0) for seed, lock in ((1, LOCK), (2, longer))
    )
    found = compared(base, candidate)
    [finding] = [each for each in found.findings if each.kind == "trace.blocked"]
    page = found.page()
    assert page.blocked is not None
    [row] = page.blocked.rows
    assert (finding.is_significant, row.state, row.is_tentative) == (False, "more", True)
    certain = compared(side(LOCK), side(longer, seed=2)).page()
    assert certain.blocked is not None
    assert [(row.state, row.is_tentative) for row in certain.blocked.rows] == [("more", False)]
