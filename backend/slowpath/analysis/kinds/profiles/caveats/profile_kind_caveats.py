"""Find caveats in the compared profiles of one kind."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.wording import format_number, format_ratio, join_list, pluralize
from slowpath.analysis.formats.go_function_names import short
from slowpath.analysis.kinds.profiles.caveats.profile_caveats import KindCaveat
from slowpath.analysis.kinds.profiles.caveats.request_caveats import age_caveats, mix_caveats
from slowpath.analysis.kinds.profiles.comparison.explanations import coverage_gap, drifted, in_lockstep
from slowpath.analysis.kinds.profiles.comparison.profile_kind_comparison import ProfileKindComparison
from slowpath.analysis.kinds.profiles.comparison.variance_models import in_step, semivariogram_of
from slowpath.analysis.kinds.profiles.decoded.profile_table import ROOT_CUT_OFF
from slowpath.analysis.kinds.profiles.estimates.serial_dependence import gain_of_alternation, interleaved
from slowpath.analysis.kinds.profiles.sets.coverage import process_cpu, sampled_cpu
from slowpath.analysis.kinds.profiles.sets.profile_sets import ProfileSets
from slowpath.analysis.stats.distinct_values import distinct_values
from slowpath.units import NANOSECONDS_PER_SECOND

F64 = NDArray[np.float64]

DURATION_DIFFERS = 1.5
WITHOUT_AES = "runtime.memhashFallback"
# A drift is a rank correlation (Spearman) with time of at least this much, over at least that many profiles.
DRIFTS_AT, DRIFT_NEEDS = 0.85, 6
MANY_CUT = 0.05
# Maximum of named functions, and the gain of standard error that makes alternating capture worthwhile.
MOST_NAMES, WORTH_ALTERNATING = 5, 1.2


def caveats_of_kind(comparison: ProfileKindComparison) -> Iterator[KindCaveat | Caveat]:
    """Yield all caveats: those that other kinds share, and those of CPU profiles alone."""
    yield from _replication_caveats(comparison)
    yield from _run_caveats(comparison)
    yield from _basis_caveats(comparison)
    yield from _duration_caveats(comparison)
    yield from _period_caveats(comparison)
    yield from _spread_caveats(comparison)
    yield from _clock_caveats(comparison)
    yield from _common_factor_caveats(comparison)
    yield from _order_caveats(comparison)
    yield from _drift_caveats(comparison)
    yield from _coverage_caveats(comparison)
    yield from _hash_caveats(comparison)
    yield from mix_caveats(comparison)
    yield from age_caveats(comparison)
    yield from _cut_caveats(comparison)
    yield from _rename_caveats(comparison)


def _replication_caveats(comparison: ProfileKindComparison) -> Iterator[KindCaveat]:
    counts, needed = comparison.sets.replicates(), comparison.fewest_replicates
    if min(counts) < needed:
        yield KindCaveat(
            "single-profile" if min(counts) == 1 else "few-profiles",
            comparison.kind,
            _describe_counts(comparison.sets),
            "the variation between runs is unknown, so differences are tentative at best. "
            f"Upload at least {needed} per side",
        )
    elif min(counts) < comparison.thresholds.few_profiles:
        yield KindCaveat(
            "few-profiles", comparison.kind, _describe_counts(comparison.sets), "only large changes are detectable"
        )


def _describe_counts(sets: ProfileSets) -> str:
    base, candidate = sets.replicates()
    described = f"Only {pluralize(base, sets.replicate_name)}"
    return f"{described} per side" if base == candidate else f"{described} in base, {candidate} in candidate"


def _run_caveats(comparison: ProfileKindComparison) -> Iterator[KindCaveat]:
    sets = comparison.sets
    sides = zip(("base", "candidate"), (sets.base, sets.candidate), sets.replicates(), strict=True)
    single = [word for word, side, count in sides if count > 1 and len({a.facts.run for a in side if a.facts.run}) == 1]
    if single:
        yield KindCaveat(
            "one-run",
            comparison.kind,
            f"All profiles of the {join_list(single)} come from one run",
            "the variation between process starts is unknown, so a change may be due to one start",
        )


def _basis_caveats(comparison: ProfileKindComparison) -> Iterator[KindCaveat]:
    if comparison.basis.id == "per_second":
        yield KindCaveat(
            "load-unknown",
            comparison.kind,
            "The number of requests is unknown",
            "values are per second, so more load looks like more cost",
        )
    elif comparison.basis.id == "share":
        timed = any(a.table.duration_ns for a in comparison.sets.artifacts)
        why = "no duration" if timed else "snapshots since the start of the process"
        yield KindCaveat(
            "share-only",
            comparison.kind,
            f"Compared by share, {why}",
            "when one part grows, all others shrink. Upload two snapshots of one run, or profiles with a duration, for a rate",
        )


def _duration_caveats(comparison: ProfileKindComparison) -> Iterator[KindCaveat]:
    sides = [
        [a.table.duration_ns for a in side if a.table.duration_ns]
        for side in (comparison.sets.base, comparison.sets.candidate)
    ]
    if all(sides):
        means = [float(np.mean(side)) / NANOSECONDS_PER_SECOND for side in sides]
        if not 1 / DURATION_DIFFERS <= means[1] / means[0] <= DURATION_DIFFERS:
            yield KindCaveat(
                "duration",
                comparison.kind,
                f"Profiles last {format_number(means[0])} s in base and {format_number(means[1])} s in candidate",
                "start-up and bursts have more weight in short profiles",
            )


def _period_caveats(comparison: ProfileKindComparison) -> Iterator[KindCaveat]:
    sides = [
        {a.table.period for a in side if a.table.period} for side in (comparison.sets.base, comparison.sets.candidate)
    ]
    if all(sides) and sides[0] != sides[1]:
        unit = comparison.sets.artifacts[0].table.period_type.unit
        base, candidate = (join_list([f"{period:,}" for period in sorted(side)]) for side in sides)
        yield KindCaveat(
            "period",
            comparison.kind,
            f"The sampling period differs, {base} {unit} in base, {candidate} in candidate",
            "noise differs accordingly",
        )


def _spread_caveats(comparison: ProfileKindComparison) -> Iterator[Caveat]:
    """Warn of sampling in lockstep: it can make one binary's function take 0 to 20% of the samples."""
    if comparison.kind != "cpu":
        return
    overdispersed = in_lockstep(comparison, comparison.functions)
    if overdispersed.any():
        largest = sorted(
            np.flatnonzero(overdispersed).tolist(), key=lambda row: -float(comparison.functions.rows[row].sum())
        )
        names = list(dict.fromkeys(short(comparison.labels[row].name) or "the total" for row in largest))
        more = f" and {pluralize(len(names) - MOST_NAMES, 'other function')}" if len(names) > MOST_NAMES else ""
        worst = float(np.nanmax(np.where(overdispersed, comparison.functions.tested.raw_dispersion, np.nan)))
        yield Caveat(
            "overdispersed",
            f"{', '.join(names[:MOST_NAMES])}{more} vary up to {format_number(worst)} times more between profiles than sampling "
            "explains: work in step with the sampling clock, or phases of different work. None of their changes is "
            "significant. Use another sampling rate or longer profiles.",
            explains_effect=True,
        )


