"""Caveats: each is raised by what it names, and not by its absence."""

import re

import pytest

from slowpath.analysis.comparison.comparison_document import make_comparison_document
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from tests.analysis import compare_helpers
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import SECOND, TICK, artifact, at_times, runs, stacks, with_cpu

DRAWING = "main.main main.main\na/x.A a/x.B\n300 200"


def side(
    count: int = 8,
    *,
    seed: int = 1,
    drawing: str = DRAWING,
    facts: dict[str, object] | None = None,
    begin: float = 0,
    **options: object,
) -> list[ProfileArtifact]:
    made = runs(drawing, count, seed=seed, **options)  # type: ignore[arg-type]
    if begin:
        made = at_times(made, begin)
    return [
        ProfileArtifact(each.name, each.table, RunMetadata.from_json({**each.facts.to_json(), **(facts or {})}))
        for each in made
    ]


def caveat_sentences(base: list[ProfileArtifact], candidate: list[ProfileArtifact]) -> dict[str, str]:
    return {caveat.id: caveat.sentence for caveat in compared(base, candidate).caveats}


def test_equal_conditions_raise_no_caveat() -> None:
    assert caveat_sentences(side(begin=10), side(seed=2, begin=20)) == {}


def test_consecutive_sides_recommend_interleaved_captures() -> None:
    sentence = caveat_sentences(side(begin=10), side(seed=2, begin=1000))["consecutive"]
    assert sentence.startswith("The sides were captured one after the other")
    assert "slowpath collect URL --against URL2" in sentence
    assert "times smaller" in sentence
    assert "not all capture times are known" in caveat_sentences(side(), side(seed=2))["consecutive"]


@pytest.mark.parametrize(
    ("base", "candidate", "expected"),
    [
        (2, 2, "2 requests in a profile of the base would have taken 2.5"),
        (1000, 20_000, "the requests differ by a factor of 20 between the sides"),
    ],
)
def test_requests_that_cannot_be_the_load_are_no_basis(base: int, candidate: int, expected: str) -> None:
    found = compared(side(requests=base), side(seed=2, requests=candidate))
    assert expected in {caveat.id: caveat.sentence for caveat in found.caveats}["load-implausible"]
    assert found.kinds[0].comparison.basis.id == "per_second"


def test_a_saturated_service_whose_requests_cost_many_times_more_is_compared_per_request() -> None:
    """Its CPU stays the same and its requests fall by a factor of 18: no wrong counter, since it does other work now."""
    drawing = "main.main main.main main.main\na/x.Serve a/x.Serve a/x.Idle\na/x.areas a/x.other .\n{} {} {}"
    base = with_cpu(runs(drawing.format(30, 900, 50), 6, requests=18_000), 980)
    candidate = with_cpu(runs(drawing.format(927, 50, 3), 6, seed=2, requests=1_000), 980)
    for one, other, verdict in ((base, candidate, "regressed"), (candidate, base, "improved")):
        found = compared(one, other)
        assert "load-implausible" not in {caveat.id for caveat in found.caveats}
        assert found.kinds[0].comparison.basis.id == "per_request"
        assert found.verdict == verdict
        assert found.findings[0].subject == "a/x.areas"


@pytest.mark.parametrize(
    ("identity", "base", "candidate", "expected"),
    [
        ("go-version", {"go_version": "go1.25.8"}, {"go_version": "go1.26.8"}, "go1.25.8 in base, go1.26.8 in candidate"),
        ("goos", {"goos": "linux"}, {"goos": "darwin"}, "operating system"),
        ("goarch", {"goarch": "amd64"}, {"goarch": "arm64"}, "architecture"),
        ("cpu-model", {"cpu_model": "X"}, {"cpu_model": "Y"}, "CPU model"),
        ("gomaxprocs", {"gomaxprocs": 2}, {"gomaxprocs": 8}, "2 in base, 8 in candidate"),
        ("cpu-flags", {"cpu_flags": ["aes", "avx"]}, {"cpu_flags": ["avx"]}, "aes only in base"),
        ("load", {"requests": 1000}, {"requests": 3000}, "100 requests per second in base, 300 in candidate"),
        ("same-build", {"commit": "abc"}, {"commit": "abc"}, "same commit (abc)"),
        ("same-build", {"build_id": "abc"}, {"build_id": "abc"}, "same binary (build id abc)"),
        ("cpu-saturated", {"gomaxprocs": 1, "cpu_ns": 10 * SECOND}, {"gomaxprocs": 1, "cpu_ns": SECOND}, "saturated: 100% in base"),
        ("coverage", {"cpu_ns": 20 * SECOND}, {"cpu_ns": 5 * SECOND}, "cover 25"),
    ],
)  # fmt: skip
def test_facts_that_differ(identity: str, base: dict[str, object], candidate: dict[str, object], expected: str) -> None:
    raised = caveat_sentences(side(facts=base), side(seed=2, facts=candidate))
    assert expected in raised[identity]


