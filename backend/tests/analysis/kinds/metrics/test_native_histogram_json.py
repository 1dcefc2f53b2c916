"""Native histograms out of the HTTP API's bounds: the resolution is the sender's, the numbers of buckets are, too."""

import math
import sys
from typing import Any

import pytest

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import IncomingHistogram
from slowpath.analysis.kinds.metrics.protocols.native_histogram_json import USUAL_THRESHOLD, parse_histograms
from slowpath.analysis.kinds.metrics.samples.series_data import RESET_UNKNOWN


def bucket(number: int, schema: int, count: float, *, below: bool = False) -> list[Any]:
    """Spell a bucket as Prometheus does: shortest texts of its bounds."""

    def bound(n: int) -> float:
        exponent = n * 2.0**-schema
        return math.inf if exponent > 1024 else sys.float_info.max if exponent == 1024 else 2.0**exponent

    lower, upper = bound(number - 1), bound(number)
    return [1, repr(-upper), repr(-lower), repr(count)] if below else [0, repr(lower), repr(upper), repr(count)]


def histogram_json(*buckets: list[Any], count: float = 7, summed: float = 1.5) -> dict[str, Any]:
    return {"count": repr(count), "sum": repr(summed), "buckets": list(buckets)}


@pytest.mark.parametrize("schema", range(-4, 9))
def test_each_resolution_is_read_off_its_bounds(schema: int) -> None:
    far = int(200 * 2.0**schema)
    numbers = sorted({-far, -3, 0, 1, 2, 17 if schema > 0 else 4, far})
    (found,) = parse_histograms([histogram_json(*(bucket(n, schema, i + 1.0) for i, n in enumerate(numbers)))])
    assert found is not None
    assert (found.schema, found.positive[0]) == (schema, tuple(numbers))
    assert found.positive[1] == tuple(float(i) for i in range(1, len(numbers) + 1))


def test_both_sides_zero_and_the_ends_of_numbers() -> None:
    top = 1024 * 8
    (found,) = parse_histograms(
        [
            histogram_json(
                bucket(2, 3, 5, below=True),
                [3, "-0.001", "0.001", "4"],
                bucket(9, 3, 1),
                bucket(top, 3, 2),
                bucket(top + 1, 3, 3),
            )
        ]
    )
    assert found == IncomingHistogram(
        3, 0.001, 4.0, 7.0, 1.5, ((9, top, top + 1), (1.0, 2.0, 3.0)), ((2,), (5.0,)), RESET_UNKNOWN, ()
    )


def test_empty_buckets_use_their_neighbors() -> None:
    empty, coarse, fine = (
        histogram_json(count=0),
        histogram_json([3, "-0.5", "0.5", "1"], bucket(3, 1, 1)),
        histogram_json(bucket(3, 4, 1)),
    )
    found = parse_histograms([empty, coarse, empty, fine, empty])
    assert [one.schema for one in found if one] == [1, 1, 1, 4, 4]
    assert {one.zero_threshold for one in found if one} == {0.5}
    (alone,) = parse_histograms([{"count": "0", "sum": "0"}])
    assert alone is not None
    assert (alone.schema, alone.zero_threshold) == (8, USUAL_THRESHOLD)


@pytest.mark.parametrize(
    "bounds", [("0", "0.1"), ("0.1", "0.25"), ("-Inf", "0.1"), ("1.7976931348623157e+308", "+Inf"), ("-1", "1")]
)
def test_custom_bounds_are_reported(bounds: tuple[str, str]) -> None:
    assert parse_histograms([histogram_json([0, *bounds, "2"]), histogram_json(bucket(1, 0, 1))])[0] is None
    assert parse_histograms([histogram_json(bucket(1, 0, 1), bucket(1, 1, 1))]) == [None]  # of two resolutions
    assert parse_histograms([histogram_json(bucket(1, 0, 1), [0, "10", "+Inf", "1"])]) == [None]
    assert parse_histograms([histogram_json([0, "1e300", repr(math.nextafter(1e300, math.inf)), "1"])]) == [None]


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"count": "x", "sum": "1"},
        histogram_json([0, "1"]),
        histogram_json([0, "a", "b", "c"]),
        histogram_json(*[[0, "1", "2", "1"]] * 5001),
    ],
)
def test_an_invalid_histogram_is_rejected(bad: dict[str, Any]) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        parse_histograms([bad])
