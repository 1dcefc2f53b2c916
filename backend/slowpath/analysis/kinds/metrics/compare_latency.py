"""Is latency in one window of time another than in an earlier one? Told as likely at most: two windows differ in much else.

What is compared are quantiles of all requests pooled, drawn again by blocks of neighbouring cells (`quantile_ratio`), with
the floor and the spread between placements of `deploy_check`. Three quantiles are three questions: intervals hold for all of
them together, q values are theirs (Benjamini-Hochberg).
"""

from collections.abc import Callable, Iterator, Sequence
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
from slowpath.analysis.kinds.comparison_sides import Sides
from slowpath.analysis.kinds.metrics.deployment_check import (
    FLOOR,
    HARM,
    LEAST_MINUTES,
    LEAST_REQUESTS,
    QUANTILES,
    SPREAD,
)
from slowpath.analysis.kinds.metrics.quantile_ratio import RatioReplicates, ratios
from slowpath.analysis.kinds.metrics.service_cells import MINUTE_MS
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.histogram_cells import same_bounds

KIND: Final = "metrics.latency"
PROFILE: Final = "metrics"
ALPHA: Final = 0.05
LOAD_DIFFERS: Final = 1.1


@dataclass(frozen=True)
class LatencyComparison:
    """Base window against candidate window. No finding is ever certain, so the verdict is unchanged or inconclusive."""

    base: LatencyWindow
    candidate: LatencyWindow
    verdict: Verdict
    findings: tuple[Finding, ...]
    doubts: tuple[Caveat, ...]
    detectable: tuple[MinimumDetectableEffect, ...]
    moves: tuple[CostShift, ...] = ()
    reason: str | None = None


@dataclass(frozen=True)
class _QuantileTest:
    """One quantile: its replicates, the interval that holds for all quantiles together, and its q value."""

    quantile: float
    replicates: RatioReplicates
    low: float
    high: float
    q_value: float

    @property
    def direction(self) -> Direction | None:
        """Where it went, beyond chance and the floor."""
        if self.q_value > ALPHA:
            return None
        if self.low > FLOOR:
            return "worse"
        return "better" if self.high < 1 / FLOOR else None

    @property
    def beyond(self) -> float:
        """How far the interval lies from no change at least, as a logarithm."""
        return float(np.log(self.low) if self.direction == "worse" else -np.log(self.high))


def compare_sides(sides: Sides, _progress: Callable[[str, float], None]) -> LatencyComparison:
    """Compare the windows of two sides; raises `ValueError` where a side has none."""
    base, candidate = sides.base.latency, sides.candidate.latency
    if base is None or candidate is None:
        raise ValueError("a window of metrics is needed on both sides")
    return compare_latency(base, candidate, sides.rng)


def compare_latency(base: LatencyWindow, candidate: LatencyWindow, rng: Generator) -> LatencyComparison:
    """Compare two windows; one finding for each direction in which quantiles moved."""
    doubts = [*_unlike(base, candidate)]
    if base.latency is None or candidate.latency is None:
        missing = [name for name, side in (("base", base), ("candidate", candidate)) if side.latency is None]
        doubts.append(
            Caveat("latency-nothing", f"No histogram of latency came in in the window of {join_list(missing)}.")
        )
        return LatencyComparison(base, candidate, "inconclusive", (), tuple(doubts), ())
    shared = same_bounds(base.latency, candidate.latency)
    if shared is None:
        doubts.append(Caveat("bounds-differ", "The histograms of both windows have no bucket bounds in common."))
    if not all(_is_enough(side) for side in (base, candidate)):
        doubts.append(_few(base, candidate))
        shared = None
    if shared is None:
        return LatencyComparison(base, candidate, "inconclusive", (), tuple(doubts), ())
    drawn = ratios(*shared, QUANTILES, SPREAD * float(np.sqrt(2)), rng, paired=False).quantiles
    judged = _judged(drawn)
    doubts += _beyond_bounds(judged, float(shared[0].bounds[-2]))
    findings = _findings(judged, candidate)
    return LatencyComparison(
        base, candidate, _verdict(judged, findings), findings, tuple(doubts), _detectable(judged, candidate)
    )


def _is_enough(side: LatencyWindow) -> bool:
    return side.known_ms >= LEAST_MINUTES * MINUTE_MS and side.requests >= LEAST_REQUESTS


def _judged(drawn: dict[float, RatioReplicates]) -> list[_QuantileTest]:
    p_values = np.array([_p_value(each) for each in drawn.values()])
    q = q_values(p_values, np.ones(len(p_values)))
    tail = ALPHA / (2 * max(len(drawn), 1))
    return [
        _QuantileTest(quantile, each, each.bound(tail), each.bound(1 - tail), float(q[row]))
        for row, (quantile, each) in enumerate(drawn.items())
    ]


def _p_value(replicates: RatioReplicates) -> float:
    """Two-sided: how many replicates lie on the other side of no change."""
    logs = replicates.log_ratios
    other = min(int((logs <= 0).sum()), int((logs >= 0).sum()))
    return min(1.0, 2 * (other + 1) / (len(logs) + 1))


def _findings(judged: Sequence[_QuantileTest], candidate: LatencyWindow) -> tuple[Finding, ...]:
    directions: tuple[Direction, ...] = ("worse", "better")
    moved = [sorted((each for each in judged if each.direction == one), key=lambda m: -m.beyond) for one in directions]
    return tuple(_finding(group[0], group[1:], candidate) for group in moved if group)


