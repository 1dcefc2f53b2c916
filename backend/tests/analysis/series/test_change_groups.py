from dataclasses import replace

import pytest

from slowpath.analysis.series.change_groups import SeriesChange, group
from slowpath.analysis.series.change_points import ChangePoint

AT_100 = ChangePoint(100, 99, 101, 0.10, 0.15, 1.5, 1.4, 1.6, 12.0)


def function(
    name: str, difference: float, *callers: str, category: str | None = None, score: float = 12.0
) -> SeriesChange:
    change = replace(AT_100, ratio=1.5 if difference > 0 else 0.5, score=score)
    return SeriesChange("function", name, change, difference, "CPU s/s", callers, category)


def other(kind: str, name: str, difference: float, score: float = 12.0) -> SeriesChange:
    change = replace(AT_100, ratio=1.5 if difference > 0 else 0.5, score=score)
    return SeriesChange(kind, name, change, difference, "CPU s/s")


def test_a_shift_from_one_function_to_another_under_a_caller_is_a_move() -> None:
    clone, bytes_ = function("Clone", -0.05, "copy", "serve"), function("cloneBytes", 0.051, "copy", "serve")
    (move,) = group([clone, bytes_])
    assert move.is_move
    assert move.under == "copy"
    assert move.net == pytest.approx(0.001)
    assert set(move.members) == {clone, bytes_}


def test_a_move_that_costs_more_than_it_saves_is_a_change() -> None:
    (change,) = group([function("Clone", -0.05, "copy"), function("cloneBytes", 0.10, "copy")])
    assert not change.is_move
    assert change.lead.subject == "cloneBytes"
    assert change.net == pytest.approx(0.05)


def test_costs_that_cancel_in_a_changed_caller_are_no_cost_shift() -> None:
    groups = group([
        function("Clone", -0.05, "copy"), function("cloneBytes", 0.05, "copy"), function("copy", 0.03, "serve"),
    ])  # fmt: skip
    assert [one.is_move for one in groups] == [False]


def test_a_function_its_caller_its_category_and_what_people_feel_are_one_change() -> None:
    leaf = function("cloneBytes", 0.050, "Clone", "serve", category="string-bytes")
    changes = [
        function("Clone", 0.052, "serve", score=14.0), leaf, other("category", "string-bytes", 0.05),
        other("category", "gc-mark", 0.02, 20.0), other("latency", "p99", 0.3, 30.0), other("total", "CPU", 0.07, 25.0),
    ]  # fmt: skip
    (change,) = group(changes)
    assert change.lead is leaf
    assert change.net == pytest.approx(0.052)
    assert len(change.members) == len(changes)


def test_a_garbage_collector_alone_leads() -> None:
    (change,) = group([other("category", "gc-mark", 0.02)])
    assert change.lead.subject == "gc-mark"


def test_functions_of_no_common_caller_are_two_changes() -> None:
    assert len(group([function("parse", 0.05, "read"), function("render", 0.03, "write")])) == 2


def test_changes_at_different_builds_are_different_changes() -> None:
    late = replace(AT_100, index=150, low_index=149, high_index=151)
    groups = group([function("parse", 0.05, "read"), replace(function("parse", 0.05, "read"), change=late)])
    assert [one.low_index for one in groups] == [99, 149]


def test_a_new_machine_is_distinguished_from_the_code() -> None:
    machine = replace(AT_100, cause="conditions")
    assert len(group([function("parse", 0.05, "read"), replace(function("scan", 0.05, "read"), change=machine)])) == 2


def test_the_range_of_a_group_is_what_its_members_agree_on() -> None:
    exact = replace(AT_100, low_index=100, high_index=103)
    (change,) = group([function("parse", 0.05, "read"), replace(function("scan", 0.05, "read"), change=exact)])
    assert (change.low_index, change.high_index) == (100, 101)


def test_moves_come_after_changes() -> None:
    groups = group([
        function("Clone", -0.05, "copy", score=40.0), function("cloneBytes", 0.05, "copy", score=40.0),
        function("parse", 0.05, "read", score=5.0),
    ])  # fmt: skip
    assert [one.is_move for one in groups] == [False, True]


def test_of_no_changes_there_are_no_groups() -> None:
    assert group([]) == ()
