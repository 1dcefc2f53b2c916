"""Find why a comparison of span sets may mislead: sampling, damaged traces, and the mix of requests."""

from collections.abc import Callable, Iterator

import numpy as np

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.findings.wording import format_number, join_list, pluralize
from slowpath.analysis.kinds.spans.span_columns import CYCLE_CUT, DUPLICATE_ID, ERROR, NEGATIVE_MENDED, PARENT_MISSING
from slowpath.analysis.kinds.spans.span_forest import Mask, SpanForest
from slowpath.analysis.kinds.spans.span_inputs import SpanComparisonInputs
from slowpath.analysis.kinds.spans.trace_cohort import TraceCohort

RATE_DIFFERS = 2.0
SAMPLING_DIFFERS = 1.5
MOST_BROKEN = 0.05
MOST_ERRORS_APART = 0.05
MOST_MIX_APART = 0.1
_HARMLESS = ("texts-cut", "attributes-dropped", "events-dropped", "invalid-utf8")


def find_span_caveats(ground: SpanComparisonInputs) -> tuple[Caveat, ...]:
    """Return all caveats of two span sets, each once."""
    caveats = [
        *_replication(ground),
        *_few(ground),
        *_root_ops(ground),
        *_sampling(ground),
        *_errors(ground),
        *_broken(ground),
        *_facts(ground),
        *_warnings(ground),
    ]
    return tuple({caveat.id: caveat for caveat in reversed(caveats)}.values())[::-1]


def _replication(ground: SpanComparisonInputs) -> Iterator[Caveat]:
    counts = [side.artifacts for side in ground.sides]
    if min(counts) == 1:
        yield Caveat(
            "spans-single-set",
            f"{pluralize(counts[0], 'span set')} in base, {counts[1]} in candidate: the variation between sets of one build is "
            "unknown and assumed, so intervals are wide. Upload two or more per side, from different "
            "times.",
        )


def _few(ground: SpanComparisonInputs) -> Iterator[Caveat]:
    counts = [side.requests for side in ground.sides]
    if min(counts) < ground.thresholds.few_traces:
        yield Caveat(
            "spans-few-traces",
            f"{pluralize(counts[0], 'trace')} in base, {counts[1]} in candidate: too few for rare gaps and for the "
            f"slowest requests. Record at least {ground.thresholds.few_traces} per side.",
        )


def _mix(forest: SpanForest, side: TraceCohort) -> dict[tuple[str, str], float]:
    pairs, counts = np.unique(forest.pair[forest.roots[side.traces]], return_counts=True)
    total = max(int(counts.sum()), 1)
    return {forest.pair_names[pair]: count / total for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True)}


def _root_ops(ground: SpanComparisonInputs) -> Iterator[Caveat]:
    base, candidate = (_mix(ground.forest, side) for side in ground.sides)
    shifts = {op: candidate.get(op, 0.0) - base.get(op, 0.0) for op in (*base, *candidate)}
    total_shift = sum(abs(shift) for shift in shifts.values()) / 2
    if total_shift > MOST_MIX_APART:
        service, op = max(shifts, key=lambda each: abs(shifts[each]))
        shares = [f"{100 * mix.get((service, op), 0.0):.0f}%" for mix in (base, candidate)]
        yield Caveat(
            "spans-root-operations",
            f"The two sides contain different requests: {service} {op} is {shares[0]} of base and {shares[1]} of candidate. This "
            "changes shares of all requests, whatever the code does.",
        )


def _sampling(ground: SpanComparisonInputs) -> Iterator[Caveat]:
    sampling_rates = [_sampling_rate(side) for side in ground.sides]
    base, candidate = sampling_rates
    if base is not None and candidate is not None:
        if not 1 / SAMPLING_DIFFERS < candidate / base < SAMPLING_DIFFERS:
            yield Caveat(
                "spans-sampling",
                f"Base contains {format_number(100 * base)}% of its requests, candidate {format_number(100 * candidate)}%: if sampling prefers "
                "slow or failed requests, the sides are not comparable.",
            )
        return
    rates = [side.requests / max(side.seconds, 1e-3) for side in ground.sides]
    if not 1 / RATE_DIFFERS < rates[1] / max(rates[0], 1e-9) < RATE_DIFFERS:
        yield Caveat(
            "spans-rate",
            f"Base has {format_number(rates[0])} traces per second, candidate {format_number(rates[1])}: load or sampling differs, and "
            "the number of requests is not known for both sides. More load alone makes gaps longer.",
        )


