"""Distinct stacks of many profiles, and what is computed from them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.sets.profile_sets import make_sets
from slowpath.analysis.kinds.profiles.sets.stack_values import (
    SLICE_FRAMES,
    FunctionOccurrences,
    lay_out_stack_values,
    own_rows,
    slices,
)
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import DistinctStacks, unite_stacks
from slowpath.analysis.kinds.profiles.stacks.granularities import at_granularity
from slowpath.analysis.kinds.profiles.stacks.stack_frames import StackFrames, merged, number_equal, taken
from tests.analysis.kinds.profiles.generated_profiles import artifact, stacks, table

CPU = SampleType("cpu", "nanoseconds")


def paths(found: DistinctStacks) -> list[str]:
    return sorted(
        " ".join(found.labels[label].key for label in found.frames.label[a:b])
        for a, b in zip(found.frames.start[:-1], found.frames.start[1:], strict=True)
    )


def test_equal_stacks_of_several_profiles_become_one() -> None:
    one = table(stacks("main main\nserve idle"))
    two = table(stacks("main main\nserve other"))
    found = unite_stacks([one, two])
    assert paths(found) == ["main idle", "main other", "main serve"]
    values = [dict(zip(where.tolist(), got.tolist(), strict=True)) for where, got in found.values([one, two], [0, 0])]
    assert [len(each) for each in values] == [2, 2]
    assert len(set(values[0]) & set(values[1])) == 1


def test_a_sample_without_frames_is_a_stack_without_frames() -> None:
    found = unite_stacks([table([((), 2), (("main",), 1)])])
    assert paths(found) == ["", "main"]
    assert sorted(found.frames.depth.tolist()) == [0, 1]


def test_closures_share_a_key_and_show_their_name_only_when_it_is_one() -> None:
    alone = unite_stacks([table(stacks("main\nmain.New.func2"))])
    shared = unite_stacks([table(stacks("main main\nmain.New.func1 main.New.func2"))])
    assert [label.name for label in alone.labels[1:]] == ["main", "main.New.func2"]
    assert [label.name for label in shared.labels[1:]] == ["main", "main.New.func"]


def test_lines_distinguish_stacks_of_equal_functions() -> None:
    tables = [table([(("main:1", "f:7"), 1), (("main:1", "f:8"), 1)])]
    functions = unite_stacks(tables)
    assert functions.frames.count == 1
    lines = at_granularity(functions, tables, "line")
    assert lines.frames.count == 2
    assert lines.frames.line is not None
    assert sorted(lines.frames.line.tolist()) == [1, 1, 7, 8]


def test_packages_are_runs_of_frames() -> None:
    tables = [table(stacks("main.main\na/x.F\na/x.G\nb.H\na/x.F"))]
    packages = at_granularity(unite_stacks(tables), tables, "package")
    assert paths(packages) == ["main a/x b a/x"]


def test_recursion_counts_once_in_totals() -> None:
    drawn = [artifact(stacks("main main\nwalk walk\nwalk leaf\nwalk .\n3 4"))]
    sets = make_sets(drawn, drawn, SampleType("samples", "count"))
    assert sets is not None
    found = unite_stacks([a.table for a in sets.artifacts])
    measured = lay_out_stack_values(found, sets)
    occurrences = FunctionOccurrences.of(found.frames, len(found.labels))
    totals = dict(zip([label.key for label in found.labels], occurrences.rows(measured)[:, 0].tolist(), strict=True))
    own = dict(
        zip(
            [label.key for label in found.labels],
            own_rows(measured, found.frames, len(found.labels))[:, 0].tolist(),
            strict=True,
        )
    )
    assert totals == {"": 0, "main": 7, "walk": 7, "leaf": 4}
    assert own == {"": 0, "main": 0, "walk": 3, "leaf": 4}


words = st.lists(st.lists(st.integers(1, 4), max_size=6), min_size=1, max_size=12)


def frames_of(drawn: list[list[int]]) -> StackFrames:
    start = np.concatenate([[0], np.cumsum([len(stack) for stack in drawn])])
    return StackFrames(start, np.array([label for stack in drawn for label in stack], dtype=np.int32))


@given(words)
def test_occurrences_agree_with_sets(drawn: list[list[int]]) -> None:
    frames = frames_of(drawn)
    occurrences = FunctionOccurrences.of(frames, 5)
    value = np.arange(1.0, len(drawn) + 1)
    expected = [sum(v for stack, v in zip(drawn, value, strict=True) if label in stack) for label in range(5)]
    assert occurrences.sums(value).tolist() == expected
    for label in range(1, 5):
        assert occurrences.holding(label).tolist() == [label in stack for stack in drawn]


@given(words)
def test_merging_keeps_each_distinct_stack_once(drawn: list[list[int]]) -> None:
    ids, stored = merged(frames_of(drawn))
    assert stored.count == len({tuple(stack) for stack in drawn})
    for i, stack in enumerate(drawn):
        assert taken(stored, ids[i : i + 1]).label.tolist() == stack


@given(st.lists(st.integers(0, 5), max_size=30))
def test_numbers_follow_first_appearance(values: list[int]) -> None:
    ids, first = number_equal(np.array(values, dtype=np.uint64))
    expected = list(dict.fromkeys(values))
    assert [expected[i] for i in ids.tolist()] == values
    assert [values[i] for i in first.tolist()] == expected


def test_slices_hold_every_stack_once_however_deep() -> None:
    frames = StackFrames(np.array([0, 1, 1, SLICE_FRAMES * 3, SLICE_FRAMES * 3 + 2]), np.zeros(0, dtype=np.int32))
    assert list(slices(frames)) == [(0, 2), (2, 3), (3, 4)]
