"""The lines of a function, and the lines that changed."""

from slowpath.verdicts.function_sources.rules import (
    LineRange,
    find_changed_lines,
    find_function_lines,
    split_lines,
)

FILE = 'package a\n\nimport "b"\n\n// F does.\nfunc F() {\n\tb.C()\n\tif x {\n\t}\n}\n\nfunc G() {\n}\n'


def test_a_function_is_returned_with_its_comment() -> None:
    lines = split_lines(FILE)
    assert find_function_lines(lines, [7, 8]) == LineRange(5, 10)
    assert find_function_lines(lines, [12]) == LineRange(12, 13)
    assert find_function_lines(lines, [0, 99]) is None


def test_a_function_that_is_too_long_is_cut_around_its_measured_lines() -> None:
    lines = ["func F() {", *(f"\tx({n})" for n in range(1_000)), "}"]
    assert find_function_lines(lines, [500]) == LineRange(300, 699, is_truncated=True)
    assert find_function_lines(lines, [2]) == LineRange(1, 400, is_truncated=True)
    assert find_function_lines(lines, [1_001]) == LineRange(603, 1_002, is_truncated=True)


def test_lines_are_counted_as_go_counts_them_and_hold_no_control_characters() -> None:
    assert split_lines("a\r\nb\x0cc\u2028d\x1b[31m\n" + 600 * "x") == ["a", "b\ufffdc\u2028d\ufffd[31m", 500 * "x"]


def test_changed_lines_are_those_that_the_other_side_has_not() -> None:
    assert find_changed_lines(["a", "b", "c"], ["a", "x", "y", "c"]) == (frozenset({1}), frozenset({1, 2}))
    assert find_changed_lines(["a"], ["a"]) == (frozenset(), frozenset())
