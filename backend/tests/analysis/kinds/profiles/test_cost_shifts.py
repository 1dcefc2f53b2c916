"""Cost shifts: what they are beneath a caller, beneath the process and in shares, and what they are not."""

from typing import Any

import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.go_function_names import short
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import runs

ALLOCS = {"kind": "allocs", "types": [("alloc_objects", "count"), ("alloc_space", "bytes")], "ticks": (1, 524_288)}
MUTEX = {"kind": "mutex", "types": [("contentions", "count"), ("delay", "nanoseconds")], "ticks": (1, 1_000_000)}


def absolute(drawing: str, seed: int) -> list[ProfileArtifact]:
    """Return CPU profiles whose load is known."""
    return runs(drawing, 10, seed=seed)


def shares(drawing: str, seed: int, **options: object) -> list[ProfileArtifact]:
    """Return profiles of which neither load nor duration is known."""
    made = runs(drawing, 10, seed=seed, requests=None, duration_ns=0, **options)
    return [ProfileArtifact(each.name, each.table, RunMetadata(run=each.facts.run)) for each in made]


def cost_shifts(comparison: ProfileComparison) -> set[frozenset[str]]:
    return {frozenset({short(each.from_function), short(each.to_function)}) for each in comparison.cost_shifts}


def subjects(comparison: ProfileComparison) -> set[tuple[str, str]]:
    return {(short(each.subject), each.direction) for each in comparison.findings if each.is_significant}


GO_STATEMENT = """
    a/x.(*Server).handle  a/x.(*Server).handle  main.main
    a/x.process           a/x.process           a/x.Accept
    a/x.parse             a/x.store             .
    300                   200                   400
"""
POOL = GO_STATEMENT.replace("a/x.(*Server).handle", "a/x.(*Pool).worker.func1")


def test_a_re_parented_root_is_a_shift_beneath_the_process() -> None:
    """A pool worker instead of a `go` statement: the work is the same, only its root frame has another name."""
    for sides in ((GO_STATEMENT, POOL), (POOL, GO_STATEMENT)):
        comparison = compared(absolute(sides[0], 1), absolute(sides[1], 2))
        assert subjects(comparison) == set()
        assert comparison.verdict == "unchanged"
        assert cost_shifts(comparison) == {frozenset({"x.(*Server).handle", "x.(*Pool).worker.func1"})}
        assert " under " not in comparison.cost_shifts[0].sentence


IN_THE_HANDLER = """
    n/http.serve  n/http.serve  n/http.serve  n/http.serve  main.main
    a/x.handle    a/x.handle    a/x.handle    a/x.encode    .
    a/x.process   a/x.process   a/x.decode    .             .
    a/x.apply     a/x.rank      .             .             .
    440           120           400           150           600
"""
IN_A_GOROUTINE = """
    a/x.process.func1  a/x.process.func1  n/http.serve  n/http.serve  n/http.serve  main.main
    a/x.apply          a/x.recurse        a/x.handle    a/x.handle    a/x.encode    .
    .                  .                  a/x.process   a/x.decode    .             .
    .                  .                  a/x.rank      .             .             .
    440                170                120           360           135           600
"""


def test_work_of_a_handler_in_a_goroutine_is_a_shift_and_only_what_is_new_in_it_a_finding() -> None:
    """The handler and its callers lose a little more than the work that moved; the goroutine has new work as well."""
    for sides, direction, verdict in (
        ((IN_THE_HANDLER, IN_A_GOROUTINE), "worse", "regressed"),
        ((IN_A_GOROUTINE, IN_THE_HANDLER), "better", "improved"),
    ):
        comparison = compared(absolute(sides[0], 1), absolute(sides[1], 2))
        assert cost_shifts(comparison) == {frozenset({"x.process", "x.process.func1"})}
        assert subjects(comparison) == {("x.recurse", direction)}
        assert comparison.verdict == verdict


RENAMED_ROOT = "a/x.(*Loop).run main.main\n300 500"


@pytest.mark.parametrize("new", ["a/x.(*Loop).runForever", "a/x.(*Runner).run", "b/y.(*Loop).run"])
def test_a_renamed_root_without_callees_is_recognized_by_its_name(new: str) -> None:
    comparison = compared(absolute(RENAMED_ROOT, 1), absolute(RENAMED_ROOT.replace("a/x.(*Loop).run", new), 2))
    assert subjects(comparison) == set()
    assert len(comparison.cost_shifts) == 1


def test_roots_that_do_not_resemble_each_other_are_no_shift() -> None:
    other = RENAMED_ROOT.replace("a/x.(*Loop).run", "c/z.Compact")
    comparison = compared(absolute(RENAMED_ROOT, 1), absolute(other, 2))
    assert comparison.cost_shifts == ()
    assert subjects(comparison) == {("z.Compact", "worse"), ("x.(*Loop).run", "better")}
    assert comparison.verdict == "mixed"