def test_metadata_of_one_side_raises_no_caveat() -> None:
    knowing = side(facts={"go_version": "go1.26.8", "cpu_flags": ["aes"]}, begin=10)
    assert caveat_sentences(knowing, side(seed=2, begin=20)) == {}


def test_the_same_binary() -> None:
    mappings = [{"file": "/bin/x", "build_id": "b1"}]
    assert "same binary" in caveat_sentences(side(mappings=mappings), side(seed=2, mappings=mappings))["same-build"]


def test_runs_with_several_profiles_are_counted_as_runs() -> None:
    """More profiles of the same runs would settle nothing."""
    base, candidate = (
        [*side(2, seed=seed, facts={"run": f"{seed}"}), *side(2, seed=seed + 1, facts={"run": f"{seed + 1}"})]
        for seed in (1, 3)
    )
    found = compared(base, candidate)
    assert "Only 2 runs per side (cpu)" in {each.id: each.sentence for each in found.caveats}["few-profiles"]
    headline = make_comparison_document(compare_helpers.compared(base, candidate)).headline.sentence
    assert re.search(r"; record profiles of \d+ more runs per side for a conclusive result\.$", headline), headline


def test_few_profiles_and_one_run() -> None:
    assert "Only 2 profiles per side (cpu): only" in caveat_sentences(side(2), side(2, seed=2))["few-profiles"]
    assert "1 profile in base, 3 in candidate (cpu)" in caveat_sentences(side(1), side(3, seed=2))["single-profile"]
    raised = caveat_sentences(side(facts={"run": "only"}), side(seed=2))
    assert "base come from one run" in raised["one-run"]