def _clock_caveats(comparison: ProfileKindComparison) -> Iterator[Caveat]:
    if comparison.kind == "cpu" and in_step(comparison.sets):
        yield Caveat(
            "in-step",
            "Requests arrive in step with the sampling clock, so that samples hit the same places of a request, which "
            "drift. Captured one after the other, hardly any change is significant. Use another sampling rate, "
            "an irregular load, or capture alternately.",
        )


def _common_factor_caveats(comparison: ProfileKindComparison) -> Iterator[Caveat]:
    """Warn that nearly everything changed by one factor: rarely the code."""
    common = comparison.common
    if not common.within_noise and abs(np.log(common.tested)) >= comparison.thresholds.least_relative:
        yield Caveat(
            "common-factor",
            f"Most functions changed together, by about {format_ratio(common.tested)}: the machine, its frequency or the load. "
            "Functions and categories are tested relative to that.",
            explains_effect=not comparison.total_is_measured,
        )


def _order_caveats(comparison: ProfileKindComparison) -> Iterator[Caveat]:
    """Warn of sides captured one after the other, with the gain of alternating capture."""
    sets = comparison.sets
    if comparison.kind != "cpu" or min(sets.replicates()) < 2 or sets.differenced:
        return
    times = sets.times()
    gain = gain_of_alternation(semivariogram_of(comparison.thresholds), *times)
    if interleaved(*times) or gain < WORTH_ALTERNATING:
        return
    order = "were captured" if sets.timed else "count as captured (not all capture times are known)"
    yield Caveat(
        "consecutive",
        f"The sides {order} one after the other, so drift of the machine between them is part of the difference and of "
        f"the intervals. Capture alternately (slowpath collect URL --against URL2): with the same number of profiles, standard "
        f"errors could be up to {gain:.1f} times smaller.",
    )


