"""Effects and what their intervals assure."""

import math
from typing import Literal

import pytest

from slowpath.analysis.findings.findings import Effect


def effect(
    ratio: float | None, difference: float, low: float, high: float, ci_of: Literal["ratio", "difference"]
) -> Effect:
    return Effect(ratio, difference, low, high, 0.95, ci_of)


@pytest.mark.parametrize(
    ("given", "share"),
    [
        (effect(4.0, 3.0, 2.0, 8.0, "ratio"), 0.5),
        (effect(0.25, -3.0, 0.125, 0.5, "ratio"), 0.5),
        (effect(4.0, 3.0, 0.9, 18.0, "ratio"), 0.0),
        (effect(None, 10.0, 7.0, 13.0, "difference"), 0.7),
        (effect(None, -10.0, -13.0, -7.0, "difference"), 0.7),
        (effect(1.0, 0.0, 0.9, 1.1, "ratio"), 0.0),
        (effect(0.0, -3.0, 0.0, 0.0, "ratio"), 0.0),
        (effect(4.0, 3.0, -math.inf, math.inf, "difference"), 0.0),
    ],
)
def test_the_assured_share_is_what_the_closer_end_of_the_interval_leaves(given: Effect, share: float) -> None:
    assert given.assured_share == pytest.approx(share)
