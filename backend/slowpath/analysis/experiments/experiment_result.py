"""The result of an experiment: the effects of all variants, and the best one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowpath.analysis.experiments.experiment_wording import describe_best
from slowpath.analysis.experiments.variant_effects import (
    BestVariant,
    Block,
    VariantEffect,
    estimate_effects,
    find_best,
)
from slowpath.analysis.experiments.variants import BASE


@dataclass(frozen=True)
class ExperimentResult:
    """Effects by variant and measure."""

    measure: str
    """The measure that decides which variant is best."""
    larger_is_better: frozenset[str]
    base: Mapping[str, float]
    """Mean of the unchanged commit by measure."""
    effects: Sequence[VariantEffect]
    best: BestVariant | None
    sentence: str


def summarize_experiment(
    blocks: Sequence[Block], variants: Sequence[str], measures: Sequence[str], primary: str, larger_is_better: frozenset[str]
) -> ExperimentResult:  # fmt: skip
    """Estimate all effects, and name the best variant by the measure `primary`."""
    effects = estimate_effects(blocks, variants, measures, larger_is_better)
    best = find_best(blocks, effects, primary, larger_is_better)
    values = {one: [block[BASE][one] for block in blocks if one in block.get(BASE, {})] for one in measures}
    base = {one: sum(some) / len(some) for one, some in values.items() if some}
    return ExperimentResult(primary, larger_is_better, base, effects, best, describe_best(best, effects, primary))
