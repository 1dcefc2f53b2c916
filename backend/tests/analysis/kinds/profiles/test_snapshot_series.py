"""Verdicts on allocations and mutexes from successive snapshots of one process per side."""

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.views.diff_views import DiffViewBuilder
from slowpath.units import Nanoseconds
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import SECOND, artifact

KIB = 1024
EACH = 512 * KIB
"""Bytes per sample of an allocation profile."""
TYPES = {
    "allocs": [("alloc_objects", "count"), ("alloc_space", "bytes")],
    "mutex": [("contentions", "count"), ("delay", "nanoseconds")],
}


def series(
    seed: int, *, kind: str = "allocs", factor: float = 1.0, load: float = 1.0, count: int = 11, begin: int = 0
) -> list[ProfileArtifact]:
    """Snapshots of a process, 10 s apart: two functions, of which `factor` multiplies the values of the first."""
    rng = np.random.default_rng(seed)
    snapshots, totals, requests = [], np.array([50.0, 50.0]), 1000
    for number in range(count):
        snapshots.append(
            artifact(
                [(("main", "handle", name), total) for name, total in zip(("build", "render"), totals, strict=True)],
                facts=RunMetadata(run=f"process {seed}", requests=requests),
                kind=kind,
                duration_ns=0,
                time_ns=(begin + 10 * number + 10) * SECOND,
                types=TYPES[kind],
                ticks=[1, EACH],
                period=EACH,
                default_sample_type=1,
            )
        )
        totals = totals + rng.poisson(np.array([400.0 * factor, 400.0]) * load)
        requests += round(1000 * load)
    return snapshots


@pytest.mark.parametrize("kind", ["allocs", "mutex"])
def test_a_function_that_tripled_is_a_verdict_in_both_directions(kind: str) -> None:
    base, candidate = series(1, kind=kind), series(2, kind=kind, factor=3.0, begin=5)
    worse, better = compared(base, candidate), compared(candidate, base)
    assert (worse.verdict, better.verdict) == ("regressed", "improved")
    assert "build" in worse.findings[0].subject


@pytest.mark.parametrize("kind", ["allocs", "mutex"])
def test_start_and_end_alone_are_tentative(kind: str) -> None:
    base, candidate = series(1, kind=kind, count=2), series(2, kind=kind, factor=3.0, begin=5, count=2)
    assert compared(base, candidate).verdict == "inconclusive"


def test_twice_the_load_is_no_change() -> None:
    assert compared(series(1), series(2, load=2.0, begin=5)).verdict == "unchanged"


def test_a_change_as_large_as_that_of_the_load_is_no_finding() -> None:
    """Requests that failed are not counted, but allocate."""
    comparison = compared(series(1), series(2, factor=1.5, load=2.0, begin=5))
    assert comparison.verdict == "inconclusive"
    assert not any(finding.is_significant for finding in comparison.findings)


def test_views_of_other_sample_types_have_each_snapshot_once() -> None:
    [result] = compared(series(1), series(2, begin=5)).kinds
    views = DiffViewBuilder(result.comparison)
    states = [views.view(each, "function") for each in views.sample_types()]
    assert [each.ground.sample_type.type for each in states] == ["alloc_space", "alloc_objects"]
    assert [(each.ground.header.base.artifacts, each.ground.header.candidate.artifacts) for each in states] == [
        (11, 11)
    ] * 2
    assert [each.ground.sets.replicates() for each in states] == [(10, 10)] * 2


def test_equal_processes_raise_no_alarm() -> None:
    verdicts = {compared(series(seed), series(seed + 100, begin=5)).verdict for seed in range(20)}
    assert verdicts <= {"unchanged", "inconclusive"}


def processes(seed: int, kind: str, per_request: float, requests: int) -> list[ProfileArtifact]:
    """One snapshot each of six processes that have lived equally long."""
    rng = np.random.default_rng(seed)
    return [
        artifact(
            [(("main", "handle", "build"), float(rng.poisson(per_request * requests)))],
            facts=RunMetadata(run=f"process {seed}/{number}", requests=requests, wall_ns=Nanoseconds(10 * SECOND)),
            kind=kind,
            duration_ns=0,
            time_ns=(number + 1) * SECOND,
            types=TYPES[kind],
            ticks=[1, EACH],
            period=EACH,
            default_sample_type=1,
        )
        for number in range(6)
    ]


@pytest.mark.parametrize("kind", ["allocs", "mutex"])
def test_a_faster_process_that_allocates_less_per_request_is_better(kind: str) -> None:
    """It answers twice as many requests in the same time, so per second it allocates and waits more."""
    base, candidate = processes(1, kind, 0.5, 2_000), processes(2, kind, 0.3, 4_000)
    better, worse = compared(base, candidate), compared(candidate, base)
    assert (better.verdict, worse.verdict) == ("improved", "regressed")
    assert "per request" in better.findings[0].sentence
    assert compared(base, processes(3, kind, 0.5, 4_000)).verdict == "unchanged"
