"""A whole comparison of any artifacts in one word, for tests."""

from collections.abc import Sequence

import numpy as np

from slowpath.analysis.compare import Comparison, compare
from slowpath.analysis.profiles.artifact import ProfileArtifact
from slowpath.analysis.sides import Side


def compared(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> Comparison:
    """Compare two sides of profiles."""
    return compared_sides(Side(profiles=tuple(base)), Side(profiles=tuple(candidate)))


def compared_sides(base: Side, candidate: Side) -> Comparison:
    """Compare two sides of anything."""
    return compare(base, candidate, None, np.random.default_rng(1), _nobody_watches)


def _nobody_watches(_step: str, _fraction: float) -> None:
    """Progress goes nowhere."""
