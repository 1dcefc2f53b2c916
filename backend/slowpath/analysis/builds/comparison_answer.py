"""What the comparison of a build with an earlier build answers: changed, unchanged or inconclusive, and with which certainty."""

from dataclasses import dataclass
from typing import Final, Literal

from slowpath.analysis.findings.findings import Verdict

AnswerState = Literal["changed", "unchanged", "inconclusive"]
AnswerDirection = Literal["worse", "better", "mixed"]

ANNOUNCED_ERROR_RATE: Final = 0.005
"""Chance that a build without a change is announced: one in 200.

It is divided by the number of compared kinds and by `TEST_FAMILIES` (Bonferroni), so it holds for the build, whatever was uploaded.
"""
TEST_FAMILIES: Final = 3
"""Families of tests of a kind, each with one error rate: the total, runtime categories, functions."""


def announced_level(kinds: int) -> float:
    """Return the level that the q-value of a finding must reach to be announced, when so many kinds were compared."""
    return ANNOUNCED_ERROR_RATE / (TEST_FAMILIES * max(kinds, 1))


@dataclass(frozen=True)
class KindAnswer:
    """The verdict on one kind of artifact; `is_announced`: it changed, at the level of announcements."""

    kind: str
    verdict: Verdict
    is_announced: bool


@dataclass(frozen=True)
class ComparisonAnswer:
    """The answer of a comparison.

    `state` follows the verdict of the comparison; `is_announced` is a stricter test of the same change. `reason` is a
    clause to follow a colon. `bound`: the largest change (a ratio above 1) that the data of an unchanged build allow.
    `effect`: the change as a ratio of the total, above 1; None if the total is unknown. `profiles_needed`: more profiles
    per build until a verdict or an announcement is likely; None if more profiles would not help.
    """

    state: AnswerState
    direction: AnswerDirection | None
    is_announced: bool
    reason: str
    bound: float | None
    effect: float | None
    profiles_needed: int | None
    kinds: tuple[KindAnswer, ...]
