"""What replicates what, and what a value is divided by."""

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.sets.profile_sets import ProfileSets, bases_of, make_sets
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


def memory(run: str | None, second: int, amount: int, requests: int | None = None) -> ProfileArtifact:
    return artifact(
        [(("main", "a"), amount)],
        facts=RunMetadata(run=run, requests=requests),
        kind="allocs",
        duration_ns=0,
        time_ns=second * SECOND,
        types=[("alloc_space", "bytes")],
        ticks=[1],
    )


def test_successive_snapshots_of_one_run_make_rates() -> None:
    base = [memory("a", 10, 100), memory("a", 20, 300), memory("b", 12, 50), memory("b", 17, 100)]
    candidate = [memory("c", 11, 100), memory("c", 16, 100), memory("c", 21, 1100)]
    found = sets_of(base, candidate, SPACE)
    assert found.differenced
    assert found.replicates() == (2, 2)
    assert found.replicate_name == "difference of snapshots"
    share, per_second = bases_of(found)
    base_values, candidate_values = found.folded(found.totals()[np.newaxis, :])
    base_seconds, candidate_seconds = found.folded(per_second.weights[np.newaxis, :])
    assert (base_values / base_seconds).tolist() == [[20.0, 10.0]]
    assert (candidate_values / candidate_seconds).tolist() == [[0.0, 200.0]]
    assert [when.tolist() for when in found.times()] == [[5.0, 4.5], [3.5, 8.5]], "the middle of each difference"
    assert share.id == "share"


def test_the_run_is_the_replicate_if_both_sides_have_four() -> None:
    side = [memory(run, second, second * 10) for run in "abcd" for second in (10, 15, 20)]
    found = sets_of(side, side, SPACE)
    assert (found.replicates(), found.by_run) == ((4, 4), True)
    assert found.folded(found.totals()[np.newaxis, :])[0].tolist() == [[100.0] * 4]


def test_many_snapshots_of_one_run_are_thinned_without_a_loss() -> None:
    side = [memory("a", second, second * 10) for second in range(10, 210)]
    found = sets_of(side, side, SPACE)
    assert found.replicates() == (20, 20)
    assert found.folded(found.totals()[np.newaxis, :])[0].sum() == 1990.0


@pytest.mark.parametrize(
    ("requests", "expected"),
    [
        ([100, 150, 250], [50.0, 100.0]),
        ([100, 110, 250], None),  # too few requests between two snapshots
        ([100, 50, 250], None),  # the counter was reset
        ([100, None, 250], None),
    ],
)
def test_requests_between_snapshots_make_a_cost_per_request(
    requests: list[int | None], expected: list[float] | None
) -> None:
    side = [memory("a", 10 * (n + 1), 1000 * n + 1, count) for n, count in enumerate(requests)]
    found = sets_of(side, side, SPACE)
    last = bases_of(found)[-1]
    assert last.id == ("per_request" if expected else "per_second")
    if expected:
        assert last.unit == "bytes/request"
        assert found.folded(last.weights[np.newaxis, :])[0].tolist() == [expected]


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
