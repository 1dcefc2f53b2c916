"""Estimate what a comparison could conclude before it is computed, from counts and known dispersion alone.

The total of a side with n replicates varies by cv / sqrt(n), where cv is the relative variation between replicates of one
binary: the prior that comparisons of the kind use, corrected by the dispersion that was measured of builds of the service.
Kinds whose variation depends on the size of what was sampled (heap and other profiles, benchmarks) have no prior: without
builds, the replicates of the sides show it. Counting n
events cannot vary less than the square root of n. The minimum detectable ratio follows as in comparisons: the error of the
difference times the t-quantiles of the error rate and the power. It is an approximation: a comparison also estimates
dispersion from its own replicates, and tests functions, whose errors are larger than that of the total.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import exp, isfinite, log, sqrt
from typing import Final, Literal

import numpy as np

from slowpath.analysis.findings.wording import format_number, format_ratio, pluralize
from slowpath.analysis.kinds.benchmarks.benchmark_caveats import FEWEST_VALUES
from slowpath.analysis.kinds.benchmarks.benchmark_thresholds import BenchThresholds
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.kinds.growth_logs.growth_thresholds import GrowthThresholds
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.registry import (
    BENCHMARK,
    CPU_PROFILE,
    EXECUTION_TRACE,
    PROFILE,
    SPAN_SET,
    STACK_GROWTH,
    kind_of,
    name_stored_kind,
)
from slowpath.analysis.kinds.spans.span_thresholds import SpanThresholds
from slowpath.analysis.stats.t_distribution import t_quantile

ConclusionState = Literal["conclusive", "tentative", "not-compared"]
MOST_ADVISED: Final = 64
"""Replicates per side; more are not advised."""
UNMEASURABLE: Final = 100.0
"""Ratio above which nothing useful is detectable."""
RANK_TEST_EFFICIENCY: Final = 3 / np.pi
"""Of benchstat's rank test relative to a t-test of normal values (Hodges and Lehmann 1956)."""
SPAN_QUANTILE: Final = 0.9
"""The quantile at which gaps are tested first."""


@dataclass(frozen=True)
class EvidenceSide:
    """Artifacts of one kind on a side: their number, independent replicates among them, and events counted (None: unknown).

    Events are ticks of CPU profiles and stack growths; other kinds do not count events.
    """

    count: int
    replicates: int
    samples: float | None = None


@dataclass(frozen=True)
class Dispersion:
    """Relative standard deviation between replicates of one build, and its degrees of freedom."""

    cv: float
    df: float


@dataclass(frozen=True)
class Conclusion:
    """What one kind of evidence could show, in a sentence, and how to improve it."""

    evidence: str
    base_count: int
    candidate_count: int
    minimum_detectable_ratio: float | None
    state: ConclusionState
    sentence: str
    improvement: str | None


@dataclass(frozen=True)
class NoiseModel:
    """How the total of one kind varies between replicates, and what a comparison of it requires.

    `prior_cv` None: only history shows it. `counting` is the variance of a sample count over its mean, 0 if samples are not
    counts. `floor` is the smallest log ratio of a finding; with `adds_floor`, errors add to it. `fewest` replicates per side
    are required for a significant change, `advised` are recommended. `enough`: a comparison that detects this ratio can conclude
    that nothing changed.
    """

    prior_cv: float | None
    prior_df: float
    single_cv: float | None
    single_df: float
    counting: float
    confidence: float
    power: float
    floor: float
    fewest: int
    advised: int
    enough: float
    adds_floor: bool = False
    single_ratio: float = 1.0
    efficiency: float = 1.0

    def with_history(self, history: Dispersion | None) -> "NoiseModel":
        """Return the model with the prior corrected by measured dispersion, weighted by degrees of freedom."""
        if history is None or history.df <= 0:
            return self
        if self.prior_cv is None:
            return replace(self, prior_cv=history.cv, single_cv=history.cv)
        df = self.prior_df + history.df
        cv = sqrt((self.prior_df * self.prior_cv**2 + history.df * history.cv**2) / df)
        return replace(self, prior_cv=cv, single_cv=max(self.single_cv or cv, cv))

    def detectable(self, base: EvidenceSide, candidate: EvidenceSide) -> float | None:
        """Return the minimum detectable ratio of the total, or None if it cannot be estimated or nothing is detectable."""
        replicates = base.replicates, candidate.replicates
        if self.prior_cv is None or min(replicates) < 1:
            return None
        is_single = max(replicates) == 1
        cv = self.single_cv if is_single and self.single_cv is not None else self.prior_cv
        error = sqrt(sum(self._variance(side, cv) for side in (base, candidate)) / self.efficiency)
        df = np.array([self.single_df if is_single else self.prior_df + sum(replicates) - 2])
        reach = float(t_quantile(self.confidence, df)[0] + t_quantile(2 * self.power - 1, df)[0]) * error
        effect = self.floor + reach if self.adds_floor else max(self.floor, reach)
        ratio = max(exp(min(effect, 50.0)), self.single_ratio if is_single else 1.0)
        return ratio if isfinite(ratio) and ratio < UNMEASURABLE else None

    def _variance(self, side: EvidenceSide, cv: float) -> float:
        between = cv**2 / side.replicates
        return max(between, self.counting / side.samples) if self.counting and side.samples else between

    def replicates_for(self, ratio: float, base: EvidenceSide, candidate: EvidenceSide) -> int | None:
        """Return how many replicates per side, like those that there are, would detect a ratio; None if 64 do not."""
        sizes = [side.samples / side.replicates for side in (base, candidate) if side.samples and side.replicates]
        each = min(sizes) if sizes else None
        for count in range(max(self.fewest, min(base.replicates, candidate.replicates)), MOST_ADVISED + 1):
            side = EvidenceSide(count, count, each * count if each else None)
            found = self.detectable(side, side)
            if found is not None and found <= ratio:
                return count
        return None


