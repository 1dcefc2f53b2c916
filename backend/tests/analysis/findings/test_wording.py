"""Numbers and sentences in texts."""

import pytest

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Effect


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"), (726.4, "726"), (62.04, "62.0"), (1.316, "1.32"), (0.5441, "0.544"), (0.00012, "0.00012"), (1e-5, "1.0e-05"),
        (12345.6, "12,346"), (-3.2, "−3.20"), (99.96, "100"), (9.996, "10.0"),
    ],
)  # fmt: skip
def test_number(value: float, text: str) -> None:
    assert wording.format_number(value) == text


@pytest.mark.parametrize(
    ("candidate", "base", "unit", "text"),
    [
        (726, 62, "us/request", "726 µs per request instead of 62.0"),
        (1500, 62, "us/request", "1.50 ms per request instead of 0.062"),
        (0.091, 0.31, "us/request", "91.0 ns per request instead of 310"),
        (5, 0, "us/request", "5.00 µs per request instead of none"),
        (0, 5, "us/request", "nothing instead of 5.00 µs per request"),
        (0.52, 0.3, "s/s", "0.52 CPU s per second instead of 0.3"),
        (0.052, 0.03, "s/s", "52.0 CPU ms per second instead of 30.0"),
        (0.25, 0.1, "share", "25.0% of the total instead of 10.0%"),
        (0, 0.1, "share", "nothing instead of 10.0% of the total"),
        (3 * 2**20, 2**20, "bytes/s", "3.00 MiB per second instead of 1.00"),
        (300, 100, "bytes/request", "300 bytes per request instead of 100"),
        (12, 3, "count/s", "12.0 times per second instead of 3.00"),
    ],
)
def test_the_old_value_is_last_in_the_same_unit(candidate: float, base: float, unit: str, text: str) -> None:
    assert wording.format_pair(candidate, base, unit) == text


def test_quantity_ratio_and_interval() -> None:
    assert wording.format_quantity(0.123, "share") == ("12.3%", "of the total")
    assert wording.format_quantity(1234, "us/request") == ("1.23", "ms per request")
    assert [wording.format_ratio(value) for value in (1.3161, 13.16, 1316, 0.0171, 0.0004)] == [
        "×1.32",
        "×13.2",
        "×1,316",
        "×0.017",
        "×< 0.001",
    ]
    assert wording.format_interval(1.281, 1.357) == "1.28 to 1.36"
    assert wording.format_interval(12.81, 13.57) == "12.8 to 13.6"
    assert wording.format_interval(128.1, 957.2) == "128 to 957"
    assert wording.format_interval(6.80, 19.246) == "6.80 to 19.2"
    assert wording.format_interval(0.0121, 0.0262) == "0.012 to 0.026"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (19.25, "19.3"), (19.246, "19.2"), (9.994, "9.99"), (9.996, "10.0"), (99.94, "99.9"), (99.96, "100"),
        (1.005, "1.01"), (1.845, "1.85"), (0.0994, "0.099"), (0.125, "0.13"), (0.0004, "< 0.001"),
    ],
)  # fmt: skip
def test_a_ratio_has_the_digits_of_the_pages(ratio: float, text: str) -> None:
    """The same values as in frontend/src/engine/format/format.test.ts."""
    assert wording.format_factor(ratio) == text


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (1.2, 1e206, "at least ×1.20"),
        (1.2, float("inf"), "at least ×1.20"),
        (0.0, 0.8, "at most ×0.80"),
        (0.0, 1e206, "not bounded"),
        (float("nan"), float("nan"), "not bounded"),
    ],
)
def test_an_unbounded_interval_names_only_the_bound_it_has(low: float, high: float, text: str) -> None:
    assert wording.format_interval(low, high) == text


def test_lists_and_plurals() -> None:
    assert wording.join_list(["a"]) == "a"
    assert wording.join_list(["a", "b", "c"]) == "a, b and c"
    assert wording.pluralize(1, "profile") == "1 profile"
    assert wording.pluralize(2, "is", "are") == "2 are"


def test_a_change_is_never_slower() -> None:
    change = Effect(2.0, 5.0, 1.5, 2.7, 0.95, "ratio")
    sentence = wording.change_sentence("x.F", "cpu", base=5, candidate=10, unit="us/request", change=change)
    assert sentence == "x.F takes more time: 10.0 µs per request instead of 5.00 (×2.00, 1.50 to 2.70)"
    gone = Effect(0.0, -5.0, -7.0, -3.0, 0.95, "difference")
    sentence = wording.change_sentence("x.F", "goroutine", base=5, candidate=0, unit="count/s", change=gone)
    assert sentence == "x.F has fewer goroutines: nothing instead of 5.00 times per second"
    assert "counts more" in wording.change_sentence("x.F", "other", base=1, candidate=2, unit="share", change=change)


def test_a_value_and_its_error_have_one_unit() -> None:
    assert wording.format_with_error(1990, 792, "nanoseconds/request") == "1.99 ± 0.792 µs per request"
    assert wording.format_with_error(2, 3000, "nanoseconds/request") == "0.002 ± 3.00 µs per request"
    assert wording.format_with_error(0.25, 0.01, "share") == "25.0 ± 1.00% of the total"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a.b/c.(*T).M", "c.(*T).M"),
        ("a.b/c.(*T[go.shape.[]int,go.shape.struct { a.b/c.X }]).M", "c.(*T[...]).M"),
        ("slices.SortFunc[go.shape.[]a.b/c.T].func1", "slices.SortFunc[...].func1"),
        ("[unknown]", "[unknown]"),
        ("odd]name[", "odd]name["),
        ("odd[name", "odd[name"),
    ],
)
def test_functions_are_named_without_type_arguments(name: str, shown: str) -> None:
    assert wording.function(name) == shown
