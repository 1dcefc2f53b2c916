"""Stacks cut off at the root side."""

from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import unite_stacks
from tests.analysis.kinds.profiles.generated_profiles import table
from tests.analysis.kinds.profiles.test_distinct_stacks import paths

CUT = "[root cut off]"


def stack(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def test_a_truncated_stack_is_grafted_where_its_first_frames_are_unique() -> None:
    complete = table([(stack("main serve a b c d leaf"), 1)])
    deep = table([((CUT, *stack("a b c d e f")), 1)])
    assert paths(unite_stacks([complete, deep])) == ["main serve a b c d e f", "main serve a b c d leaf"]


def test_one_more_frame_at_the_leaf_gives_no_false_root() -> None:
    complete = table([(stack("main serve a b c d"), 1)])
    base = table([((CUT, *stack("serve a b c d x")), 1)])
    candidate = table([((CUT, *stack("a b c d x helper")), 1)])
    found = paths(unite_stacks([complete, base, candidate]))
    assert found == ["main serve a b c d", "main serve a b c d x", "main serve a b c d x helper"]


def test_without_complete_stacks_the_less_cut_one_lends_its_root() -> None:
    base = table([((CUT, *stack("serve a b c d x")), 1)])
    candidate = table([((CUT, *stack("a b c d x helper")), 1)])
    assert paths(unite_stacks([base, candidate])) == [f"{CUT} serve a b c d x", f"{CUT} serve a b c d x helper"]


def test_ambiguous_stacks_stay_truncated() -> None:
    complete = table([(stack("main r a b c d"), 1), (stack("main s a b c d"), 1)])
    deep = table([((CUT, *stack("a b c d e")), 1)])
    assert f"{CUT} a b c d e" in paths(unite_stacks([complete, deep]))


def test_ambiguous_recursion_stays_truncated() -> None:
    complete = table([(stack("main walk walk walk walk walk walk leaf"), 1)])
    deep = table([((CUT, *stack("walk walk walk walk walk deep")), 1)])
    assert f"{CUT} walk walk walk walk walk deep" in paths(unite_stacks([complete, deep]))


def test_regrafted_stacks_join_existing_ones() -> None:
    complete = table([(stack("main a b c d e"), 2)])
    deep = table([((CUT, *stack("a b c d e")), 3)])
    found = unite_stacks([complete, deep])
    assert paths(found) == ["main a b c d e"]
    assert [got.sum() for _, got in found.values([complete, deep], [0, 0])] == [2, 3]


def test_a_short_cut_stack_is_left_alone() -> None:
    assert paths(unite_stacks([table([((CUT, "a"), 1)]), table([(stack("main a"), 1)])])) == [f"{CUT} a", "main a"]
