"""Which files are recorded, in which order, and how many snapshots at most."""

from itertools import pairwise

import pytest

from slowpath_cli.collect.collect_plan import BETWEEN_BYTES, CollectPlan, PlannedRecording
from slowpath_cli.core.collect_errors import InvalidArgument


def names(**numbers: int) -> list[str]:
    plan = CollectPlan(**numbers, snapshots=("heap", "allocs", "mutex", "block"))
    return [recording.name.split(".p")[0] for recording in plan.recordings()]


def between(profiles: int) -> list[PlannedRecording]:
    plan = CollectPlan(profiles=profiles, snapshots=("allocs",))
    return [recording for recording in plan.recordings() if recording.between]


def test_allocs_and_mutex_are_taken_beside_the_cpu_profiles() -> None:
    assert names(profiles=3, traces=1) == [
        "heap.00", "allocs.00", "mutex.00", "block.00",
        "cpu.00", "allocs.01", "mutex.01", "cpu.01", "allocs.02", "mutex.02", "cpu.02", "trace.00.out",
        "heap.01", "allocs.03", "mutex.03", "block.01",
    ]  # fmt: skip


def test_without_cpu_profiles_they_are_beside_the_traces() -> None:
    assert names(profiles=0, traces=2)[4:-4] == ["trace.00.out", "allocs.01", "mutex.01", "trace.01.out"]
    assert names(profiles=0) == ["heap.00", "allocs.00", "mutex.00", "block.00"]


@pytest.mark.parametrize("profiles", [10, 11, 57, 1000])
def test_many_profiles_have_no_more_snapshots(profiles: int) -> None:
    plan = CollectPlan(profiles=profiles, snapshots=("allocs",)).recordings()
    places = [place for place, recording in enumerate(plan) if recording.between]
    assert len(places) == 9
    gaps = [later - earlier for earlier, later in pairwise(places)]
    assert max(gaps) - min(gaps) <= 1, "evenly"
    assert [recording.name for recording in plan if recording.kind == "allocs"][-1] == "allocs.10.pb.gz"


@pytest.mark.parametrize("size", [1, BETWEEN_BYTES // 20, BETWEEN_BYTES // 9, BETWEEN_BYTES // 3, BETWEEN_BYTES, 2**40])
def test_large_snapshots_are_thinned_evenly(size: int) -> None:
    taken = [recording.between for recording in between(10) if recording.is_worthwhile(size)]
    assert len(taken) * size <= BETWEEN_BYTES
    assert len({later - earlier for earlier, later in pairwise(taken)}) <= 1
    assert len(taken) == 9 or size > BETWEEN_BYTES // 9


def test_first_and_last_are_always_taken() -> None:
    plan = CollectPlan(profiles=10, snapshots=("allocs",)).recordings()
    always = [recording.name for recording in plan if recording.is_worthwhile(2**40)]
    assert always[0] == "allocs.00.pb.gz"
    assert always[-1] == "allocs.10.pb.gz"
    assert len(always) == 12


def test_a_cpu_profile_lasts_whole_seconds() -> None:
    with pytest.raises(InvalidArgument, match=r"--seconds must be a whole number.*not 1\.5"):
        CollectPlan(profiles=1, seconds=1.5)
    CollectPlan(profiles=0, seconds=1.5, traces=1, trace_seconds=0.5)