def test_a_renamed_root_that_grew_is_a_shift_and_its_net_growth_the_finding() -> None:
    grown = POOL.replace("300                   200", "480                   320")
    forward = compared(absolute(GO_STATEMENT, 1), absolute(grown, 2))
    assert cost_shifts(forward) == {frozenset({"x.(*Server).handle", "x.(*Pool).worker.func1"})}
    assert forward.verdict == "regressed"
    assert {direction for _, direction in subjects(forward)} == {"worse"}
    (first, *_) = forward.findings
    assert first.change.ratio == pytest.approx(1.6, rel=0.1)
    assert compared(absolute(grown, 2), absolute(GO_STATEMENT, 1)).verdict == "improved"


def test_a_renamed_leaf_that_grew_is_reported_with_both_names() -> None:
    drawing = "a/x.(*Loop).run main.main\n300 2000"
    comparison = compared(absolute(drawing, 1), absolute("a/x.(*Loop).runForever main.main\n450 2000", 2))
    assert len(comparison.cost_shifts) == 1
    (finding,) = [each for each in comparison.findings if each.subject == "a/x.(*Loop).runForever"]
    assert finding.sentence.startswith("x.(*Loop).runForever, formerly x.(*Loop).run, takes more time: ")
    assert finding.change.ratio == pytest.approx(1.5, rel=0.1)


METHOD = """
    main.main          main.main          main.main    main.main
    a/x.Serve          a/x.Serve          a/x.Serve    a/x.Log
    a/x.(*Store).Load  a/x.(*Store).Load  a/x.Decode   .
    a/x.(*Row).Clone   a/x.(*Row).Parse   .            .
    200                150                300          250
"""


@pytest.mark.parametrize("options", [ALLOCS, MUTEX, {}], ids=["allocs", "mutex", "cpu"])
@pytest.mark.parametrize("new", ["a/x.(*Store).Fetch", "a/x.(*Store).Load.func1", "b/z.Reader"])
def test_a_renamed_method_in_shares_is_a_shift_and_no_regression(options: dict[str, object], new: str) -> None:
    base, candidate = METHOD, METHOD.replace("a/x.(*Store).Load", new)
    for one, other in ((base, candidate), (candidate, base)):
        comparison = compared(shares(one, 1, **options), shares(other, 2, **options))
        assert subjects(comparison) == set()
        assert comparison.verdict == "inconclusive", "shares cannot prove that nothing changed"
        assert len(comparison.cost_shifts) == 1


def test_in_shares_a_new_function_with_a_different_loss_is_a_regression() -> None:
    grown = METHOD.replace("300          250", "300          250") + "\n"
    grown = METHOD.replace("a/x.Decode   .", "a/x.Decode   a/x.Format").replace("250", "700")
    comparison = compared(shares(METHOD, 1, **ALLOCS), shares(grown, 2, **ALLOCS))
    assert comparison.cost_shifts == ()
    assert comparison.verdict == "regressed"


UNRELATED = "main.main main.main main.main\na/x.Serve a/x.Serve a/x.Serve\na/x.Encode a/x.Decode a/x.Route\n{} {} 600"


def test_costs_of_functions_that_exist_on_both_sides_are_no_shift_though_they_cancel() -> None:
    comparison = compared(absolute(UNRELATED.format(200, 400), 1), absolute(UNRELATED.format(400, 200), 2))
    assert comparison.cost_shifts == ()
    assert subjects(comparison) == {("x.Encode", "worse"), ("x.Decode", "better")}
    assert comparison.verdict == "mixed"


def test_a_function_that_grew_by_much_more_than_fell_beside_it_is_the_finding() -> None:
    """What fell beside it is a small part of its growth: neither "with the same total", nor the caller's growth."""
    drawing = "main.main main.main main.main\na/x.Serve a/x.Serve a/x.Serve\na/x.Rank a/x.Parse a/x.Route\n{} {} 600"
    comparison = compared(absolute(drawing.format(20, 400), 1), absolute(drawing.format(420, 310), 2))
    assert comparison.cost_shifts == ()
    assert comparison.findings[0].subject == "a/x.Rank"
    assert comparison.verdict == "regressed"


def test_work_that_two_existing_functions_hand_over_is_a_shift() -> None:
    """`Encode` called `pack` and now `Flush` does: both exist on both sides, and the work moved between them."""
    base = """
        main.main   main.main   main.main  main.main
        a/x.Serve   a/x.Serve   a/x.Serve  a/x.Serve
        a/x.Encode  a/x.Encode  a/x.Flush  a/x.Route
        a/x.pack    .           .          .
        300         100         100        400
    """
    candidate = base.replace("a/x.Encode  a/x.Encode  a/x.Flush", "a/x.Flush  a/x.Encode  a/x.Flush")
    comparison = compared(absolute(base, 1), absolute(candidate, 2))
    assert subjects(comparison) == set()
    assert cost_shifts(comparison) == {frozenset({"x.Encode", "x.Flush"})}


def test_a_wrapper_around_all_that_a_caller_calls_is_no_new_work() -> None:
    base = "main.main main.main\na/x.Serve a/x.Idle\na/x.Decode .\n300 300"
    wrapped = "main.main main.main\na/x.Serve a/x.Idle\na/x.traced .\na/x.Decode .\n300 300"
    for sides in ((base, wrapped), (wrapped, base)):
        comparison = compared(absolute(sides[0], 1), absolute(sides[1], 2))
        assert subjects(comparison) == set()
        assert comparison.verdict == "unchanged"


