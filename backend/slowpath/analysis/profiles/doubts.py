"""Why a comparison may mislead: what differs between the two sides, and what the data themselves betray.

A doubt does not change the verdict; it stands beside it. Each has an id for machines and a sentence that names the
values and what they mean for the verdict.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from slowpath.analysis.facts import Facts
from slowpath.analysis.findings import Doubt
from slowpath.analysis.names import short
from slowpath.analysis.profiles.artifact import ProfileArtifact
from slowpath.analysis.profiles.kind_comparison import KindComparison
from slowpath.analysis.profiles.profile_table import ROOT_CUT_OFF
from slowpath.analysis.wording import listed, number, plural
from slowpath.units import NANOSECONDS_PER_SECOND

Artifacts = Sequence[ProfileArtifact]

LOAD_DIFFERS = 1.15
DURATION_DIFFERS = 1.5
WITHOUT_AES = "runtime.memhashFallback"
# Spearman's rank correlation with time of at least this much, over at least that many profiles, is called a drift.
DRIFTS_AT, DRIFT_NEEDS = 0.85, 6
MANY_CUT = 0.05


def side_doubts(base: Artifacts, candidate: Artifacts) -> list[Doubt]:
    """What the facts and headers of the two sides tell, whatever the kind of profile."""
    doubts = [
        *_fact_doubts(base, candidate),
        *_build_doubts(base, candidate),
        *_cpu_flag_doubts(base, candidate),
        *_load_doubts(base, candidate),
        *_saturation_doubts(base, candidate),
        *_warning_doubts((*base, *candidate)),
    ]
    return _once(doubts)


def kind_doubts(comparisons: Sequence[KindComparison]) -> list[Doubt]:
    """What the compared profiles betray; a doubt shared by several kinds is said once."""
    kinds_of: dict[tuple[str, str], list[str]] = {}
    for comparison in comparisons:
        for doubt in _doubts_of(comparison):
            kinds_of.setdefault((doubt.id, doubt.sentence), []).append(comparison.kind)
    return [
        Doubt(identity, sentence.replace(KINDS, listed(list(dict.fromkeys(kinds)))))
        for (identity, sentence), kinds in kinds_of.items()
    ]


# Stands in a sentence for the kinds of profile that it is true of.
KINDS = "{kinds}"


def _doubts_of(comparison: KindComparison) -> list[Doubt]:
    return [
        *_replication_doubts(comparison),
        *_basis_doubts(comparison),
        *_duration_doubts(comparison),
        *_period_doubts(comparison),
        *_spread_doubts(comparison),
        *_drift_doubts(comparison),
        *_coverage_doubts(comparison),
        *_hash_doubts(comparison),
        *_cut_doubts(comparison),
    ]


def _once(doubts: Sequence[Doubt]) -> list[Doubt]:
    return list({(doubt.id, doubt.sentence): doubt for doubt in doubts}.values())


_FACTS: tuple[tuple[str, str, str, Callable[[Facts], object]], ...] = (
    (
        "go-version",
        "Go version",
        "runtime and compiler changed too, so not every change is the code's",
        lambda f: f.go_version,
    ),
    ("goos", "operating system", "system calls and scheduling differ", lambda f: f.goos),
    ("goarch", "architecture", "CPU times cannot be compared", lambda f: f.goarch),
    ("cpu-model", "CPU model", "the machine may be the cause", lambda f: f.cpu_model),
    ("gomaxprocs", "GOMAXPROCS", "parallelism, and with it contention and GC, differ", lambda f: f.gomaxprocs),
)


def _fact_doubts(base: Artifacts, candidate: Artifacts) -> Iterator[Doubt]:
    for identity, title, meaning, fact in _FACTS:
        values = [_known(side, fact) for side in (base, candidate)]
        if all(values) and values[0] != values[1]:
            yield Doubt(
                identity, f"{title} differs: {listed(values[0])} in base, {listed(values[1])} in candidate; {meaning}."
            )


def _known(side: Artifacts, fact: Callable[[Facts], object]) -> list[str]:
    return sorted({str(fact(artifact.facts)) for artifact in side if fact(artifact.facts) is not None})


def _build_doubts(base: Artifacts, candidate: Artifacts) -> Iterator[Doubt]:
    """The same build on both sides: then there is nothing in the code to find."""
    for fact, word in ((lambda f: f.build_id, "build id"), (lambda f: f.commit, "commit")):
        values = [_known(side, fact) for side in (base, candidate)]
        if values[0] and values[0] == values[1] and len(values[0]) == 1:
            yield Doubt(
                "same-build", f"Both sides are the same {word} ({values[0][0][:16]}): a change is not the code's."
            )
            return
    programs = [{a.table.build_ids[0] for a in side if a.table.build_ids} for side in (base, candidate)]
    if programs[0] and programs[0] == programs[1]:
        yield Doubt("same-build", "Both sides ran the same binary (equal build ids): a change is not the code's.")


def _cpu_flag_doubts(base: Artifacts, candidate: Artifacts) -> Iterator[Doubt]:
    flags = [{f for a in side for f in a.facts.cpu_flags or ()} for side in (base, candidate)]
    if all(flags) and flags[0] != flags[1]:
        only = [sorted(flags[0] - flags[1])[:4], sorted(flags[1] - flags[0])[:4]]
        words = [
            f"{listed(names)} only in {side}" for names, side in zip(only, ("base", "candidate"), strict=True) if names
        ]
        yield Doubt(
            "cpu-flags", f"CPU features differ: {'; '.join(words)}. Hashing, copying and crypto depend on them."
        )


def _load_doubts(base: Artifacts, candidate: Artifacts) -> Iterator[Doubt]:
    rates = [_request_rate(side) for side in (base, candidate)]
    if rates[0] and rates[1] and not 1 / LOAD_DIFFERS <= rates[1] / rates[0] <= LOAD_DIFFERS:
        yield Doubt(
            "load",
            f"The load differs: {number(rates[0])} requests per second in base, {number(rates[1])} in candidate; "
            "cost per request depends on load (batching, contention, GC).",
        )


def _request_rate(side: Artifacts) -> float:
    known = [a for a in side if a.facts.requests and (a.facts.wall_ns or a.table.duration_ns)]
    seconds = sum((a.facts.wall_ns or a.table.duration_ns) for a in known) / NANOSECONDS_PER_SECOND
    return sum(a.facts.requests or 0 for a in known) / seconds if seconds else 0.0


def _saturation_doubts(base: Artifacts, candidate: Artifacts) -> Iterator[Doubt]:
    for side, word in ((base, "base"), (candidate, "candidate")):
        known = [a.facts for a in side if a.facts.cpu_ns and a.facts.wall_ns and a.facts.gomaxprocs]
        capacity = sum((f.wall_ns or 0) * (f.gomaxprocs or 0) for f in known)
        used = sum(f.cpu_ns or 0 for f in known)
        if capacity and used / capacity >= 0.95:
            yield Doubt(
                "cpu-saturated",
                f"The {word} used {number(100 * used / capacity)} % of its CPUs: it may have been held back, so that work per "
                "second says little.",
            )


def _warning_doubts(artifacts: Artifacts) -> Iterator[Doubt]:
    warned = [artifact for artifact in artifacts if artifact.table.warnings]
    if warned:
        yield Doubt(
            "decode-warnings", f"{warned[0].name}: {warned[0].table.warnings[0].rstrip('.')}{_others(len(warned) - 1)}."
        )


def _others(count: int) -> str:
    return f" (and {plural(count, 'other file')} with warnings)" if count else ""


def _replication_doubts(comparison: KindComparison) -> Iterator[Doubt]:
    counts = comparison.sets.replicates()
    if min(counts) < comparison.fewest_replicates:
        yield Doubt(
            "single-profile" if min(counts) == 1 else "few-profiles",
            f"{_counted(counts)} ({KINDS}): the spread between runs cannot be seen, so differences are likely at best. "
            f"At least {comparison.fewest_replicates} a side are needed, 8 or more are good.",
        )
    elif min(counts) < comparison.thresholds.few_profiles:
        yield Doubt("few-profiles", f"{_counted(counts)} ({KINDS}): only large changes can be seen.")
    runs = [{a.facts.run for a in side if a.facts.run} for side in (comparison.sets.base, comparison.sets.candidate)]
    for side_runs, count, word in zip(runs, counts, ("base", "candidate"), strict=True):
        if len(side_runs) == 1 and count > 1:
            yield Doubt(
                "one-run",
                f"All {KINDS} profiles of the {word} come from one run: a lucky or unlucky start of the process cannot be "
                "told from a change of the code.",
            )


def _counted(counts: tuple[int, int]) -> str:
    return f"{plural(counts[0], 'profile')} in base, {counts[1]} in candidate"


def _basis_doubts(comparison: KindComparison) -> Iterator[Doubt]:
    sets = comparison.sets
    if comparison.basis.id == "per_second":
        yield Doubt(
            "load-unknown",
            f"Requests are not known ({KINDS}), so values are per second: more load looks like more cost.",
        )
    elif comparison.basis.id == "share":
        why = (
            "snapshots since the start of the process"
            if not any(a.table.duration_ns for a in sets.artifacts)
            else "no duration"
        )
        yield Doubt(
            "share-only",
            f"The {KINDS} profiles are compared by share ({why}): when one part grows, all others shrink. Two snapshots of one "
            "run, or profiles with a duration, would give a rate.",
        )


def _duration_doubts(comparison: KindComparison) -> Iterator[Doubt]:
    sides = [
        [a.table.duration_ns for a in side if a.table.duration_ns]
        for side in (comparison.sets.base, comparison.sets.candidate)
    ]
    if all(sides):
        means = [float(np.mean(side)) / NANOSECONDS_PER_SECOND for side in sides]
        if not 1 / DURATION_DIFFERS <= means[1] / means[0] <= DURATION_DIFFERS:
            yield Doubt(
                "duration",
                f"The {KINDS} profiles last {number(means[0])} s in base and {number(means[1])} s in candidate: short ones "
                "weigh start-up and bursts more.",
            )


def _period_doubts(comparison: KindComparison) -> Iterator[Doubt]:
    sides = [
        {a.table.period for a in side if a.table.period} for side in (comparison.sets.base, comparison.sets.candidate)
    ]
    if all(sides) and sides[0] != sides[1]:
        unit = comparison.sets.artifacts[0].table.period_type.unit
        yield Doubt(
            "period",
            f"The sampling period differs ({KINDS}): {listed([f'{p:,}' for p in sorted(sides[0])])} {unit} in base, "
            f"{listed([f'{p:,}' for p in sorted(sides[1])])} in candidate; noise differs with it.",
        )


def _spread_doubts(comparison: KindComparison) -> Iterator[Doubt]:
    """Loud subjects: requests in step with the sampling clock make one binary's function take 0 to 20 %."""
    if comparison.kind != "cpu":
        return
    estimates = comparison.functions.estimates
    counts = comparison.functions.rows.sum(axis=1) / comparison.quantum / len(comparison.sets.artifacts)
    usable = (counts >= 5) & np.isfinite(estimates.raw_dispersion)
    loud = usable & (estimates.raw_dispersion >= comparison.thresholds.loud_dispersion)
    if loud.any():
        worst = int(np.argmax(np.where(loud, estimates.raw_dispersion, 0)))
        names = comparison.labels
        yield Doubt(
            "overdispersed",
            f"{plural(int(loud.sum()), 'function')} of {int(usable.sum()):,} spread much more between profiles than sampling explains "
            f"({short(names[worst].name) or 'the total'}: {number(float(estimates.raw_dispersion[worst]))} times): work in step with the sampling "
            "clock, or phases of different work. Their intervals are wide for it.",
        )


