"""Findings in generated sets: causes without symptoms, callers, groups, cost shifts, and none where nothing changed."""

import pytest

from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.go_function_names import short
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.findings.largest_part import describe_total_change
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import artifact, at_times, runs, stacks, with_cpu


def reported(comparison: ProfileComparison) -> list[tuple[str, str]]:
    return [(short(finding.subject), finding.direction) for finding in comparison.findings]


def finding(comparison: ProfileComparison, subject: str) -> Finding:
    return next(each for each in comparison.findings if each.subject == subject)


BASE = """
    main.main   main.main   main.main  main.main
    a/x.Serve   a/x.Serve   a/x.Serve  a/x.Serve
    a/x.Decode  a/x.Encode  a/x.Decode a/x.Log
    .           .           a/x.field  .
    200         300         100        50
"""


def test_equal_sets_show_nothing() -> None:
    comparison = compared(runs(BASE, 10), runs(BASE, 10, seed=2))
    assert comparison.findings == ()
    assert comparison.verdict == "unchanged"


def test_the_cause_is_reported_without_the_frames_above_it() -> None:
    comparison = compared(runs(BASE), runs(BASE.replace("100 ", "250 "), seed=2))
    assert reported(comparison) == [("x.field", "worse")]
    assert comparison.verdict == "regressed"
    (caller,) = comparison.findings[0].attributed_callers
    assert caller.path == ("main.main", "a/x.Serve", "a/x.Decode", "a/x.field")
    assert comparison.findings[0].change.ci_low > 1


def test_two_causes_explain_their_common_caller() -> None:
    candidate = BASE.replace("100 ", "250 ").replace("300 ", "600 ")
    assert reported(compared(runs(BASE), runs(candidate, seed=2))) == [("x.Encode", "worse"), ("x.field", "worse")]


CHAIN = """
    main.main   main.main   main.main   main.main
    a/x.Serve   a/x.Serve   a/x.Serve   a/x.Log
    a/x.AddAll  a/x.AddAll  a/x.Decode  .
    a/x.Add     .           .           .
    {}          {}          60          200
"""


@pytest.mark.parametrize("seed", range(12))
def test_of_a_chain_of_thin_callers_the_innermost_is_reported(seed: int) -> None:
    """Whichever of them happens to be the most significant."""
    comparison = compared(runs(CHAIN.format(600, 30), 10, seed=seed), runs(CHAIN.format(690, 30), 10, seed=seed + 100))
    assert reported(comparison) == [("x.Add", "worse")]
    (caller,) = comparison.findings[0].attributed_callers
    assert caller.path == ("main.main", "a/x.Serve", "a/x.AddAll", "a/x.Add")


def test_a_caller_with_more_self_time_is_reported() -> None:
    comparison = compared(runs(CHAIN.format(600, 30), 10), runs(CHAIN.format(600, 150), 10, seed=2))
    assert reported(comparison) == [("x.AddAll", "worse")]


def test_swapped_sides_are_an_improvement() -> None:
    comparison = compared(runs(BASE.replace("100 ", "250 "), seed=2), runs(BASE))
    assert reported(comparison) == [("x.field", "better")]
    assert comparison.verdict == "improved"


def test_names_and_seeds_do_not_matter() -> None:
    renamed = BASE.replace("a/x", "z/y")
    for seed in (5, 6, 7):
        comparison = compared(runs(renamed, seed=seed), runs(renamed.replace("100 ", "250 "), seed=seed + 10))
        assert reported(comparison) == [("y.field", "worse")]


GROWTH = """
    main.main  main.main         main.main
    a/x.Serve  a/x.Serve         a/x.Serve
    a/x.Work   a/x.Clone         a/x.Clone
    .          runtime.newstack  .
    .          runtime.copystack .
    400        {}                60
"""


def test_stack_growth_is_a_category_attributed_to_the_function_that_grew() -> None:
    comparison = compared(runs(GROWTH.format(40)), runs(GROWTH.format(160), seed=2))
    assert reported(comparison) == [("stack-growth", "worse")]
    (caller,) = comparison.findings[0].attributed_callers
    assert (caller.function, caller.entry) == ("a/x.Clone", "runtime.newstack")
    assert "attributed to x.Clone" in comparison.findings[0].sentence
    assert "instead of" in comparison.findings[0].sentence


GC = """
    main.main runtime.gcBgMarkWorker runtime.bgsweep   main.main        main.main
    a/x.Work  runtime.gcDrain        runtime.sweepone  a/x.Make         a/x.Keep
    .         .                      .                 runtime.mallocgc runtime.mallocgc
    500       {}                     {}                {}               40
"""


def test_collector_parts_that_change_together_are_one_finding_at_the_allocating_caller() -> None:
    comparison = compared(runs(GC.format(20, 10, 20)), runs(GC.format(120, 60, 120), seed=2))
    assert reported(comparison) == [("gc", "worse"), ("allocation", "worse")]
    collected = comparison.findings[0]
    assert [part.subject for part in collected.contributions][:2] == ["gc-mark", "gc-sweep"]
    assert collected.attributed_callers[0].function == "a/x.Make"
    assert "what allocates more is x.Make" in collected.sentence


