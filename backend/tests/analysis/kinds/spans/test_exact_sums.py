"""Gaps and critical paths partition time exactly, for any tree."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.kinds.spans.call_paths import paths_of
from slowpath.analysis.kinds.spans.critical_path import critical_path
from slowpath.analysis.kinds.spans.span_columns import CLIENT, INTERNAL, SERVER
from slowpath.analysis.kinds.spans.span_forest import SpanForest
from slowpath.analysis.kinds.spans.span_gaps import NO_CHILD, added_ns, find_gaps, gap_edges, self_ns
from slowpath.analysis.kinds.spans.trace_waterfall import waterfall
from tests.analysis.documents import as_json
from tests.analysis.kinds.spans.generated_spans import Drawn, artifact_of, table_of

TIMES = st.integers(0, 24)


@st.composite
def trees(draw: st.DrawFn, depth: int = 0) -> Drawn:
    """Any tree: children overlap, touch, are outside, last no time, are not waited for."""
    start, length = draw(TIMES), draw(TIMES)
    children = draw(st.lists(trees(depth + 1), max_size=4)) if depth < 3 else []
    return Drawn(
        op=draw(st.sampled_from("abc")),
        start=start,
        end=start + length,
        children=tuple(children),
        service=draw(st.sampled_from(("x", "y"))),
        kind=draw(st.sampled_from((INTERNAL, CLIENT, SERVER))),
        is_async=draw(st.booleans()) and draw(st.booleans()),
    )


def forest_of(*roots: Drawn) -> SpanForest:
    return SpanForest.of([artifact_of(list(roots))])


def children_of(forest: SpanForest, row: int) -> list[int]:
    return np.flatnonzero(forest.parent == row).tolist()


def uncovered(forest: SpanForest, row: int) -> list[int]:
    """The moments of a span that no waited child covers, one by one."""
    start, end = int(forest.start_ns[row]), int(forest.end_ns[row])
    covered = {
        moment
        for child in children_of(forest, row)
        if not forest.async_[child]
        for moment in range(int(forest.start_ns[child]), int(forest.end_ns[child]))
    }
    return [moment for moment in range(start, end) if moment not in covered]


@given(st.lists(trees(), min_size=1, max_size=3))
def test_holes_are_what_children_leave_uncovered(roots: list[Drawn]) -> None:
    forest = forest_of(*roots)
    holes = find_gaps(forest)
    own = self_ns(forest, holes)
    for row in range(len(forest)):
        mine = np.flatnonzero(holes.span == row)
        pieces = [(int(holes.begin_ns[hole]), int(holes.end_ns[hole])) for hole in mine]
        assert [moment for begin, end in pieces for moment in range(begin, end)] == uncovered(forest, row)
        assert own[row] == len(uncovered(forest, row))
        for hole in mine:
            previous, following = int(holes.previous[hole]), int(holes.next[hole])
            if previous != NO_CHILD:
                assert forest.parent[previous] == row
                assert min(int(forest.end_ns[previous]), int(forest.end_ns[row])) == holes.begin_ns[hole]
            else:
                assert holes.begin_ns[hole] == forest.start_ns[row]
            if following != NO_CHILD:
                assert forest.parent[following] == row
                assert forest.start_ns[following] == holes.end_ns[hole]
            else:
                assert holes.end_ns[hole] == forest.end_ns[row]


@given(st.lists(trees(), min_size=1, max_size=3))
def test_gaps_of_calls_side_by_side_are_counted_once_and_never_beyond_the_request(roots: list[Drawn]) -> None:
    forest = forest_of(*roots)
    holes = find_gaps(forest)
    edge, edges = gap_edges(forest, holes)
    added = added_ns(forest, holes, edge)
    for trace, root in enumerate(forest.roots.tolist()):
        request = set(range(int(forest.start_ns[root]), int(forest.end_ns[root])))
        for number in range(len(edges)):
            mine = np.flatnonzero((edge == number) & (forest.trace[holes.span] == trace))
            opened = {moment for hole in mine for moment in range(int(holes.begin_ns[hole]), int(holes.end_ns[hole]))}
            assert added[mine].sum() == len(opened & request)


def by_definition(forest: SpanForest, span: int, low: int, high: int) -> dict[int, int]:
    """The walk as it is defined, by recursion."""
    own: dict[int, int] = {}

    def walk(span: int, low: int, high: int) -> None:
        moment = high
        ordered = sorted(
            (child for child in children_of(forest, span) if not forest.async_[child]),
            key=lambda child: (-int(forest.end_ns[child]), int(forest.start_ns[child]), child),
        )
        for child in ordered:
            begin, end = max(int(forest.start_ns[child]), low), int(forest.end_ns[child])
            answers = forest.kind[child] == SERVER and forest.kind[span] == CLIENT
            if moment <= low:
                break
            if end > moment:
                if not answers:
                    continue
                end = moment
            if end <= begin:
                continue
            own[span] = own.get(span, 0) + moment - end
            walk(child, begin, end)
            moment = begin
        own[span] = own.get(span, 0) + max(moment - low, 0)

    walk(span, low, high)
    return {row: ns for row, ns in own.items() if ns}


@given(st.lists(trees(), min_size=1, max_size=3))
def test_critical_paths_partition_their_roots(roots: list[Drawn]) -> None:
    forest = forest_of(*roots)
    starts = np.flatnonzero(forest.parent < 0).tolist()
    for root in starts:
        path = critical_path(forest, [root])
        start, end = int(forest.start_ns[root]), int(forest.end_ns[root])
        pieces = sorted(zip(path.start_ns.tolist(), path.end_ns.tolist(), strict=True))
        assert [moment for begin, stop in pieces for moment in range(begin, stop)] == list(range(start, end))
        sums = path.of_rows(len(forest))
        assert {row: int(ns) for row, ns in enumerate(sums) if ns} == by_definition(forest, root, start, end)
    paths = paths_of(forest)
    assert paths.critical_ns.sum() == forest.duration_ns[starts].sum()
    for row in range(len(forest)):
        names, above = [], row
        while above >= 0:
            names.append(forest.pair_names[int(forest.pair[above])])
            above = int(forest.parent[above])
        assert paths.names(int(paths.of_row[row])) == names[::-1]


@given(st.lists(trees(), min_size=1, max_size=2))
def test_a_waterfall_tells_the_same_sums(roots: list[Drawn]) -> None:
    page = as_json(waterfall(table_of(roots), 0))
    for span in page["spans"]:
        assert span["self_ns"] == sum(gap["end_ns"] - gap["start_ns"] for gap in span["gaps"])
    whole = sum(span["duration_ns"] for span in page["spans"] if span["parent"] is None)
    assert sum(piece["end_ns"] - piece["start_ns"] for piece in page["critical_path"]) == whole


def test_calls_that_follow_each_other_at_once_are_both_waited_for() -> None:
    forest = forest_of(Drawn("root", 0, 30, (Drawn("a", 0, 10), Drawn("b", 10, 20), Drawn("c", 20, 30))))
    assert critical_path(forest, [0]).of_rows(4).tolist() == [0, 10, 10, 10]


def test_a_child_that_outlasts_its_parent_was_not_waited_for() -> None:
    forest = forest_of(Drawn("root", 0, 30, (Drawn("slow", 5, 40), Drawn("fast", 5, 20))))
    assert critical_path(forest, [0]).of_rows(3).tolist() == [15, 0, 15]
    assert self_ns(forest, find_gaps(forest)).tolist() == [5, 35, 15]


def test_a_deep_chain_needs_no_recursion() -> None:
    span = Drawn("leaf", 5_000, 5_001)
    for level in range(5_000):
        span = Drawn("level", 4_999 - level, 5_002 + level, (span,))
    forest = forest_of(span)
    path = critical_path(forest, [0])
    assert path.of_rows(len(forest)).sum() == forest.duration_ns[0]
    assert len(paths_of(forest).parent) == len(forest)