def _drift_caveats(comparison: ProfileKindComparison) -> Iterator[KindCaveat]:
    totals = comparison.sets.totals()
    weights = comparison.bases[-1].weights if comparison.bases[-1].id != "share" else None
    if weights is None or comparison.sets.differenced:
        return
    for mask, word in ((comparison.sets.is_base, "base"), (~comparison.sets.is_base, "candidate")):
        times = np.array([a.table.time_ns for a in comparison.sets.artifacts], dtype=np.float64)[mask]
        if np.any(weights[mask] <= 0) or np.any(totals[mask] <= 0):
            continue
        values = totals[mask] / weights[mask]
        if len(values) < DRIFT_NEEDS or len(distinct_values(times)) < len(times):
            continue
        total = np.array([len(comparison.categories.names) - 1])
        first, last = values[np.argsort(times)][[0, -1]]
        if max(last / first, first / last) - 1 < comparison.floors[0]:
            continue
        correlation = float(np.corrcoef(_ranks(times), _ranks(values))[0, 1])
        if abs(correlation) >= DRIFTS_AT:
            part = format_number(100 * abs(last / first - 1))
            yield KindCaveat(
                "drifting",
                comparison.kind,
                f"The cost of the {word} {'rises' if correlation > 0 else 'falls'} over its profiles by {part}% from first to last",
                "warm-up, growing state, or changing load",
                explains_effect=bool(drifted(comparison, comparison.categories, total)[0]),
            )


def _ranks(values: F64) -> F64:
    """Return the rank of each value; equal values have the same."""
    return np.unique(values, return_inverse=True)[1].astype(np.float64)


def _coverage_caveats(comparison: ProfileKindComparison) -> Iterator[Caveat]:
    """Warn of low or different coverage: bursts between samples are lost."""
    sets = comparison.sets
    if comparison.kind != "cpu" or sets.sample_type.unit != "nanoseconds":
        return
    coverage = []
    for side in (sets.base, sets.candidate):
        known = [artifact for artifact in side if process_cpu(artifact) > 0]
        cpu = sum(process_cpu(artifact) for artifact in known)
        coverage.append(sum(sampled_cpu(artifact) for artifact in known) / cpu if cpu else 1.0)
    gap = coverage_gap(sets)
    differs = abs(gap) >= comparison.thresholds.least_relative
    if min(coverage) >= comparison.thresholds.least_coverage and not differs:
        return
    meaning = (
        f" Changes of less than {format_number(100 * (np.exp(abs(gap)) - 1))}% are therefore not significant."
        if differs
        else ""
    )
    yield Caveat(
        "coverage",
        f"The profiles cover {format_number(100 * coverage[0])}% of the process's CPU in base and {format_number(100 * coverage[1])}% in candidate; "
        f"short bursts between samples are missing.{meaning}",
        explains_effect=differs,
    )


def _hash_caveats(comparison: ProfileKindComparison) -> Iterator[Caveat]:
    """Warn of the software hash on one side only: that machine lacks AES instructions."""
    row = comparison.labels.numbers.find(WITHOUT_AES)
    if row is None:
        return
    estimates = comparison.functions.estimates
    base, candidate = float(estimates.base[row]), float(estimates.candidate[row])
    if (base > 0) != (candidate > 0):
        side = "base" if base > 0 else "candidate"
        yield Caveat(
            "no-aes",
            f"Only the {side} hashes in software (memhashFallback): its machine lacks AES instructions, or they are disabled. "
            "Map and hashing costs differ due to the machine, not the code.",
        )


def _cut_caveats(comparison: ProfileKindComparison) -> Iterator[KindCaveat]:
    cut = sum(a.table.cut_samples for a in comparison.sets.artifacts)
    if not cut:
        return
    mark = comparison.labels.numbers.find(ROOT_CUT_OFF)
    rows = comparison.functions.rows
    total = float(np.abs(comparison.sets.totals()).sum())
    share = float(rows[mark].sum()) / total if mark is not None and total else 0.0
    if share >= MANY_CUT:
        yield KindCaveat(
            "cut-stacks",
            comparison.kind,
            f"{format_number(100 * share)}% of the samples have stacks deeper than the profiler records",
            "their callers are unknown, so totals of outer functions are too small",
        )


def _rename_caveats(comparison: ProfileKindComparison) -> Iterator[KindCaveat]:
    """State which packages have another path on either side."""
    renamed = comparison.measured.stacks.renamed_packages
    if renamed:
        named = [f"{old} became {new}" for old, new in renamed[:MOST_NAMES]]
        more = [f"{len(renamed) - MOST_NAMES} other packages"] if len(renamed) > MOST_NAMES else []
        yield KindCaveat(
            "renamed-packages",
            comparison.kind,
            f"Package {join_list([*named, *more])}",
            "functions of equal names in them are compared as one",
        )