def test_a_single_changed_part_is_reported_by_its_own_name() -> None:
    comparison = compared(runs(GC.format(20, 10, 40)), runs(GC.format(120, 10, 40), seed=2))
    assert reported(comparison) == [("gc-mark", "worse")]


CHANNEL = """
    main.main main.main         main.main
    a/x.Work  a/x.Send          a/x.Send
    .         runtime.chansend1 runtime.chansend1
    .         runtime.chansend  runtime.lock2
    500       {}                {}
"""


def test_runtime_locks_are_named_by_their_entry_function() -> None:
    comparison = compared(runs(CHANNEL.format(30, 10)), runs(CHANNEL.format(35, 150), seed=2))
    lock = finding(comparison, "lock-runtime")
    assert "entered by channel operations" in lock.sentence
    assert [part.subject for part in lock.contributions] == ["runtime.chansend1"]


def test_a_helper_taken_out_is_a_move_and_no_finding() -> None:
    base = "main.main main.main\na/x.Serve a/x.Serve\na/x.Old a/x.Rest\n300 400"
    candidate = base.replace("a/x.Old", "a/x.New")
    comparison = compared(runs(base, 10), runs(candidate, 10, seed=2))
    assert reported(comparison) == []
    assert [(short(m.from_function), short(m.to_function), short(m.common_caller)) for m in comparison.cost_shifts] == [
        ("x.Old", "x.New", "x.Serve")
    ]
    assert "with the same total" in comparison.cost_shifts[0].sentence


def test_a_cost_shift_that_also_grew_is_reported_at_the_caller() -> None:
    base = "main.main main.main\na/x.Serve a/x.Other\na/x.Old .\n300 400"
    candidate = "main.main main.main\na/x.Serve a/x.Other\na/x.New .\n600 400"
    comparison = compared(runs(base, 10), runs(candidate, 10, seed=2))
    assert reported(comparison) == [("x.Serve", "worse")]
    assert len(comparison.cost_shifts) == 1


def test_one_profile_against_one_is_tentative_with_required_evidence() -> None:
    base = [artifact(stacks(BASE))]
    candidate = [artifact(stacks(BASE.replace("100 ", "900 ")))]
    comparison = compared(base, candidate)
    assert comparison.verdict == "inconclusive"
    assert reported(comparison) == [("x.field", "worse")]
    assert not comparison.findings[0].is_significant
    assert (comparison.findings[0].profiles_needed or 0) >= 1
    assert "single-profile" in {caveat.id for caveat in comparison.caveats}


def test_mixed_changes_are_decided_by_the_total() -> None:
    base = "main.main main.main main.main\na/x.A a/x.B a/x.C\n400 30 200"
    candidate = "main.main main.main main.main\na/x.A a/x.B a/x.C\n100 60 200"
    comparison = compared(runs(base, 10), runs(candidate, 10, seed=2))
    assert comparison.verdict == "improved"
    assert reported(comparison) == [("x.A", "better"), ("x.B", "worse")]  # what the verdict rests on comes first


def test_without_requests_or_duration_only_increased_shares_are_findings() -> None:
    base = "main.main main.main main.main\na/x.A a/x.B a/x.C\n200 300 200"
    candidate = "main.main main.main main.main\na/x.A a/x.B a/x.C\n200 900 200"
    sides = (runs(base, 10, requests=None, duration_ns=0), runs(candidate, 10, seed=2, requests=None, duration_ns=0))
    bare = [[artifact_without_window(each) for each in side] for side in sides]
    comparison = compared(bare[0], bare[1])
    assert reported(comparison) == [("x.B", "worse")]
    assert comparison.findings[0].normalization == "share"
    assert "share-only" in {caveat.id for caveat in comparison.caveats}


def artifact_without_window(each: ProfileArtifact) -> ProfileArtifact:
    return ProfileArtifact(each.name, each.table, RunMetadata(run=each.facts.run))


@pytest.mark.parametrize("kind", ["block", "goroutine", "mutex"])
def test_other_kinds_have_no_categories(kind: str) -> None:
    types = [("contentions", "count"), ("delay", "nanoseconds")]
    base = runs(GROWTH.format(40), kind=kind, types=types)
    candidate = runs(GROWTH.format(400), seed=2, kind=kind, types=types)
    comparison = compared(base, candidate)
    assert all(each.kind == "profile.function" for each in comparison.findings)
    assert (comparison.verdict == "regressed") is (kind == "mutex")


def test_waiting_per_second_is_not_cpu_time() -> None:
    more = BASE.replace("100 ", "250 ")
    types = [("contentions", "count"), ("delay", "nanoseconds")]
    waiting = [runs(each, requests=None, kind="mutex", types=types) for each in (BASE, more)]
    busy = [runs(each, seed=seed, requests=None) for seed, each in enumerate((BASE, more))]
    assert " ms per second instead of" in compared(*waiting).findings[0].sentence
    assert "CPU" not in compared(*waiting).findings[0].sentence
    assert " CPU s per second instead of" in compared(*busy).findings[0].sentence


