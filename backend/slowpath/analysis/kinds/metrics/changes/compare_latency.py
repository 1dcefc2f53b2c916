"""Compare latency in two time ranges.

Findings are at most tentative, since the ranges differ in much else. The quantiles of all requests pooled are compared,
resampled by blocks of neighboring cells (`quantile_ratio`), with the floor and the variation between deployments of
`deployment_check`. Three quantiles are three tests: intervals hold for all of them together, q-values are adjusted
(Benjamini-Hochberg).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.random import Generator

from slowpath.analysis.findings.findings import (
    Caveat,
    CostShift,
    Direction,
    Effect,
    Finding,
    MinimumDetectableEffect,
    Verdict,
)
from slowpath.analysis.findings.latency_window import LatencyWindow
from slowpath.analysis.findings.wording import (
    format_duration,
    format_number,
    format_quantile_name,
    format_shift,
    join_list,
    pluralize,
)
from slowpath.analysis.kinds.metrics.changes.deployment_check import (
    FLOOR,
    HARM,
    LEAST_MINUTES,
    LEAST_REQUESTS,
    QUANTILES,
    SPREAD,
)
from slowpath.analysis.kinds.metrics.changes.quantile_ratio import RatioReplicates, ratios
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.histogram_cells import same_bounds

KIND: Final = "metrics.latency"
PROFILE: Final = "metrics"
ALPHA: Final = 0.05
LOAD_DIFFERS: Final = 1.1


@dataclass(frozen=True)
class LatencyComparison:
    """Base time range against candidate.

    No finding is ever certain, so the verdict is unchanged or inconclusive.
    """

    base: LatencyWindow
    candidate: LatencyWindow
    verdict: Verdict
    findings: tuple[Finding, ...]
    caveats: tuple[Caveat, ...]
    detectable: tuple[MinimumDetectableEffect, ...]
    cost_shifts: tuple[CostShift, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class _QuantileTest:
    """One quantile: its replicates, the interval that holds for all quantiles together, and its q-value."""

    quantile: float
    replicates: RatioReplicates
    low: float
    high: float
    q_value: float

    @property
    def direction(self) -> Direction | None:
        """Return the direction of a significant change beyond the floor."""
        if self.q_value > ALPHA:
            return None
        if self.low > FLOOR:
            return "worse"
        return "better" if self.high < 1 / FLOOR else None

    @property
    def beyond(self) -> float:
        """Return the smallest distance of the interval from no change, as a logarithm."""
        return float(np.log(self.low) if self.direction == "worse" else -np.log(self.high))


def compare_latency(base: LatencyWindow, candidate: LatencyWindow, rng: Generator) -> LatencyComparison:
    """Compare two time ranges; one finding for each direction in which quantiles changed."""
    caveats = [*_differences(base, candidate)]
    if base.latency is None or candidate.latency is None:
        missing = [name for name, side in (("base", base), ("candidate", candidate)) if side.latency is None]
        caveats.append(Caveat("latency-nothing", f"The time range of {join_list(missing)} has no latency histogram."))
        return LatencyComparison(base, candidate, "inconclusive", (), tuple(caveats), ())
    shared = same_bounds(base.latency, candidate.latency)
    if shared is None:
        caveats.append(Caveat("bounds-differ", "The histograms of both time ranges have no common bucket bounds."))
    if not all(_is_enough(side) for side in (base, candidate)):
        caveats.append(_few(base, candidate))
        shared = None
    if shared is None:
        return LatencyComparison(base, candidate, "inconclusive", (), tuple(caveats), ())
    replicates = ratios(*shared, QUANTILES, SPREAD * float(np.sqrt(2)), rng, paired=False).quantiles
    tested = _test_quantiles(replicates)
    caveats += _beyond_bounds(tested, float(shared[0].bounds[-2]))
    findings = _findings(tested, candidate)
    return LatencyComparison(
        base, candidate, _verdict(tested, findings), findings, tuple(caveats), _detectable(tested, candidate)
    )


def _is_enough(side: LatencyWindow) -> bool:
    return side.known_ms >= LEAST_MINUTES * MINUTE_MS and side.requests >= LEAST_REQUESTS


def _test_quantiles(replicates: dict[float, RatioReplicates]) -> list[_QuantileTest]:
    p_values = np.array([_p_value(each) for each in replicates.values()])
    q = q_values(p_values, np.ones(len(p_values)))
    tail = ALPHA / (2 * max(len(replicates), 1))
    return [
        _QuantileTest(quantile, each, each.bound(tail), each.bound(1 - tail), float(q[row]))
        for row, (quantile, each) in enumerate(replicates.items())
    ]


def _p_value(replicates: RatioReplicates) -> float:
    """Return the two-sided p-value: the share of replicates on the other side of no change."""
    logs = replicates.log_ratios
    other = min(int((logs <= 0).sum()), int((logs >= 0).sum()))
    return min(1.0, 2 * (other + 1) / (len(logs) + 1))


def _findings(tested: Sequence[_QuantileTest], candidate: LatencyWindow) -> tuple[Finding, ...]:
    directions: tuple[Direction, ...] = ("worse", "better")
    by_direction = [
        sorted((each for each in tested if each.direction == one), key=lambda m: -m.beyond) for one in directions
    ]
    return tuple(_finding(group[0], group[1:], candidate) for group in by_direction if group)


def _finding(leading: _QuantileTest, others: Sequence[_QuantileTest], candidate: LatencyWindow) -> Finding:
    replicates = leading.replicates
    difference = replicates.candidate_s - replicates.base_s
    worse = leading.direction == "worse"
    shift = format_shift(
        replicates.base_s * 1e9, replicates.candidate_s * 1e9, replicates.ratio, leading.low, leading.high
    )
    too = [f"{_name(each)} {_two(each.replicates)}" for each in sorted(others, key=lambda each: each.quantile)]
    also = f"; {join_list(too)}" if too else ""
    return Finding(
        kind=KIND,
        profile_kind=PROFILE,
        subject=candidate.service,
        direction="worse" if worse else "better",
        base=replicates.base_s,
        candidate=replicates.candidate_s,
        unit="seconds",
        change=Effect(replicates.ratio, difference, leading.low, leading.high, 1 - ALPHA, "ratio"),
        normalization="quantile",
        q_value=leading.q_value,
        attributed_callers=(),
        contributions=(),
        is_significant=False,
        profiles_needed=None,
        mechanism=(
            f"Requests to {candidate.service} {'took longer' if worse else 'took less time'} in the candidate's time range "
            "according to its histogram. Metrics do not show why."
        ),
        advice=(
            "Check the certain findings on profiles and traces of both builds for the cause; if there are none, run "
            "both builds at the same time, which removes load and neighbors from the comparison."
        ),
        sentence=f"{_name(leading)} latency of {candidate.service}: {shift}{also}.",
        quantile=leading.quantile,
        # At least the requests beyond the quantile take about that much longer.
        cost_s_per_s=difference * (1 - leading.quantile) * candidate.per_second,
    )


def _name(tested: _QuantileTest) -> str:
    return format_quantile_name(tested.quantile)


def _two(replicates: RatioReplicates) -> str:
    return f"{format_duration(replicates.base_s * 1e9)} → {format_duration(replicates.candidate_s * 1e9)}"


def _verdict(tested: Sequence[_QuantileTest], findings: Sequence[Finding]) -> Verdict:
    """Return unchanged if a harmful change in either direction is excluded for all quantiles."""
    inside = (each.replicates.bound(0.95) < HARM and each.replicates.bound(0.05) > 1 / HARM for each in tested)
    return "unchanged" if len(tested) == len(QUANTILES) and not findings and all(inside) else "inconclusive"


def _detectable(tested: Sequence[_QuantileTest], candidate: LatencyWindow) -> tuple[MinimumDetectableEffect, ...]:
    """Return the p99 ratio whose interval would just exceed the floor."""
    last = next((each for each in tested if each.quantile == QUANTILES[-1]), None)
    if last is None:
        return ()
    return (
        MinimumDetectableEffect(
            KIND, candidate.service, FLOOR * last.replicates.ratio / min(last.low, last.replicates.ratio)
        ),
    )


def _differences(base: LatencyWindow, candidate: LatencyWindow) -> Iterator[Caveat]:
    """Return differences of the time ranges other than the build."""
    yield Caveat(
        "before-after",
        "Latency was compared between two time ranges: a change of load, of neighbors or of the time of day would look the "
        "same, so differences are at most tentative. Run both builds at the same time.",
    )
    for what, one, other in (
        ("services", base.service, candidate.service),
        ("environments", base.environment, candidate.environment),
    ):
        if one != other:
            yield Caveat(
                f"latency-{what}", f"The time ranges are of different {what}: {one} in base, {other} in candidate."
            )
    rates = base.per_second, candidate.per_second
    if min(rates) > 0 and not 1 / LOAD_DIFFERS <= rates[1] / rates[0] <= LOAD_DIFFERS:
        yield Caveat(
            "latency-load",
            f"The load differs: {format_number(rates[0])} requests per second in base, {format_number(rates[1])} in "
            "candidate; latency changes with load, whatever the code does.",
        )
    if base.instances and candidate.instances and base.instances != candidate.instances:
        yield Caveat(
            "latency-instances",
            f"{pluralize(base.instances, 'instance')} in base, {candidate.instances} in candidate: "
            "each had a different share of the load.",
        )


def _few(base: LatencyWindow, candidate: LatencyWindow) -> Caveat:
    return Caveat(
        "few-requests",
        f"{base.requests:,} requests in {base.known_ms // MINUTE_MS} known minutes of base, {candidate.requests:,} in "
        f"{candidate.known_ms // MINUTE_MS} of candidate: at least {LEAST_REQUESTS} in {LEAST_MINUTES} minutes per side are "
        "needed.",
    )


def _beyond_bounds(tested: Sequence[_QuantileTest], highest_s: float) -> Iterator[Caveat]:
    exceeding = [
        _name(each) for each in tested if max(each.replicates.base_s, each.replicates.candidate_s) >= highest_s
    ]
    if exceeding:
        yield Caveat(
            "latency-highest-bucket",
            f"{join_list(exceeding)} {'is' if len(exceeding) == 1 else 'are'} above the highest bound of the histogram, "
            f"{format_duration(highest_s * 1e9)}: the value is unknown, and changes there are not fully visible.",
        )