def _of_cpu_profiles() -> NoiseModel:
    limits = ProfileThresholds()
    return NoiseModel(
        prior_cv=limits.prior_cv,
        prior_df=limits.prior_df_many,
        single_cv=limits.prior_cv * sqrt(limits.single_dispersion),
        single_df=limits.single_df,
        counting=limits.prior_dispersion,
        confidence=1 - limits.alpha_total,
        power=limits.power,
        floor=log(1 + limits.least_relative),
        fewest=limits.fewest_replicates,
        advised=limits.few_profiles,
        enough=limits.unchanged_within,
    )


def _of_other_profiles() -> NoiseModel:
    """Return the model of profiles whose variation depends on the size of what was sampled, which only history shows."""
    limits = ProfileThresholds()
    return replace(
        _of_cpu_profiles(),
        prior_cv=None,
        prior_df=limits.other_kinds_df,
        single_cv=None,
        counting=0.0,
        floor=log(1 + limits.least_relative_other_kinds),
        fewest=limits.fewest_for_other_kinds,
        advised=limits.fewest_for_other_kinds,
    )


def _of_quantiles(limits: TraceThresholds | SpanThresholds, cv: float) -> NoiseModel:
    return NoiseModel(
        prior_cv=cv,
        prior_df=limits.prior_df,
        single_cv=cv * limits.spread_single,
        single_df=limits.single_df,
        counting=0.0,
        confidence=limits.confidence,
        power=limits.power,
        floor=log(limits.least_ratio),
        fewest=2,
        advised=2,
        enough=limits.unchanged_within,
        adds_floor=True,
        single_ratio=limits.single_certain_ratio,
    )


def _of_growth_logs() -> NoiseModel:
    limits = GrowthThresholds()
    return NoiseModel(
        prior_cv=limits.prior_cv,
        prior_df=limits.prior_df_many,
        single_cv=limits.single_cv,
        single_df=limits.single_df,
        counting=limits.prior_dispersion,
        confidence=1 - limits.alpha_total,
        power=limits.power,
        floor=log(1 + limits.least_relative),
        fewest=limits.fewest_replicates,
        advised=limits.few_logs,
        enough=limits.unchanged_within,
    )


def _of_benchmarks() -> NoiseModel:
    limits = BenchThresholds()
    return NoiseModel(
        prior_cv=None,
        prior_df=0.0,
        single_cv=None,
        single_df=1.0,
        counting=0.0,
        confidence=1 - limits.alpha,
        power=ProfileThresholds().power,
        floor=log(1 + limits.least_relative),
        fewest=FEWEST_VALUES,
        advised=limits.enough_values,
        enough=limits.unchanged_within,
        efficiency=float(RANK_TEST_EFFICIENCY),
    )


_MODELS: Final[dict[str, Callable[[], NoiseModel]]] = {
    PROFILE.id: _of_other_profiles,
    EXECUTION_TRACE.id: lambda: _of_quantiles(TraceThresholds(), TraceThresholds().spread_waiting),
    SPAN_SET.id: lambda: _of_quantiles(SpanThresholds(), SpanThresholds().spread(SPAN_QUANTILE)),
    STACK_GROWTH.id: _of_growth_logs,
    BENCHMARK.id: _of_benchmarks,
}


def noise_model(stored_id: str) -> NoiseModel | None:
    """Return the model of artifacts that are stored with an id, or None if they are not compared."""
    kind = kind_of(stored_id)
    if stored_id == CPU_PROFILE:
        return _of_cpu_profiles()
    return _MODELS[kind.id]() if kind is not None and kind.id in _MODELS else None