def test_the_total_is_reported_when_no_part_explains_it() -> None:
    base = "\n".join(["main.main " * 40, " ".join(f"a/x{i}.F" for i in range(40)), "12 " * 40])
    candidate = base.replace("12 ", "16 ")
    sides = with_cpu(runs(base, 12)), with_cpu(runs(candidate, 12, seed=2))
    comparison = compared(at_times(sides[0], 10, every=40), at_times(sides[1], 30, every=40))
    assert comparison.verdict == "regressed"
    assert {each.subject for each in comparison.findings} <= {"total", "main.main"}
    assert finding(comparison, "total").mechanism == "The process uses more CPU, and no single part dominates."
    few = compared(at_times(sides[0][:3], 10, every=40), at_times(sides[1][:3], 30, every=40))
    assert few.verdict == "inconclusive"  # the variation of the total is mostly assumed


PARTS = """
    main.main  main.main  main.main  a/x.Collect
    a/x.Serve  a/x.Serve  a/x.Serve  runtime.gcBgMarkWorker
    a/x.Read   a/x.Write  a/x.Send   .
    {}         100        100        {}
"""


@pytest.mark.parametrize(
    ("grown", "part"),
    [
        (PARTS.format(100, 300), " Most of the change is in marking by the garbage collector ("),
        (PARTS.format(300, 80), " Most of the change is in x.Read ("),
        (PARTS.format(180, 150), ", and no single part dominates."),
    ],
)
def test_a_change_of_the_total_names_the_part_with_most_of_it(grown: str, part: str) -> None:
    sides = runs(PARTS.format(100, 80), 6), runs(grown, 6, seed=2)
    for words, (base, candidate) in (("more", sides), ("less", sides[::-1])):
        [cpu] = compared(base, candidate).kinds
        sentence = describe_total_change(cpu.comparison)
        assert sentence.startswith(f"The process uses {words} CPU")
        assert part in sentence


def test_samples_without_frames_and_unknown_frames_do_no_harm() -> None:
    samples = [((), 5), (("[unknown] libc.so", "runtime.memmove"), 5), (("main.main",), 50)]
    comparison = compared([artifact(samples)] * 3, [artifact(samples)] * 3)
    assert comparison.findings == ()


def test_empty_profiles_are_inconclusive() -> None:
    empty = [artifact([(("main.main",), 0)])] * 3
    comparison = compared(empty, empty)
    assert comparison.verdict == "inconclusive"
    assert comparison.findings == ()


def test_a_function_called_more_often_is_reported_without_its_callees() -> None:
    base = "main.main main.main main.main main.main\na/x.Serve a/x.Serve a/x.Serve a/x.Idle\na/x.A a/x.B a/x.C .\n200 200 200 300"
    assert reported(compared(runs(base), runs(base.replace("200", "300"), seed=2))) == [("x.Serve", "worse")]


def test_a_new_function_is_reported_whole_without_the_library_it_calls() -> None:
    base = "main.main main.main main.main\na/x.Serve a/x.Serve a/x.Serve\n. a/x.New a/x.New\n. slices.Sort math/rand.Int\n400 0 0"
    candidate = base.replace("400 0 0", "400 150 80")
    comparison = compared(runs(base), runs(candidate, seed=2))
    assert reported(comparison) == [("x.New", "worse")]


def test_a_library_function_is_attributed_to_the_user_function_that_calls_it() -> None:
    base = "main.main main.main main.main\na/x.Serve a/x.Work a/x.Work\nslices.Sort slices.Sort .\n100 100 900"
    comparison = compared(runs(base, 10), runs(base.replace("100 100 900", "100 500 900"), 10, seed=2))
    assert comparison.findings[0].attributed_callers[0].function == "a/x.Work"


def test_profiles_sampled_at_different_rates_are_compared_alike_in_both_orders() -> None:
    types = [("inuse_objects", "count"), ("inuse_space", "bytes")]
    stacks = [(("main.main", "a/x.Keep"), 2), (("main.main", "a/x.Hold"), 1)]
    others = [(("main.main", "b/y.Keep"), 9), (("main.main", "b/y.Hold"), 3)]
    fine = artifact(stacks, kind="heap", types=types, ticks=[1, 4096], period=1, duration_ns=0)
    coarse = artifact(others, kind="heap", types=types, ticks=[1, 524_288], period=524_288, duration_ns=0)
    there, back = compared([fine], [coarse]), compared([coarse], [fine])
    assert len(there.findings) == len(back.findings)


def test_the_compared_type_does_not_depend_on_the_order_of_the_sides() -> None:
    types = [("alloc_space", "bytes"), ("inuse_space", "bytes"), ("inuse_objects", "count")]
    stacks = [(("main.main", "a/x.Keep"), 200)]
    one = artifact(stacks, kind="heap", types=types, ticks=[1, 2, 3])
    other = artifact(stacks, kind="heap", types=types[::-1], ticks=[3, 2, 1])
    chosen = {compared([a], [b]).kinds[0].comparison.sets.sample_type for a, b in ((one, other), (other, one))}
    assert len(chosen) == 1