def _drift_doubts(comparison: KindComparison) -> Iterator[Doubt]:
    totals = comparison.sets.totals()
    weights = comparison.bases[-1].weights if comparison.bases[-1].id != "share" else None
    if weights is None or comparison.sets.differenced:
        return
    for mask, word in ((comparison.sets.is_base, "base"), (~comparison.sets.is_base, "candidate")):
        times = np.array([a.table.time_ns for a in comparison.sets.artifacts], dtype=np.float64)[mask]
        values = (totals / weights)[mask]
        if len(values) < DRIFT_NEEDS or len(np.unique(times)) < len(times):
            continue
        correlation = float(np.corrcoef(_ranks(times), _ranks(values))[0, 1])
        if abs(correlation) >= DRIFTS_AT:
            first, last = values[np.argsort(times)][[0, -1]]
            yield Doubt(
                "drifting",
                f"The {KINDS} cost of the {word} {'rises' if correlation > 0 else 'falls'} over its profiles "
                f"(by {number(100 * abs(last / first - 1))} % from first to last): warm-up, growing state, or changing load.",
            )


def _ranks(values: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return np.argsort(np.argsort(values)).astype(np.float64)


def _coverage_doubts(comparison: KindComparison) -> Iterator[Doubt]:
    """How much of the process's CPU the profile saw; bursts between ticks are lost."""
    if comparison.kind != "cpu" or comparison.sets.sample_type.unit != "nanoseconds":
        return
    totals = comparison.sets.totals()
    covered = []
    for mask in (comparison.sets.is_base, ~comparison.sets.is_base):
        known = [i for i in np.flatnonzero(mask).tolist() if comparison.sets.artifacts[i].facts.cpu_ns]
        cpu = sum(_cpu_in_profile(comparison.sets.artifacts[i]) for i in known)
        covered.append(float(totals[known].sum()) / cpu if cpu else 1.0)
    if min(covered) < comparison.thresholds.least_coverage:
        yield Doubt(
            "coverage",
            f"The profiles saw {number(100 * covered[0])} % of the process's CPU in base and {number(100 * covered[1])} % in candidate; "
            "short bursts between samples are missing.",
        )


def _cpu_in_profile(artifact: ProfileArtifact) -> float:
    cpu, wall, duration = artifact.facts.cpu_ns or 0, artifact.facts.wall_ns, artifact.table.duration_ns
    return cpu * duration / wall if wall and duration else float(cpu)


def _hash_doubts(comparison: KindComparison) -> Iterator[Doubt]:
    """The software hash on one side only betrays a machine without AES instructions."""
    for row, label in enumerate(comparison.labels):
        if label.key == WITHOUT_AES:
            estimates = comparison.functions.estimates
            base, candidate = float(estimates.base[row]), float(estimates.candidate[row])
            if (base > 0) != (candidate > 0):
                side = "base" if base > 0 else "candidate"
                yield Doubt(
                    "no-aes",
                    f"Only the {side} hashes in software (memhashFallback): its machine lacks AES instructions, or they are switched off. "
                    "Map and hashing costs are the machine's, not the code's.",
                )


def _cut_doubts(comparison: KindComparison) -> Iterator[Doubt]:
    cut = sum(a.table.cut_samples for a in comparison.sets.artifacts)
    if not cut:
        return
    left = [i for i, label in enumerate(comparison.labels) if label.key == ROOT_CUT_OFF]
    rows = comparison.functions.rows
    total = float(np.abs(comparison.sets.totals()).sum())
    part = float(rows[left].sum()) / total if left and total else 0.0
    if part >= MANY_CUT:
        yield Doubt(
            "cut-stacks",
            f"{number(100 * part)} % of the {KINDS} samples have stacks deeper than the profiler records, and could not be put "
            "back under their callers: totals of outer functions are too small.",
        )