def conclude(
    stored_id: str, base: EvidenceSide, candidate: EvidenceSide, history: Dispersion | None, *, is_explained: bool
) -> Conclusion | None:
    """Return what artifacts of one kind could show; None if it is not compared.

    `is_explained`: a difference of the sides other than the code could explain a change.
    """
    known = noise_model(stored_id)
    if known is None:
        return None
    model = known.with_history(history)
    ratio = model.detectable(base, candidate)
    state, sentence, improvement = _describe(_Sides(stored_id, base, candidate), model, ratio)
    if is_explained and state == "conclusive":
        state = "tentative"
        sentence += " The differences of the sides could explain it, so it is tentative at best."
    return Conclusion(stored_id, base.count, candidate.count, ratio, state, sentence, improvement)


@dataclass(frozen=True)
class _Sides:
    """Both sides with the words for their artifacts."""

    stored_id: str
    base: EvidenceSide
    candidate: EvidenceSide

    @property
    def noun(self) -> str:
        return name_stored_kind(self.stored_id)

    def count(self, number: int) -> str:
        """Return a number with the noun: "1 heap profile", "4 heap profiles"."""
        return pluralize(number, self.noun.removesuffix("s"), self.noun)

    def shorter(self) -> str:
        """Return the name of the side with fewer replicates."""
        return "base" if self.base.replicates <= self.candidate.replicates else "candidate"

    @property
    def fewest(self) -> int:
        return min(self.base.replicates, self.candidate.replicates)

    @property
    def counts(self) -> str:
        return f"{self.count(self.base.count)} in base, {self.candidate.count:,} in candidate"


def _describe(sides: _Sides, model: NoiseModel, ratio: float | None) -> tuple[ConclusionState, str, str | None]:
    if not sides.base.count or not sides.candidate.count:
        missing = "base" if not sides.base.count else "candidate"
        sentence = f"The {missing} has no {sides.noun}, so they are not compared."
        return "not-compared", sentence, _advise(sides, model.advised, missing)
    if sides.fewest < model.fewest:
        sentence = f"{sides.counts}: the variation between runs is unknown, so differences are tentative at best."
        return "tentative", sentence, _advise_more(sides, model)
    if ratio is None:
        sentence = (
            f"{sides.counts}: which change would be found is not known, because the variation between them could not be read. "
            "It is known once builds of the service with two or more each are measured."
        )
        return "tentative", sentence, _advise_more(sides, replace(model, fewest=model.advised))
    only = "only " if ratio > model.enough else ""
    sentence = f"{sides.counts}: {only}a change of the total by {format_change(ratio)} or more would be found."
    return "conclusive", sentence, _advise_smaller(sides, model) if only else None


def _advise(sides: _Sides, count: int, side: str) -> str:
    if kind_of(sides.stored_id) is BENCHMARK:
        return f"Run the benchmarks of the {side} with -count {2 * count - 2}."
    return f"Record {sides.count(count)} of the {side}."


def _advise_more(sides: _Sides, model: NoiseModel) -> str | None:
    """Advise the replicates that are missing on the shorter side, or on both."""
    missing = [max(0, model.fewest - side.replicates) for side in (sides.base, sides.candidate)]
    if not any(missing):
        return None
    if kind_of(sides.stored_id) is BENCHMARK:
        return _advise(sides, model.advised, sides.shorter())
    if all(missing):
        places = "per side" if missing[0] == missing[1] else f"of the base and {missing[1]} of the candidate"
        return f"Record {_more(sides, missing[0])} {places}."
    return f"Record {_more(sides, max(missing))} of the {sides.shorter()}."


def _more(sides: _Sides, count: int) -> str:
    noun = sides.noun.removesuffix("s") if count == 1 else sides.noun
    return f"{count} more {noun}"


def _advise_smaller(sides: _Sides, model: NoiseModel) -> str | None:
    """Advise how many replicates per side detect what is needed to conclude that nothing changed."""
    needed = model.replicates_for(model.enough, sides.base, sides.candidate)
    if needed is None or needed <= sides.fewest:
        return None
    if kind_of(sides.stored_id) is BENCHMARK:
        return f"Run the benchmarks with -count {needed} to find changes from {format_change(model.enough)}."
    return f"Record {sides.count(needed)} per side to find changes from {format_change(model.enough)}."


def format_change(ratio: float) -> str:
    """Format a ratio above 1 as a change: `4.1%`, or `×3.2` from twice on."""
    return f"{format_number(100 * (ratio - 1))}%" if ratio < 2 else format_ratio(ratio)
