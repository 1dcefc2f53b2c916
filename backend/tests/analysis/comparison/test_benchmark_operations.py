"""Profiles of benchmarks: per operation where the operations are known, otherwise by shares with the reason."""

import pytest

from slowpath.analysis.comparison.benchmark_operations import operations_of
from slowpath.analysis.comparison.comparison_document import make_comparison_document
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.benchmarks.benchmark_artifact import BenchmarkArtifact, BenchmarkResult
from slowpath.analysis.kinds.comparison_sides import ComparisonSide
from slowpath.analysis.kinds.profiles.decoded.benchmark_profiles import is_benchmark_profile
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.registry import BENCHMARK
from tests.analysis.compare_helpers import compared_sides
from tests.analysis.kinds.profiles.generated_profiles import runs

DRAWING = """
    testing.(*B).launch  testing.(*B).launch  testing.(*B).launch  runtime.gcBgMarkWorker
    testing.(*B).runN    testing.(*B).runN    testing.(*B).runN    runtime.gcDrain
    a/x.BenchmarkScore   a/x.BenchmarkScore   a/x.BenchmarkScore   .
    a/x.Score            a/x.Load             a/x.Keep             .
    {}                   {}                   {}                   40
"""
RESULT = "BenchmarkScore-2"


def profiles(score: int, load: int, keep: int, seed: int) -> tuple[ProfileArtifact, ...]:
    made = runs(DRAWING.format(score, load, keep), 6, seed=seed, requests=None)
    return tuple(ProfileArtifact(f"{n}/cpu.pprof", each.table, RunMetadata()) for n, each in enumerate(made))


def outputs(iterations: int, name: str = RESULT) -> tuple[BenchmarkArtifact, ...]:
    return tuple(
        BenchmarkArtifact(f"{n}/bench.txt", RunMetadata(), (BenchmarkResult(name, iterations),)) for n in range(6)
    )


# `Score` takes three times as long: the benchmark runs in the same time, with half the operations.
BASE, CANDIDATE = (250, 500, 250), (500, 333, 167)


@pytest.mark.parametrize("together", [False, True])
def test_with_its_output_a_benchmark_profile_is_compared_per_operation(together: bool) -> None:
    def side(counts: tuple[int, int, int], iterations: int, seed: int) -> ComparisonSide:
        each = outputs(iterations)
        joined = (BenchmarkArtifact("bench.txt", RunMetadata(), tuple(r for one in each for r in one.results)),)
        return ComparisonSide(profiles=profiles(*counts, seed), others={BENCHMARK.id: joined if together else each})

    base, candidate = side(BASE, 1_500_000, 1), side(CANDIDATE, 1_050_000, 2)
    forward, backward = compared_sides(base, candidate), compared_sides(candidate, base)
    finding = next(each for each in forward.findings if each.subject == "a/x.Score")
    # 1,500,000 after 1 + 100 + 10,000 + 1,000,000, against 1,050,000 after as many
    assert finding.change.ratio == pytest.approx(2 * 2_510_101 / 2_060_101, rel=0.08)
    assert finding.unit == "us/op"
    assert " per operation instead of " in finding.sentence
    assert (forward.verdict, backward.verdict) == ("regressed", "improved")
    assert not [caveat for caveat in forward.caveats if caveat.id == "benchmark-operations"]


@pytest.mark.parametrize(
    ("base", "candidate", "reason"),
    [
        ((), (), "the number of operations is unknown"),
        (outputs(3_000), outputs(1_500, "BenchmarkOther-2"), "the two sides ran different benchmarks"),
        (outputs(3_000)[:4], outputs(3_000), "the number of operations is unknown"),
        (
            tuple(
                BenchmarkArtifact(
                    f"{n}/b.txt",
                    RunMetadata(),
                    (BenchmarkResult("BenchmarkA", 900), BenchmarkResult("BenchmarkB", 900)),
                )
                for n in range(6)
            ),
            tuple(
                BenchmarkArtifact(
                    f"{n}/b.txt",
                    RunMetadata(),
                    (BenchmarkResult("BenchmarkA", 900), BenchmarkResult("BenchmarkB", 300)),
                )
                for n in range(6)
            ),
            "changed by different factors",
        ),
    ],
)
def test_without_operations_only_shares_are_compared_and_the_reason_is_given(
    base: tuple[BenchmarkArtifact, ...], candidate: tuple[BenchmarkArtifact, ...], reason: str
) -> None:
    comparison = compared_sides(
        ComparisonSide(profiles=profiles(*BASE, 1), others={BENCHMARK.id: base}),
        ComparisonSide(profiles=profiles(*CANDIDATE, 2), others={BENCHMARK.id: candidate}),
    )
    assert comparison.profiles is not None
    assert {each.comparison.basis.id for each in comparison.profiles.kinds} == {"share"}
    (sentence,) = [sentence.sentence for sentence in comparison.caveats if sentence.id == "benchmark-operations"]
    assert reason in sentence
    assert {(each.subject, each.direction) for each in comparison.findings if each.is_significant} == {
        ("a/x.Score", "worse")
    }
    assert set(make_comparison_document(comparison).profile_kinds[0].totals) == {"share"}


def test_a_benchmark_whose_work_is_done_by_goroutines_that_it_starts_is_one() -> None:
    drawing = """
        testing.(*B).launch  a/x.handle.func1  runtime.gcBgMarkWorker
        testing.(*B).runN    a/x.job           runtime.gcDrain
        a/x.handle           .                 .
        90                   300               110
    """
    (spread,) = runs(drawing, 1)
    assert is_benchmark_profile(spread.table)


def test_services_are_no_benchmarks() -> None:
    (service,) = runs("main.main main.main\na/x.Serve testing.(*B).runN\n500 100", 1)
    assert not is_benchmark_profile(service.table)
    assert is_benchmark_profile(profiles(*BASE, 1)[0].table)


@pytest.mark.parametrize(
    ("iterations", "operations"),
    [(1, 1), (24, 25), (100, 101), (101, 202), (600, 701), (10_000, 10_101), (1_200_000, 2_210_101)],
)
def test_the_rounds_before_the_final_one_are_counted(iterations: int, operations: int) -> None:
    assert operations_of([BenchmarkResult(RESULT, iterations)], loop=False) == operations
    assert operations_of([BenchmarkResult(RESULT, iterations)] * 2, loop=True) == 2 * iterations
