"""Compare like the product, and detect results in the wrong direction."""

from collections.abc import Sequence

import numpy as np

from slowpath.analysis.findings.findings import Direction, Verdict
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import DEFAULT_THRESHOLDS
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import ProfileComparison, compare_profiles

OPPOSITE: dict[str, tuple[Verdict, Direction]] = {"worse": ("improved", "better"), "better": ("regressed", "worse")}
"""Verdict and direction of a finding that are wrong for an effect in this direction."""


def compared(base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact]) -> ProfileComparison:
    """Compare like the product."""
    return compare_profiles(base, candidate, DEFAULT_THRESHOLDS, np.random.default_rng(1), lambda _step, _done: None)


def is_wrong(comparison: ProfileComparison, direction: str) -> bool:
    """Return whether the verdict or a significant finding has the opposite direction of the only effect."""
    return is_opposite(comparison, direction) or bool(wrong_findings(comparison, direction))


def is_opposite(comparison: ProfileComparison, direction: str) -> bool:
    """Return whether the verdict has the opposite direction of the only effect."""
    return comparison.verdict == OPPOSITE[direction][0]


def wrong_findings(comparison: ProfileComparison, direction: str) -> list[str]:
    """Return the subjects of significant findings in the opposite direction of the only effect."""
    return [
        each.subject for each in comparison.findings if each.is_significant and each.direction == OPPOSITE[direction][1]
    ]