def test_inlining_into_the_caller_is_a_shift() -> None:
    base = "main.main main.main main.main\na/x.Serve a/x.Serve a/x.Idle\na/x.hash . .\n200 200 300"
    inlined = "main.main main.main main.main\na/x.Serve a/x.Serve a/x.Idle\n. . .\n200 200 300"
    for sides in ((base, inlined), (inlined, base)):
        comparison = compared(absolute(sides[0], 1), absolute(sides[1], 2))
        assert subjects(comparison) == set()
        assert comparison.verdict == "unchanged"
        assert cost_shifts(comparison) == {frozenset({"x.hash", "x.Serve"})}


SORTED_BY_ONE_FUNCTION = """
    main.main    main.main    main.main
    a/x.entries  a/x.entries  a/x.idle
    b/sort.quick b/sort.quick .
    b/sort.few   .            .
    250          70           400
"""
SORTED_BY_ANOTHER = """
    main.main      main.main    main.main
    a/x.entries    a/x.entries  a/x.idle
    c/slices.Sort  c/slices.Sort  .
    .              c/slices.move  .
    240            75             400
"""


def test_work_that_shifted_once_is_stated_once() -> None:
    """Both functions of a chain vanished, and both were found where the same function appeared."""
    for sides in ((SORTED_BY_ONE_FUNCTION, SORTED_BY_ANOTHER), (SORTED_BY_ANOTHER, SORTED_BY_ONE_FUNCTION)):
        comparison = compared(absolute(sides[0], 1), absolute(sides[1], 2))
        assert comparison.verdict == "unchanged"
        assert len(comparison.cost_shifts) == 1


ONE_FUNCTION = """
    main.main   main.main         main.main   main.main
    a/x.Serve   a/x.Serve         a/x.Serve   a/x.Idle
    a/x.Match   a/x.contextSet    a/x.Encode  .
    .           b/http.Clone      .           .
    300         352               600         400
"""
IN_TWO_PARTS = """
    main.main   main.main            main.main             main.main   main.main
    a/x.Serve   a/x.Serve            a/x.Serve             a/x.Serve   a/x.Idle
    a/x.Match   a/x.requestWithVars  a/x.requestWithRoute  a/x.Encode  .
    .           b/http.Clone         b/http.Clone          .           .
    300         178                  174                   600         400
"""


@pytest.mark.parametrize("options", [ALLOCS, {}], ids=["allocs", "cpu"])
def test_a_function_whose_cost_went_to_two_new_ones_is_a_shift_to_both(options: dict[str, Any]) -> None:
    base, candidate = (runs(each, 10, seed=seed, **options) for seed, each in enumerate((ONE_FUNCTION, IN_TWO_PARTS)))
    for one, other in ((base, candidate), (candidate, base)):
        comparison = compared(one, other)
        assert subjects(comparison) == set()
        assert comparison.verdict == "unchanged"
        assert cost_shifts(comparison) == {
            frozenset({"x.contextSet", "x.requestWithVars"}),
            frozenset({"x.contextSet", "x.requestWithRoute"}),
        }
        assert sum(each.amount for each in comparison.cost_shifts) <= 1.1 * max(
            float(comparison.kinds[0].comparison.functions.estimates.base.max()),
            float(comparison.kinds[0].comparison.functions.estimates.candidate.max()),
        )


def test_a_function_that_shifted_to_two_new_ones_and_grew_is_reported_with_the_growth_of_both() -> None:
    grown = IN_TWO_PARTS.replace("178                  174 ", "278                  274 ")
    forward = compared(absolute(ONE_FUNCTION, 1), absolute(grown, 2))
    backward = compared(absolute(grown, 2), absolute(ONE_FUNCTION, 1))
    assert (forward.verdict, backward.verdict) == ("regressed", "improved")
    for comparison, ratio in ((forward, 552 / 352), (backward, 352 / 552)):
        (finding,) = [each for each in comparison.findings if each.is_significant]
        assert finding.change.ratio == pytest.approx(ratio, rel=0.1)


def test_a_function_that_only_has_the_size_of_another_is_possibly_that_one() -> None:
    """Equal callees are evidence; equal size and place are not, so the sentences say that it is a guess."""
    base = "main.main main.main\na/x.Serve a/x.Serve\na/x.Old a/x.Encode\n300 2500"
    for drawing, is_guess in ((base, True), (base.replace("300 ", "b/y.work .\n300 "), False)):
        grown = drawing.replace("a/x.Old", "c/z.Fresh").replace("300", "450")
        comparison = compared(absolute(drawing, 1), absolute(grown, 2))
        (shift,) = comparison.cost_shifts
        assert ("possibly shifted from x.Old to z.Fresh" in shift.sentence) == is_guess
        named = [each.sentence for each in comparison.findings if "formerly x.Old" in each.sentence]
        assert all(("possibly formerly" in sentence) == is_guess for sentence in named)
