"""The cause leads and not a function above it: changes are followed down to what holds most of them."""

import pytest

from slowpath.analysis.formats.go_function_names import short
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import runs


def subjects(comparison: ProfileComparison) -> list[str]:
    return [short(finding.subject) for finding in comparison.findings]


def against(drawing: str, before: str, after: str, count: int = 10, seed: int = 1) -> ProfileComparison:
    return compared(runs(f"{drawing}\n{before}", count, seed=seed), runs(f"{drawing}\n{after}", count, seed=seed + 100))


PRICE = """
    main.main      main.main      main.main      main.main
    a/e.Price      a/e.Price      a/e.Price      a/e.Serve
    a/m.Score      a/m.Score      a/e.rules      .
    a/m.dot        .              .              .
"""


@pytest.mark.parametrize("seed", range(6))
def test_a_callee_that_is_most_of_its_caller_and_grew_is_the_cause(seed: int) -> None:
    """It is 83 % of the caller's size, so it holds little more of the change than of the size."""
    comparison = against(PRICE, "60 440 100 400", "60 640 104 400", seed=seed)
    assert subjects(comparison)[0] == "m.Score"
    assert "of the change of e.Price" in comparison.findings[0].sentence


def test_a_caller_all_of_whose_callees_grew_alike_is_the_cause() -> None:
    """One callee holds 83 % of the increase, but no more than its part of the caller: it is called more often."""
    assert subjects(against(PRICE, "60 440 100 400", "96 704 160 400")) == ["e.Price"]


NEW_CHILD = """
    main.main     main.main     main.main     main.main           main.main
    a/z.ReadBatch a/z.ReadBatch a/z.ReadBatch a/z.ReadBatch       a/z.Write
    a/z.next      .             a/z.sort      a/z.sort            .
    .             .             .             a/z.NewCompare.func .
"""


def test_a_new_child_of_an_old_caller_is_the_cause() -> None:
    comparison = against(NEW_CHILD, "200 50 40 0 300", "203 50 42 150 300")
    assert subjects(comparison) == ["z.NewCompare.func"]
    sentence = comparison.findings[0].sentence
    assert "it is new, and" in sentence
    assert "of the change of z.sort" in sentence


def test_of_new_code_the_innermost_that_holds_most_is_the_cause() -> None:
    drawing = """
        main.main  main.main  main.main  main.main
        a/x.Serve  a/x.Serve  a/x.Serve  a/x.Rest
        .          a/x.Audit  a/x.Audit  .
        .          .          a/x.encode .
    """
    comparison = against(drawing, "300 0 0 200", "300 8 200 200")
    assert subjects(comparison) == ["x.encode"]
    assert "of the change of x.Serve" in comparison.findings[0].sentence


def test_a_new_call_of_an_old_function_is_attributed_to_the_new_caller() -> None:
    drawing = """
        main.main  main.main  main.main  main.main  main.main
        a/x.Serve  a/x.Serve  a/x.Serve  a/x.Rest   a/x.Rest
        .          a/x.Audit  a/x.Audit  a/x.encode .
        .          .          a/x.encode .          .
    """
    comparison = against(drawing, "300 0 0 200 200", "300 8 200 200 200")
    assert subjects(comparison) == ["x.Audit"]
    assert "in x.encode" in comparison.findings[0].sentence


def chain(depth: int, leaf: str) -> str:
    names = ["main.main", *(f"a/x.F{number}" for number in range(depth)), leaf]
    return "\n".join(f"{name} {name if number < 2 else '.'} a/x.Rest" for number, name in enumerate(names))


def test_a_deep_chain_of_wrappers_is_followed_to_its_end() -> None:
    comparison = against(chain(40, "a/x.leaf"), "200 30 300", "260 31 300", count=12)
    assert subjects(comparison) == ["x.leaf"]
    assert len(comparison.findings[0].attributed_callers[0].path) == 42


def test_recursion_is_followed_to_what_it_calls() -> None:
    drawing = """
        main.main  main.main  main.main  main.main
        a/x.Walk   a/x.Walk   a/x.Walk   a/x.Rest
        a/x.Walk   a/x.Walk   a/x.Walk   .
        a/x.visit  a/x.Walk   .          .
        .          a/x.visit  .          .
    """
    assert subjects(against(drawing, "100 100 100 300", "190 190 104 300")) == ["x.visit"]


def test_mutual_recursion_ends() -> None:
    drawing = """
        main.main main.main main.main
        a/x.A     a/x.A     a/x.Rest
        a/x.B     a/x.B     .
        a/x.A     a/x.A     .
        a/x.B     .         .
    """
    (subject,) = subjects(against(drawing, "200 100 300", "400 100 300"))
    assert subject in {"x.A", "x.B"}


