"""What replicates what, and what a value is divided by."""

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.profile_header import SampleType
from slowpath.analysis.kinds.profiles.profile_sets import ProfileSets, bases_of, make_sets
from slowpath.units import Nanoseconds
from tests.analysis.kinds.profiles.generated_profiles import SECOND, artifact, runs, stacks

CPU = SampleType("cpu", "nanoseconds")
SPACE = SampleType("alloc_space", "bytes")
DRAWING = "main main\na b\n10 20"


def sets_of(
    base: list[ProfileArtifact], candidate: list[ProfileArtifact], sample_type: SampleType = CPU
) -> ProfileSets:
    found = make_sets(base, candidate, sample_type)
    assert found is not None
    return found


def named(run: str | None) -> ProfileArtifact:
    return artifact(stacks(DRAWING), facts=RunMetadata(run=run))


def test_profiles_of_one_run_are_one_replicate_when_both_sides_have_several_runs() -> None:
    side = [named("a"), named("a"), named("b")]
    found = sets_of(side, side)
    assert found.by_run
    assert found.replicates() == (2, 2)
    base, _ = found.folded(np.array([[1.0, 2.0, 4.0, 0, 0, 0]]))
    assert base.tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize("runs_of_base", [["a", "a", "a"], ["a", "b", None]])
def test_else_each_profile_is_one(runs_of_base: list[str | None]) -> None:
    found = sets_of([named(run) for run in runs_of_base], [named("x"), named("y"), named("z")])
    assert not found.by_run
    assert found.replicates() == (3, 3)


def test_a_side_without_the_sample_type_makes_no_sets() -> None:
    assert make_sets([named("a")], [named("b")], SampleType("space", "bytes")) is None


def test_more_metadata_allows_more_normalizations() -> None:
    bare = artifact(stacks(DRAWING), duration_ns=0)
    timed = artifact(stacks(DRAWING))
    loaded = artifact(stacks(DRAWING), facts=RunMetadata(requests=100, wall_ns=Nanoseconds(20 * SECOND)))
    assert [basis.id for basis in bases_of(sets_of([bare], [timed]))] == ["share"]
    assert [basis.id for basis in bases_of(sets_of([timed], [loaded]))] == ["share", "per_second"]
    assert [basis.id for basis in bases_of(sets_of([loaded], [loaded]))] == ["share", "per_second", "per_request"]


def test_requests_are_those_of_the_profiles_own_duration() -> None:
    loaded = artifact(stacks(DRAWING), facts=RunMetadata(requests=100, wall_ns=Nanoseconds(20 * SECOND)))
    (*_, per_request) = bases_of(sets_of([loaded], [loaded]))
    assert per_request.weights.tolist() == [50.0, 50.0]
    assert per_request.unit == "us/request"


def memory(run: str | None, second: int, amount: int) -> ProfileArtifact:
    return artifact(
        [(("main", "a"), amount)],
        facts=RunMetadata(run=run),
        kind="allocs",
        duration_ns=0,
        time_ns=second * SECOND,
        types=[("alloc_space", "bytes")],
        ticks=[1],
    )


def test_two_snapshots_of_one_run_make_a_rate() -> None:
    base = [memory("a", 10, 100), memory("a", 20, 300), memory("b", 12, 50), memory("b", 17, 100)]
    candidate = [memory("c", 10, 100), memory("c", 15, 100), memory("c", 20, 1100)]
    found = sets_of(base, candidate, SPACE)
    assert found.differenced
    assert found.replicates() == (2, 1)
    share, per_second = bases_of(found)
    base_values, candidate_values = found.folded(found.totals()[np.newaxis, :])
    base_seconds, candidate_seconds = found.folded(per_second.weights[np.newaxis, :])
    assert (base_values / base_seconds).tolist() == [[20.0, 10.0]]
    assert (candidate_values / candidate_seconds).tolist() == [[100.0]]
    assert share.id == "share"


@pytest.mark.parametrize(
    "lonely",
    [[memory(None, 10, 1), memory(None, 20, 2)], [memory("a", 10, 1)], [memory("a", 10, 1), memory("a", 10, 2)]],
)
def test_snapshots_that_make_no_pair_are_compared_by_share(lonely: list[ProfileArtifact]) -> None:
    found = sets_of(lonely, [memory("c", 10, 1), memory("c", 20, 2)], SPACE)
    assert not found.differenced
    assert [basis.id for basis in bases_of(found)] == ["share"]


def test_drawn_runs_have_requests() -> None:
    assert [basis.id for basis in bases_of(sets_of(runs(DRAWING), runs(DRAWING, seed=2)))][-1] == "per_request"


def test_snapshots_have_a_mean_and_no_rate() -> None:
    types = (("inuse_objects", "count"), ("inuse_space", "bytes"))
    facts = RunMetadata(requests=100, wall_ns=Nanoseconds(20 * SECOND))
    heap = artifact(stacks(DRAWING), kind="heap", types=types, facts=facts)
    share, mean = bases_of(sets_of([heap, heap], [heap], SampleType("inuse_space", "bytes")))
    assert share.id == "share"
    assert (mean.id, mean.unit, mean.weights.tolist()) == ("mean", "bytes", [1.0, 1.0, 1.0])