def _finding(leading: _QuantileTest, others: Sequence[_QuantileTest], candidate: LatencyWindow) -> Finding:
    drawn = leading.replicates
    difference = drawn.candidate_s - drawn.base_s
    worse = leading.direction == "worse"
    told = format_shift(drawn.base_s * 1e9, drawn.candidate_s * 1e9, drawn.ratio, leading.low, leading.high)
    too = [f"{_name(each)} {_two(each.replicates)}" for each in sorted(others, key=lambda each: each.quantile)]
    also = f"; {join_list(too)}" if too else ""
    return Finding(
        kind=KIND,
        profile_kind=PROFILE,
        subject=candidate.service,
        direction="worse" if worse else "better",
        base=drawn.base_s,
        candidate=drawn.candidate_s,
        unit="seconds",
        change=Effect(drawn.ratio, difference, leading.low, leading.high, 1 - ALPHA, "ratio"),
        normalization="quantile",
        q_value=leading.q_value,
        attributed_callers=(),
        contributions=(),
        is_significant=False,
        profiles_needed=None,
        mechanism=(
            f"Requests to {candidate.service} {'took longer' if worse else 'were answered sooner'} in the candidate's window "
            "by its own histogram. Metrics tell that, and not why."
        ),
        advice=(
            "Look at the certain findings on profiles and traces of both builds for the cause; where there are none, run "
            "both builds at the same time, which takes load and neighbours out of the comparison."
        ),
        sentence=f"{_name(leading)} latency of {candidate.service}: {told}{also}.",
        quantile=leading.quantile,
        # At least the share of requests beyond the quantile takes about so much longer.
        cost_s_per_s=difference * (1 - leading.quantile) * candidate.per_second,
    )


def _name(judged: _QuantileTest) -> str:
    return format_quantile_name(judged.quantile)


def _two(drawn: RatioReplicates) -> str:
    return f"{format_duration(drawn.base_s * 1e9)} → {format_duration(drawn.candidate_s * 1e9)}"


def _verdict(judged: Sequence[_QuantileTest], findings: Sequence[Finding]) -> Verdict:
    """Unchanged where more than what would do harm, either way, is excluded for all quantiles."""
    inside = (each.replicates.bound(0.95) < HARM and each.replicates.bound(0.05) > 1 / HARM for each in judged)
    return "unchanged" if len(judged) == len(QUANTILES) and not findings and all(inside) else "inconclusive"


def _detectable(judged: Sequence[_QuantileTest], candidate: LatencyWindow) -> tuple[MinimumDetectableEffect, ...]:
    """The p99 ratio whose interval would just have cleared the floor."""
    last = next((each for each in judged if each.quantile == QUANTILES[-1]), None)
    if last is None:
        return ()
    return (
        MinimumDetectableEffect(
            KIND, candidate.service, FLOOR * last.replicates.ratio / min(last.low, last.replicates.ratio)
        ),
    )


def _unlike(base: LatencyWindow, candidate: LatencyWindow) -> Iterator[Caveat]:
    """What the windows differ in beside the build."""
    yield Caveat(
        "before-after",
        "Latency was compared between two windows of time: a change of load, of neighbours or of the day would look the "
        "same, so what differs is likely at most. Both builds at the same time would tell.",
    )
    for what, one, other in (
        ("services", base.service, candidate.service),
        ("environments", base.environment, candidate.environment),
    ):
        if one != other:
            yield Caveat(
                f"latency-{what}", f"The windows are of different {what}: {one} in base, {other} in candidate."
            )
    rates = base.per_second, candidate.per_second
    if min(rates) > 0 and not 1 / LOAD_DIFFERS <= rates[1] / rates[0] <= LOAD_DIFFERS:
        yield Caveat(
            "latency-load",
            f"The load differs: {format_number(rates[0])} requests a second in base's window, {format_number(rates[1])} in the "
            "candidate's; latency changes with load, whatever the code does.",
        )
    if base.instances and candidate.instances and base.instances != candidate.instances:
        yield Caveat(
            "latency-instances",
            f"{pluralize(base.instances, 'instance')} answered in base's window, {candidate.instances} in the candidate's: "
            "each had another share of the load.",
        )


def _few(base: LatencyWindow, candidate: LatencyWindow) -> Caveat:
    return Caveat(
        "few-requests",
        f"{base.requests:,} requests in {base.known_ms // MINUTE_MS} known minutes of base's window, {candidate.requests:,} in "
        f"{candidate.known_ms // MINUTE_MS} of the candidate's: at least {LEAST_REQUESTS} in {LEAST_MINUTES} minutes a side are "
        "needed.",
    )


def _beyond_bounds(judged: Sequence[_QuantileTest], highest_s: float) -> Iterator[Caveat]:
    there = [_name(each) for each in judged if max(each.replicates.base_s, each.replicates.candidate_s) >= highest_s]
    if there:
        yield Caveat(
            "latency-highest-bucket",
            f"{join_list(there)} {'lies' if len(there) == 1 else 'lie'} beyond the highest bound of the histogram, "
            f"{format_duration(highest_s * 1e9)}: how far is not known, and a change there is not seen whole.",
        )