def test_a_rename_does_not_hide_growth_below_it() -> None:
    """The old name lost what the new one gained; the net change is in a function that both call."""
    drawing = """
        main.main main.main main.main  main.main  main.main
        a/x.Serve a/x.Serve a/x.Serve  a/x.Serve  a/x.Rest
        a/x.Old   a/x.Old   a/x.New    a/x.New    .
        .         a/x.check .          a/x.check  .
    """
    comparison = against(drawing, "300 100 0 0 300", "0 0 300 300 300")
    assert subjects(comparison)[0] == "x.check"


PUSH = """
    main.main main.main        main.main main.main
    a/q.Push  a/q.Push         a/q.Push  a/q.Pop
    .         runtime.mallocgc a/q.grow  .
"""


def test_the_allocation_below_a_function_leads_if_it_explains_more() -> None:
    comparison = against(PUSH, "100 60 80 300", "190 165 80 300")
    assert subjects(comparison) == ["allocation", "q.Push"]
    first, second = comparison.findings
    assert "attributed to q.Push" in first.sentence
    assert second.change.difference > first.change.difference
    assert second.exclusive_difference == pytest.approx(second.change.difference - first.change.difference, rel=0.01)
    assert "of it in allocation" in second.sentence


def test_the_function_leads_if_it_explains_more_than_the_allocation_below_it() -> None:
    assert subjects(against(PUSH, "100 60 80 300", "320 130 80 300")) == ["q.Push", "allocation"]


def test_a_function_that_only_allocates_more_has_one_allocation_finding() -> None:
    assert subjects(against(PUSH, "100 60 80 300", "103 180 80 300")) == ["allocation"]


def test_bytes_allocated_below_a_function_are_attributed_to_the_allocating_function() -> None:
    drawing = """
        main.main  main.main  main.main main.main
        a/q.Serve  a/q.Serve  a/q.Serve a/q.Rest
        a/q.Push   a/q.Push   .         .
        .          a/q.grow   .         .
    """
    types = [("alloc_objects", "count"), ("alloc_space", "bytes")]
    base = runs(f"{drawing}\n50 300 80 400", 8, kind="allocs", types=types, ticks=[1, 524_288])
    candidate = runs(f"{drawing}\n50 900 80 400", 8, seed=2, kind="allocs", types=types, ticks=[1, 524_288])
    assert subjects(compared(base, candidate)) == ["q.grow"]


def test_inlining_the_caller_does_not_hide_what_it_called() -> None:
    """`helper` was inlined, so it is on no stack any more; what it called grew."""
    base = "main.main main.main main.main\na/x.Serve a/x.Serve a/x.Rest\na/x.helper . .\na/x.scan . .\n200 100 300"
    candidate = "main.main main.main main.main\na/x.Serve a/x.Serve a/x.Rest\na/x.scan . .\n. . .\n350 100 300"
    assert subjects(compared(runs(base, 10), runs(candidate, 10, seed=2)))[0] == "x.scan"


def test_two_causes_under_one_new_path_are_both_reported() -> None:
    drawing = """
        main.main  main.main  main.main  main.main
        a/x.Serve  a/x.Serve  a/x.Serve  a/x.Rest
        a/x.parse  a/x.check  a/x.reply  .
    """
    assert set(subjects(against(drawing, "100 100 300 300", "200 180 300 300"))) == {"x.parse", "x.check"}


PARSER = """
    main.main         main.main         main.main          main.main             main.main main.main
    a/p.parse         a/p.parse         a/p.parse          a/p.parse             a/p.parse .
    .                 a/p.newNode       a/p.newNode        a/p.newNode           a/p.scan  .
    .                 a/p.withChild     a/p.withChild      a/p.withChild         .         .
    .                 .                 a/p.copy           a/p.copy              .         .
    .                 .                 runtime.growslice  runtime.gcAssistAlloc .         runtime.gcBgMarkWorker
"""


def test_garbage_collection_does_not_hide_the_function_that_allocates() -> None:
    """Most of what `p.copy` takes is the collector's; it is the cause even so, and not a function above it."""
    comparison = against(PARSER, "60 0 0 0 40 20", "64 10 200 400 42 300")
    assert subjects(comparison)[:2] == ["p.copy", "gc"]
    assert "it is new" in comparison.findings[0].sentence


def test_findings_in_the_direction_of_the_verdict_come_first() -> None:
    drawing = "main.main main.main main.main\na/x.A a/x.B a/x.C"
    before, after = "100 400 300", "300 330 300"
    regressed, improved = against(drawing, before, after), against(drawing, after, before)
    assert (regressed.verdict, improved.verdict) == ("regressed", "improved")
    assert subjects(regressed) == subjects(improved) == ["x.A", "x.B"]
