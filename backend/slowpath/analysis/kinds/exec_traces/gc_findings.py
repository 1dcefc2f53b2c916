"""Make findings on garbage collection.

Its share of the processors, assists, pauses, and the minimum utilization.
"""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.findings import Contribution, Direction, Effect, Finding
from slowpath.analysis.kinds.exec_traces.block_bootstrap import F32, block_weights
from slowpath.analysis.kinds.exec_traces.gc_summary import GcQuantity, GcSide, common_windows, gc_side, utilisation
from slowpath.analysis.kinds.exec_traces.scheduler_advice import GC, GC_LESS
from slowpath.analysis.kinds.exec_traces.trace_inputs import TraceComparisonInputs
from slowpath.analysis.kinds.exec_traces.trace_thresholds import TraceThresholds
from slowpath.analysis.stats.false_discovery_rate import q_values
from slowpath.analysis.stats.pooled_effects import as_float64, compare_pooled, detectable_log_ratio
from slowpath.analysis.stats.side_generators import SideGenerators
from slowpath.analysis.stats.t_distribution import t_quantile

KIND = "trace.gc"
# Mutator utilization is compared over windows of about this length, that of a request of some milliseconds.
MMU_WINDOW_NS = 10_000_000
LEAST_PART = 0.05
# In terms of the least relevant change of a share: an offset added before taking logarithms, and the base below which a
# ratio is meaningless.
LOG_OFFSET = 0.05
RATIO_FLOOR = 0.2


@dataclass(frozen=True)
class GcComparison:
    """Both sides and their findings."""

    base: GcSide
    candidate: GcSide
    findings: tuple[Finding, ...]
    detectable: float | None
    """The smallest detectable change of the collector's share of the processors."""


@dataclass(frozen=True)
class _GcHypothesis:
    """One quantity to test: its name, a title, the floor on its change, and how many processors it is a share of."""

    subject: str
    title: str
    base: GcQuantity
    candidate: GcQuantity
    least: float
    processors: float


def compare_gc(ground: TraceComparisonInputs, generators: SideGenerators) -> GcComparison:
    """Compare the collector's work.

    A finding on the total replaces those on its parts if they change together.
    """
    matched, thresholds = ground.matched, ground.thresholds
    base, candidate = (gc_side(side) for side in matched.sides)
    weights = [block_weights(side, thresholds.draws, rng) for side, rng in zip(matched.sides, generators, strict=True)]
    procs = float(np.mean([table.header.procs.most for side in matched.sides for table in side.traces]))
    hypotheses = [
        _GcHypothesis("cpu", "Garbage collection", base.cpu, candidate.cpu, thresholds.least_gc_fraction, procs),
        _GcHypothesis("assist", "GC assists", base.assist, candidate.assist, thresholds.least_gc_fraction / 2, procs),
        _GcHypothesis("stw", "Stop-the-world pauses", base.stw, candidate.stw, thresholds.least_stw_fraction, procs),
    ]
    cycles = max(sum(table.header.gc.cycles for table in side.traces) for side in matched.sides)
    if cycles < thresholds.least_cycles:
        # Too few cycles to compare: only a collector with almost no work on both sides is known to be unchanged.
        small = max(base.cpu.part, candidate.cpu.part) < thresholds.least_gc_fraction
        return GcComparison(base, candidate, (), thresholds.least_gc_fraction if small else None)
    results = [_test(hypothesis, weights, thresholds, generators) for hypothesis in hypotheses]
    q = q_values(as_float64([p for p, _, _ in results]), np.ones(len(results)))
    findings = [
        _finding(ground, hypothesis, change, rate, (base, candidate))
        for hypothesis, (_, change, _), rate in zip(hypotheses, results, q.tolist(), strict=True)
        if change is not None and rate <= thresholds.alpha
    ]
    utilization = _minimum_utilization(ground)
    reported = _drop_parts([*findings, *([utilization] if utilization is not None else [])])
    return GcComparison(base, candidate, tuple(reported), results[0][2])