def _sampling_rate(side: TraceCohort) -> float | None:
    artifacts = np.unique(side.forest.artifact_of_trace[side.traces]).tolist()
    requests = [side.forest.artifacts[artifact].facts.requests for artifact in artifacts]
    known = [each for each in requests if each]
    return side.requests / sum(known) if known and len(known) == len(requests) else None


def _errors(ground: SpanComparisonInputs) -> Iterator[Caveat]:
    failed = ground.forest.status[ground.forest.roots] == ERROR
    shares = [float(failed[side.traces].mean()) if side.requests else 0.0 for side in ground.sides]
    if abs(shares[1] - shares[0]) > MOST_ERRORS_APART:
        yield Caveat(
            "spans-errors",
            f"{100 * shares[0]:.0f}% of requests fail in base, {100 * shares[1]:.0f}% in candidate: failed requests are "
            "often much faster, or as slow as a timeout.",
        )


def _broken(ground: SpanComparisonInputs) -> Iterator[Caveat]:
    forest = ground.forest
    for identity, mask, words, meaning in (
        (
            "spans-missing-parents",
            (forest.flags & PARENT_MISSING) != 0,
            "lack the parent of a span",
            "missing spans look like gaps, and their children like separate requests",
        ),
        (
            "spans-skew",
            forest.skew_ns != 0,
            "have a corrected clock of a service",
            "gaps next to such spans are omitted if the clock may have caused them",
        ),
        (
            "spans-defects",
            (forest.flags & (DUPLICATE_ID | CYCLE_CUT | NEGATIVE_MENDED)) != 0,
            "have repaired spans (duplicate ids, cycles, ends before starts)",
            "their sums are right, their structure may be wrong",
        ),
    ):
        shares = [_share(forest, side, mask) for side in ground.sides]
        if max(shares) > MOST_BROKEN:
            yield Caveat(
                identity,
                f"{100 * shares[0]:.0f}% of the traces of base and {100 * shares[1]:.0f}% of the candidate's {words}: {meaning}.",
            )


def _share(forest: SpanForest, side: TraceCohort, mask: Mask) -> float:
    broken = np.zeros(forest.traces, dtype=bool)
    broken[forest.trace[mask]] = True
    return float(broken[side.traces].mean()) if side.requests else 0.0


_FACTS: tuple[tuple[str, str, str, Callable[[RunMetadata], object]], ...] = (
    ("go-version", "Go version", "the runtime differs too", lambda facts: facts.go_version),
    (
        "gomaxprocs",
        "GOMAXPROCS",
        "scheduler latency depends on the number of Ps",
        lambda facts: facts.gomaxprocs,
    ),
    ("cpu-model", "CPU model", "the machine may be the cause", lambda facts: facts.cpu_model),
)


def _facts(ground: SpanComparisonInputs) -> Iterator[Caveat]:
    for identity, title, meaning, fact in _FACTS:
        values = []
        for side in ground.sides:
            artifacts = np.unique(side.forest.artifact_of_trace[side.traces]).tolist()
            known = {str(fact(side.forest.artifacts[artifact].facts)) for artifact in artifacts}
            values.append(sorted(known - {"None"}))
        if all(values) and values[0] != values[1]:
            yield Caveat(
                identity,
                f"{title} differs: {join_list(values[0])} in base, {join_list(values[1])} in candidate; {meaning}.",
            )


def _warnings(ground: SpanComparisonInputs) -> Iterator[Caveat]:
    for artifact in ground.forest.artifacts:
        for warning in artifact.table.warnings:
            slug, _, words = warning.partition(": ")
            if slug not in _HARMLESS:
                yield Caveat(f"spans-{slug}", f"{artifact.name}: {words or slug}")
