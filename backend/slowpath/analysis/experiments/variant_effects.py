"""Estimate the effects of variants from randomized complete blocks.

Every block measures the base and each variant once, in random order. An effect is the mean of the differences within
blocks (paired t), so drift between blocks does not count, and no variant's noise enters the interval of another one. All
intervals of an experiment hold together with 95% (Bonferroni over variants and measures), so of experiments with placebos
only, at most one in twenty reports any effect.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.experiments.variants import BASE, PARENT
from slowpath.analysis.stats.t_distribution import t_quantile

F64 = NDArray[np.float64]
CONFIDENCE: Final = 0.95
POWER: Final = 0.8
LEAST_EFFECT: Final = 0.01
"""Smallest effect that is reported: another layout of code or stack alone changes times by about this much."""
LEAST_BLOCKS: Final = 3
MAX_BLOCKS: Final = 100

Verdict = Literal["better", "worse", "no effect", "not measured"]
Values = Mapping[str, float]
"""Values of one run by measure."""
Block = Mapping[str, Values]
"""Values of one block by build: `BASE`, `PARENT` and the variants' names."""


@dataclass(frozen=True)
class VariantEffect:
    """The effect of a variant on a measure, relative to the base: -0.2 is 20% less."""

    variant: str
    measure: str
    verdict: Verdict
    blocks: int
    value: float | None = None
    """Mean of the variant."""
    effect: float | None = None
    low: float | None = None
    high: float | None = None
    detectable: float | None = None
    """Smallest effect that would have been seen with a probability of 80%."""
    removes: "IncreaseShare | None" = None


@dataclass(frozen=True)
class IncreaseShare:
    """The share that a variant removes of the difference between the base and the culprit's parent, with its 95% CI."""

    share: float
    low: float
    high: float


@dataclass(frozen=True)
class BestVariant:
    """The variant that improves a measure most, and the others that are not certainly worse than it."""

    variant: str
    alike: tuple[str, ...]


def estimate_effects(
    blocks: Sequence[Block], variants: Sequence[str], measures: Sequence[str], larger_is_better: frozenset[str]
) -> list[VariantEffect]:
    """Estimate the effect of every variant on every measure, in the order of `variants`."""
    comparisons = max(len(variants) * len(measures), 1)
    return [
        _estimate_effect(blocks, variant, measure, comparisons, is_better_larger=measure in larger_is_better)
        for variant in variants
        for measure in measures
    ]


def find_best(
    blocks: Sequence[Block], effects: Sequence[VariantEffect], measure: str, larger_is_better: frozenset[str]
) -> BestVariant | None:
    """Return the variant that certainly improves a measure, the largest improvement of several; None without one."""
    better = [one for one in effects if one.measure == measure and one.verdict == "better" and one.variant != PARENT]
    if not better:
        return None
    sign = -1 if measure in larger_is_better else 1
    best = min(better, key=lambda one: sign * (one.effect or 0.0))
    others = [one.variant for one in better if one is not best]
    alike = []
    for other in others:
        log_differences, _ = _differences(*_pairs(blocks, best.variant, other, measure))
        _, low, high, _ = _interval(log_differences, len(others))
        if low <= 0 <= high:
            alike.append(other)
    return BestVariant(best.variant, tuple(alike))


def _pairs(blocks: Sequence[Block], one: str, other: str, measure: str) -> tuple[F64, F64]:
    """Return the values of two builds in the blocks that have both."""
    both = [
        (block[one][measure], block[other][measure])
        for block in blocks
        if measure in block.get(one, {}) and measure in block.get(other, {})
    ]
    values = np.array(both, dtype=np.float64).reshape(-1, 2)
    return values[:, 0], values[:, 1]


def _differences(base: F64, variant: F64) -> tuple[F64, bool]:
    """Return the differences within blocks, of logarithms or else in units of the mean size; whether of logarithms."""
    if len(base) and min(base.min(), variant.min()) > 0:
        return np.log(variant) - np.log(base), True
    size = float(np.abs(base).mean() or np.abs(variant).mean() or 1.0) if len(base) else 1.0
    return (variant - base) / size, False


def _interval(differences: F64, comparisons: int) -> tuple[float, float, float, float]:
    """Return mean, interval and standard error of paired differences, simultaneous over `comparisons`."""
    mean, count = float(differences.mean()), len(differences)
    error = float(differences.std(ddof=1)) / np.sqrt(count)
    half = _quantile(1 - (1 - CONFIDENCE) / comparisons, count) * error
    return mean, mean - half, mean + half, error


def _quantile(probability: float, count: int) -> float:
    return float(t_quantile(probability, np.array([count - 1.0]))[0])


def _estimate_effect(
    blocks: Sequence[Block], variant: str, measure: str, comparisons: int, *, is_better_larger: bool
) -> VariantEffect:
    base, values = _pairs(blocks, BASE, variant, measure)
    if len(base) < LEAST_BLOCKS:
        return VariantEffect(variant, measure, "not measured", len(base))
    differences, is_logarithm = _differences(base, values)
    mean, low, high, error = _interval(differences, comparisons)
    power = _quantile(2 * POWER - 1, len(base))
    detectable = LEAST_EFFECT + (high - mean) + power * error
    verdict: Verdict = "no effect"
    if low > LEAST_EFFECT or high < -LEAST_EFFECT:
        verdict = "better" if (low > 0) == is_better_larger else "worse"
    effect, low, high, detectable = (
        float(np.expm1(one)) if is_logarithm else one for one in (mean, low, high, detectable)
    )
    return VariantEffect(
        variant, measure, verdict, len(base), float(values.mean()), effect, low, high, detectable,
        _share_of_increase(blocks, variant, measure) if variant != PARENT else None,
    )  # fmt: skip


def _share_of_increase(blocks: Sequence[Block], variant: str, measure: str) -> IncreaseShare | None:
    """Return the removed share of the difference between base and parent with Fieller's interval.

    None without a parent, or if that difference may be zero.
    """
    complete = [one for one in blocks if all(measure in one.get(build, {}) for build in (BASE, PARENT, variant))]
    if len(complete) < LEAST_BLOCKS:
        return None
    base, parent, values = (np.array([one[build][measure] for one in complete]) for build in (BASE, PARENT, variant))
    removed, increase, count = base - values, base - parent, len(complete)
    covariance = np.cov(removed, increase) / count
    scale = _quantile(CONFIDENCE, count) ** 2
    up, down = float(removed.mean()), float(increase.mean())
    leading = down**2 - scale * float(covariance[1, 1])
    if leading <= 0:
        return None
    middle = (up * down - scale * float(covariance[0, 1])) / leading
    rest = (up**2 - scale * float(covariance[0, 0])) / leading
    half = float(np.sqrt(max(middle**2 - rest, 0.0)))
    return IncreaseShare(up / down, middle - half, middle + half)