def _drop_parts(findings: list[Finding]) -> list[Finding]:
    """Drop findings on parts that change in the same direction as the total."""
    total_direction = next((finding.direction for finding in findings if finding.subject == "cpu"), None)
    return [f for f in findings if f.subject in {"cpu", "stw"} or f.direction != total_direction]


def _test(
    hypothesis: _GcHypothesis, weights: list[F32], thresholds: TraceThresholds, generators: SideGenerators
) -> tuple[float, Effect | None, float]:
    """Return (p-value, the change if it passes the floors, the minimum detectable difference)."""
    pooled = [
        q.pooled(w, LOG_OFFSET * hypothesis.least)
        for q, w in zip((hypothesis.base, hypothesis.candidate), weights, strict=True)
    ]
    spread = as_float64([thresholds.spread_gc])
    effects = compare_pooled(pooled[0], pooled[1], spread, thresholds, generators)
    base, candidate = hypothesis.base.part, hypothesis.candidate.part
    ratio, low, high = (float(np.exp(each[0])) for each in (effects.log_ratio, effects.low, effects.high))
    p_value = float(effects.p_value[0])
    detectable_log = detectable_log_ratio(effects.error, effects.df, float(np.log(thresholds.least_ratio)), thresholds)
    detectable = float(np.expm1(min(float(detectable_log[0]), 50.0))) * (
        max(base, candidate) + LOG_OFFSET * hypothesis.least
    )
    detectable = min(max(detectable, hypothesis.least), 1.0)
    beyond = low > thresholds.least_ratio if candidate > base else high < 1 / thresholds.least_ratio
    if not beyond or abs(candidate - base) < hypothesis.least:
        return p_value, None, detectable
    difference = candidate - base
    if min(base, candidate) < RATIO_FLOOR * hypothesis.least:
        # A ratio to almost zero is meaningless.
        differences = np.exp(effects.candidate_draws[:, 0]) - np.exp(effects.base_draws[:, 0])
        low, high = (float(each) for each in np.quantile(differences, [0.025, 0.975]))
        defined_ratio = ratio if base > 0 and candidate > 0 else None
        low, high = min(low, difference), max(high, difference)
        return p_value, Effect(defined_ratio, difference, low, high, thresholds.confidence, "difference"), detectable
    return p_value, Effect(ratio, difference, low, high, thresholds.confidence, "ratio"), detectable


def _finding(
    ground: TraceComparisonInputs,
    hypothesis: _GcHypothesis,
    change: Effect,
    rate: float,
    sides: tuple[GcSide, GcSide],
) -> Finding:
    worse = change.difference > 0
    text = GC[hypothesis.subject] if worse else GC_LESS
    by = _parts(hypothesis.subject, sides, worse=worse)
    of_what = "of the time" if hypothesis.subject == "stw" else "of the processors"
    base, candidate = hypothesis.base.part, hypothesis.candidate.part
    verb = "takes more" if worse else "takes less"
    if hypothesis.subject != "cpu":
        verb = verb.replace("takes", "take")
    text_parts = f"{hypothesis.title} {verb} {of_what}: {wording.format_number(100 * base)}% → {wording.format_number(100 * candidate)}%"
    if change.ratio is not None and change.ci_of == "ratio":
        text_parts += f" ({wording.format_ratio_with_interval(change.ratio, change.ci_low, change.ci_high)})"
    elif change.ci_of == "difference":
        bounds = " to ".join(wording.format_number(100 * bound) for bound in (change.ci_low, change.ci_high))
        text_parts += f" ({bounds} percentage points)"
    if by and by[0].share >= 0.3 and by[0].subject.startswith("assist|"):
        text_parts += f"; {wording.function(by[0].subject.removeprefix('assist|'))} assists most"
    return Finding(
        kind=KIND,
        profile_kind="trace",
        subject=hypothesis.subject,
        direction="worse" if worse else "better",
        base=base,
        candidate=candidate,
        unit="share",
        change=change,
        normalization="share",
        q_value=rate,
        attributed_callers=(),
        contributions=by,
        is_significant=ground.certain(change),
        profiles_needed=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=f"{text_parts}.",
        cost_s_per_s=change.difference * hypothesis.processors,
    )


