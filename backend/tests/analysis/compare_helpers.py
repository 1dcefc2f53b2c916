"""A whole comparison of any artifacts in one word, for tests."""

from collections.abc import Sequence

import numpy as np

from slowpath.analysis.comparison.compare_sides import SideComparison, compare
from slowpath.analysis.kinds.comparison_sides import ComparisonSide
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact


def compared(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> SideComparison:
    """Compare two sides of profiles."""
    return compared_sides(ComparisonSide(profiles=tuple(base)), ComparisonSide(profiles=tuple(candidate)))


def compared_sides(base: ComparisonSide, candidate: ComparisonSide) -> SideComparison:
    """Compare two sides of anything."""
    return compare(base, candidate, {}, np.random.default_rng(1), _ignore_progress)


def _ignore_progress(_step: str, _fraction: float) -> None:
    """Progress goes nowhere."""
