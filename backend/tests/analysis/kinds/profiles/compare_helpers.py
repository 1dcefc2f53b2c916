"""A whole comparison in one word, for tests."""

from collections.abc import Sequence

import numpy as np

from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import DEFAULT_THRESHOLDS
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison, compare_profiles


def compared(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> ProfileComparison:
    """Compare with the thresholds that the product uses."""
    return compare_profiles(base, candidate, DEFAULT_THRESHOLDS, np.random.default_rng(1), _ignore_progress)


def _ignore_progress(_step: str, _fraction: float) -> None:
    """Progress goes nowhere."""