def test_duration_and_period() -> None:
    raised = caveat_sentences(side(), side(seed=2, duration_ns=60 * SECOND, period=TICK // 2))
    assert "last 10.0 s in base and 60.0 s" in raised["duration"]
    assert "10,000,000 nanoseconds in base, 5,000,000 in candidate" in raised["period"]


def test_unknown_load() -> None:
    assert "cpu" in caveat_sentences(side(requests=None), side(seed=2, requests=None))["load-unknown"]


def test_lockstep_sampling_raises_a_caveat() -> None:
    def striding(seed: int) -> list[ProfileArtifact]:
        return [
            artifact(
                stacks(f"main.main main.main\na/x.A a/x.B\n{300 if i % 2 else 20} 200"),
                facts=RunMetadata(run=f"{seed}/{i}", requests=1000),
            )
            for i in range(8)
        ]

    assert "x.A" in caveat_sentences(striding(1), striding(2))["overdispersed"]


def test_drift_over_the_profiles() -> None:
    def drifting(step: int) -> list[ProfileArtifact]:
        return [
            artifact(
                stacks(f"main.main\na/x.A\n{300 + step * i}"),
                facts=RunMetadata(run=f"{step}/{i}", requests=1000),
                time_ns=i * SECOND + 1,
            )
            for i in range(8)
        ]

    raised = caveat_sentences(drifting(0), drifting(30))
    assert "cost of the candidate rises over its profiles by 70.0%" in raised["drifting"]


def test_constant_counts_do_not_drift() -> None:
    """As many goroutines in each profile: the order of equal values is not one of growth."""

    def waiting(seed: int) -> list[ProfileArtifact]:
        return [
            artifact(
                [(["main.main", "a/x.wait"], 7.0)],
                facts=RunMetadata(run=f"{seed}/{i}", requests=1000),
                kind="goroutine",
                types=[("goroutine", "count")],
                ticks=(1,),
                duration_ns=0,
                time_ns=i * SECOND + seed,
            )
            for i in range(8)
        ]

    assert "drifting" not in caveat_sentences(waiting(1), waiting(2))


def test_a_machine_without_aes_betrays_itself() -> None:
    slow = "main.main main.main\na/x.A runtime.mapaccess1\n. runtime.memhashFallback\n300 60"
    assert "Only the candidate hashes in software" in caveat_sentences(side(), side(seed=2, drawing=slow))["no-aes"]


def test_cut_stacks_that_fit_nowhere() -> None:
    cut = "main.main [root_cut_off]\na/x.A a/x.B\n300 60".replace("[root_cut_off]", "CUT")
    samples = [(tuple("[root cut off]" if f == "CUT" else f for f in stack), n) for stack, n in stacks(cut)]
    made = [artifact(samples, facts=RunMetadata(run=str(i)), cut_samples=60) for i in range(8)]
    assert "16.7% of the samples" in caveat_sentences(made, made)["cut-stacks"]


def test_kinds_and_sample_types_lacking_on_one_side() -> None:
    heap = artifact(stacks(DRAWING), kind="heap", types=[("inuse_space", "bytes")], ticks=[1])
    wall = artifact(stacks(DRAWING), types=[("wall", "nanoseconds")], ticks=[1])
    raised = caveat_sentences([*side(), heap], side(seed=2))
    assert raised["kind-missing"] == "The candidate has none (heap): not compared."
    assert "have different sample types" in caveat_sentences([wall], side())["sample-type"]
    assert (
        "1 profile without the sample type cpu (cpu)" in caveat_sentences([*side(), wall], side(seed=2))["sample-type"]
    )


def test_warnings_of_the_decoder_are_passed_on() -> None:
    assert "clipped" in caveat_sentences(side(warnings=["values were clipped"]), side(seed=2))["decode-warnings"]


def kinds_of(side_of: list[ProfileArtifact], counts: dict[str, int], seed: int) -> list[ProfileArtifact]:
    """The same with so many profiles of other kinds."""
    others = [
        each
        for kind, count in counts.items()
        for each in runs(DRAWING, count, seed=seed, kind=kind, types=[("delay", "nanoseconds")], ticks=[1])
    ]
    return [*side_of, *others]


def test_a_caveat_of_several_kinds_is_listed_once() -> None:
    counts = {"mutex": 2, "block": 2, "goroutine": 3}
    found = compared(kinds_of(side(), counts, 1), kinds_of(side(seed=2), counts, 2)).caveats
    few = [caveat.sentence for caveat in found if caveat.id == "few-profiles"]
    text = (
        "Only 2 profiles per side (mutex and block); only 3 profiles per side (goroutine): the variation between runs"
    )
    assert [sentence.startswith(text) for sentence in few] == [True]
    assert len({caveat.id for caveat in found}) == len(found)


def test_caveats_on_one_profile_and_on_few_are_merged() -> None:
    counts = {"mutex": 2, "block": 1}
    found = compared(kinds_of(side(), counts, 1), kinds_of(side(seed=2), counts, 2)).caveats
    by_name = {caveat.id: caveat.sentence for caveat in found}
    assert "few-profiles" not in by_name
    assert by_name["single-profile"].startswith(
        "Only 2 profiles per side (mutex); only 1 profile per side (block): the variation"
    )


def test_a_caveat_about_both_sides_names_both() -> None:
    raised = caveat_sentences(side(facts={"run": "a"}), side(seed=2, facts={"run": "b"}))
    assert raised["one-run"].startswith("All profiles of the base and candidate come from one run (cpu): ")
    full: dict[str, object] = {"gomaxprocs": 1, "cpu_ns": 10 * SECOND}
    assert (
        "saturated: 100% in base and 100% in candidate"
        in caveat_sentences(side(facts=full), side(seed=2, facts=full))["cpu-saturated"]
    )


def test_caveats_are_ordered_by_severity() -> None:
    heap = artifact(stacks(DRAWING), kind="heap", types=[("inuse_space", "bytes")], ticks=[1])
    facts: dict[str, object] = {"goarch": "amd64", "go_version": "go1.25.8"}
    other: dict[str, object] = {"goarch": "arm64", "go_version": "go1.26.8", "requests": 3000}
    base = [*side(facts=facts, warnings=["values were clipped"], begin=10), heap]
    found = compared(base, side(seed=2, facts=other, begin=20)).caveats
    assert [caveat.id for caveat in found] == ["kind-missing", "goarch", "load", "go-version", "decode-warnings"]
