"""No verdict or finding in the opposite direction of a change: by the state of a process, or by a common factor."""

import pytest

from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison
from tests.analysis.kinds.profiles.compare_helpers import compared
from tests.analysis.kinds.profiles.generated_profiles import at_times, runs, with_cpu

NAMES = [f"a/x.F{number}" for number in range(12)]
IN_TURNS, LATER = 20.0, 400.0


def side(seed: int, counts: list[float], begin: float, swing: float) -> list[ProfileArtifact]:
    """Profiles of these counts; everything costs more and less in turns, by `swing`."""
    columns = " ".join(["main.main"] * len(NAMES)) + "\n" + " ".join(NAMES)
    made = []
    for number in range(8):
        factor = 1 + swing * (-1) ** (number // 2)
        drawing = columns + "\n" + " ".join(str(round(factor * count)) for count in counts)
        made += runs(drawing, 1, seed=100 * seed + number)
    return with_cpu(at_times(made, begin, every=40.0))


def found(base: list[float], candidate: list[float], begin: float, swing: float = 0.0) -> ProfileComparison:
    return compared(side(1, base, 10, swing), side(2, candidate, begin, swing))


@pytest.mark.parametrize(("begin", "verdict"), [(IN_TURNS, "improved"), (LATER, "inconclusive")])
def test_a_function_against_the_total_decides_nothing_between_consecutive_sides(begin: float, verdict: str) -> None:
    """The total, too uncertain for a verdict, rose while one function fell."""
    comparison = found([100.0] * 12, [20.0, *[108.0] * 6, *[111.0] * 5], begin, swing=0.15)
    assert comparison.kinds[0].comparison.categories.estimates.ratio[-1] > 1
    assert (NAMES[0], "better") in {
        (each.subject, each.direction) for each in comparison.findings if each.is_significant
    }
    assert comparison.verdict == verdict


def test_a_function_outside_of_a_large_change_did_not_change_the_other_way() -> None:
    """Most functions are part of the change, so it looks like a common factor; relative to that, the others fell."""
    base = [40.0] * 10 + [100.0] * 2
    comparison = found(base, [80.0] * 10 + [82.0] * 2, IN_TURNS)
    assert comparison.kinds[0].comparison.common.tested > 1.5
    assert comparison.verdict == "regressed"
    assert [finding.subject for finding in comparison.findings if finding.direction == "better"] == []