def _parts(subject: str, sides: tuple[GcSide, GcSide], *, worse: bool) -> tuple[Contribution, ...]:
    """Return which parts of the collector's work make the change: workers, and the assists of each group."""
    if subject == "stw":
        return ()
    base, candidate = sides
    sign = 1 if worse else -1
    groups = set(base.assist_by_group) | set(candidate.assist_by_group)
    increase = {
        f"assist|{group}": sign
        * (candidate.assist_by_group.get(group, 0.0) - base.assist_by_group.get(group, 0.0))
        / 1e9
        for group in groups
    }
    if subject == "cpu":
        processors = [float(side.cpu.available.sum() / max(side.stw.available.sum(), 1.0)) for side in sides]
        collector_procs = [side.cpu.part * p for side, p in zip(sides, processors, strict=True)]
        assists = [sum(side.assist_by_group.values()) / 1e9 for side in sides]
        increase["workers"] = sign * ((collector_procs[1] - assists[1]) - (collector_procs[0] - assists[0]))
    total = sum(max(value, 0.0) for value in increase.values())
    leading = sorted(increase, key=lambda name: (-increase[name], name))[:5]
    return tuple(
        Contribution(name, increase[name] / total)
        for name in leading
        if total > 0 and increase[name] / total >= LEAST_PART
    )


def _minimum_utilization(ground: TraceComparisonInputs) -> Finding | None:
    """Compare the minimum mutator utilization over 10 ms; its uncertainty is the variation between traces."""
    matched, thresholds = ground.matched, ground.thresholds
    windows = common_windows(matched.sides)
    counts = [len(side.artifacts) for side in matched.sides]
    cycles = min(table.header.gc.cycles for side in matched.sides for table in side.traces)
    if min(counts) < 2 or not len(windows) or cycles < thresholds.least_cycles:
        return None
    window = int(np.argmin(np.abs(np.log(windows / MMU_WINDOW_NS))))
    values = [utilisation(side, windows)[:, window] for side in matched.sides]
    df = sum(counts) - 2
    squares = sum(float(np.square(each - each.mean()).sum()) for each in values)
    variance = (thresholds.prior_df * thresholds.spread_mmu**2 + squares) / (thresholds.prior_df + df)
    error = float(np.sqrt(variance * sum(1 / count for count in counts)))
    base, candidate = (float(each.mean()) for each in values)
    reach = error * float(t_quantile(1 - thresholds.alpha / 5, np.array([thresholds.prior_df + df]))[0])
    difference = candidate - base
    if abs(difference) < thresholds.least_mmu_drop or abs(difference) <= reach + thresholds.least_mmu_drop / 3:
        return None
    direction: Direction = "worse" if difference < 0 else "better"
    text = GC["mmu"] if direction == "worse" else GC_LESS
    length = wording.format_duration(float(windows[window]))
    return Finding(
        kind=KIND,
        profile_kind="trace",
        subject="mmu",
        direction=direction,
        base=base,
        candidate=candidate,
        unit="share",
        change=Effect(
            candidate / base if base > 0 else None,
            difference,
            difference - reach,
            difference + reach,
            thresholds.confidence,
            "difference",
        ),
        normalization="share",
        q_value=None,
        attributed_callers=(),
        contributions=(),
        is_significant=matched.enough_clean,
        profiles_needed=None,
        mechanism=text.mechanism,
        advice=text.advice,
        sentence=(
            f"Minimum mutator utilization over {length}: {wording.format_number(100 * base)}% → "
            f"{wording.format_number(100 * candidate)}% of the processors."
        ),
        cost_s_per_s=None,
    )
