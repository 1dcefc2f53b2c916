"""Sides captured one after the other: what varies between the halves of a side may vary between the sides."""

import pytest

from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import at_times, runs, with_cpu


def side(seed: int, functions: int, first: float, begin: float) -> list[ProfileArtifact]:
    """Return eight profiles; in the later four the first function costs more, the second less."""
    names = [f"a/x.F{number}" for number in range(functions)]
    made = []
    for number in range(8):
        swing = 0.08 if number >= 4 else -0.08
        counts = [first * (1 + swing), 300 * (1 - swing), *[300.0] * (functions - 2)]
        drawing = "\n".join(
            (" ".join(["main.main"] * functions), " ".join(names), " ".join(map(str, map(round, counts))))
        )
        made += runs(drawing, 1, seed=100 * seed + number)
    return with_cpu(at_times(made, begin, every=40.0))


@pytest.mark.parametrize(("functions", "is_found"), [(5, False), (30, True)])
def test_the_variation_within_sides_is_estimated_where_the_rest_has_too_few_parts(
    functions: int, is_found: bool
) -> None:
    """Of many other functions hardly one varies, so the change is not due to the state of the process."""
    comparison = compared(side(1, functions, 300.0, 10), side(2, functions, 620.0, 400))
    assert ("a/x.F0" in {each.subject for each in comparison.findings if each.is_significant}) == is_found
