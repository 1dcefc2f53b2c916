"""Find why a comparison of growth logs may mislead."""

from collections.abc import Iterator, Sequence

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.wording import format_number, join_list, pluralize
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_counts import GrowthCounts
from slowpath.analysis.kinds.growth_logs.growth_findings import ordinal, size
from slowpath.analysis.kinds.growth_logs.growth_thresholds import GrowthThresholds

Side = Sequence[GrowthArtifact]
# Decoder warnings that do not affect the counts.
HARMLESS = ("other-output", "all-zero")
DURATION_DIFFERS = 1.5


def find_caveats(measured: GrowthCounts, thresholds: GrowthThresholds) -> list[Caveat]:
    """Return caveats from the logs; those about run metadata (Go version, machine) come from elsewhere."""
    flags = measured.is_base.tolist()
    base = [artifact for artifact, is_base in zip(measured.artifacts, flags, strict=True) if is_base]
    candidate = [artifact for artifact, is_base in zip(measured.artifacts, flags, strict=True) if not is_base]
    return [
        *_replication(measured, thresholds),
        *_basis(measured, base, candidate),
        *_rates(base, candidate),
        *_few(base, candidate, thresholds),
        *_starts(base, candidate),
        *_losses([*base, *candidate]),
        *_warnings([*base, *candidate]),
    ]


def _replication(measured: GrowthCounts, thresholds: GrowthThresholds) -> Iterator[Caveat]:
    base, candidate = measured.replicates
    counted = f"{pluralize(base, 'growth log')} in base, {candidate} in candidate"
    if min(base, candidate) < thresholds.fewest_replicates:
        yield Caveat(
            "growth-single-log",
            f"{counted}: the variation between runs is unknown, so differences are tentative at best. Upload at least "
            f"{thresholds.fewest_replicates} per side.",
        )
    elif min(base, candidate) < thresholds.few_logs:
        yield Caveat("growth-few-logs", f"{counted}: only large changes are detectable. Upload more logs per side.")


def _basis(measured: GrowthCounts, base: Side, candidate: Side) -> Iterator[Caveat]:
    if measured.basis.id == "per_second":
        yield Caveat(
            "growth-load-unknown",
            "The number of requests is not known for all growth logs, so growths are counted per second: more load looks like more growth.",
        )
    elif measured.basis.id == "count":
        yield Caveat(
            "growth-duration-unknown",
            "Neither load nor duration is known for all growth logs, so growths are counted per log: a longer run looks like "
            "more growth.",
        )
    seconds = [[a.seconds for a in side if a.seconds] for side in (base, candidate)]
    if all(seconds):
        means = [sum(side) / len(side) for side in seconds]
        if not 1 / DURATION_DIFFERS <= means[1] / means[0] <= DURATION_DIFFERS:
            yield Caveat(
                "growth-duration",
                f"The growth logs last {format_number(means[0])} s in base and {format_number(means[1])} s in candidate: start-up has more weight "
                "in short ones.",
            )


def _rates(base: Side, candidate: Side) -> Iterator[Caveat]:
    unknown = [a.name for a in (*base, *candidate) if not a.table.rate_known and a.table.sampled]
    if unknown:
        yield Caveat(
            "growth-rate-unknown",
            f"{unknown[0]}{_others(len(unknown) - 1)} does not state its sampling rate: each recorded growth is counted as one.",
        )
    rates = [sorted({a.table.rate for a in side if a.table.sampled}) for side in (base, candidate)]
    if all(rates) and rates[0] != rates[1]:
        words = [join_list([f"every {ordinal(rate)}" for rate in side]) for side in rates]
        yield Caveat(
            "growth-rate",
            f"Base records {words[0]} growth, candidate {words[1]}: both are scaled up, with the precision of the coarser one.",
        )
    dialects = [{a.table.dialect for a in side} for side in (base, candidate)]
    if dialects[0] != dialects[1]:
        yield Caveat(
            "growth-dialect",
            f"Growths were recorded in different ways ({join_list(sorted(dialects[0]))} in base, {join_list(sorted(dialects[1]))} in "
            "candidate), which may count different events.",
        )


def _few(base: Side, candidate: Side, thresholds: GrowthThresholds) -> Iterator[Caveat]:
    counts = [sum(a.table.sampled for a in side) for side in (base, candidate)]
    if max(counts) < thresholds.few_growths:
        yield Caveat(
            "growth-few",
            f"Only {counts[0]} growth events in base and {counts[1]} in candidate: too few to attribute. "
            "Record longer, or at a higher sampling rate.",
        )


def _starts(base: Side, candidate: Side) -> Iterator[Caveat]:
    """Warn of different start sizes, which the runtime adapts to stack use (GODEBUG=adaptivestackstart)."""
    sizes = sorted({a.table.start_bytes for a in (*base, *candidate) if a.table.start_bytes})
    if len(sizes) > 1:
        yield Caveat(
            "growth-start-size",
            f"New goroutines start with {join_list([size(each) for each in sizes])} in different runs (the runtime adapts it): "
            "larger initial stacks grow less, whatever the code does. Set GODEBUG=adaptivestackstart=0.",
        )


def _losses(artifacts: Side) -> Iterator[Caveat]:
    lost = [a for a in artifacts if a.table.lost]
    if lost:
        missing = sum(a.table.lost for a in lost)
        yield Caveat(
            "growth-lost",
            f"{lost[0].name}{_others(len(lost) - 1)} lacks {pluralize(missing, 'recorded growth')} according to its counter: counts are too small.",
        )
    truncated = [a for a in artifacts if a.table.truncated]
    if truncated:
        yield Caveat(
            "growth-truncated",
            f"{truncated[0].name}{_others(len(truncated) - 1)} is truncated: later growths are missing from the counts.",
        )


_COVERED_ELSEWHERE = (*HARMLESS, "lost-growths", "truncated-log", "rate-unknown")


def _warnings(artifacts: Side) -> Iterator[Caveat]:
    for artifact in artifacts:
        for warning in artifact.table.warnings:
            slug, _, words = warning.partition(": ")
            if slug not in _COVERED_ELSEWHERE:
                yield Caveat(f"growth-{slug}", f"{artifact.name}: {words or slug}")
                return


def _others(count: int) -> str:
    return f" (and {pluralize(count, 'other log')})" if count else ""
