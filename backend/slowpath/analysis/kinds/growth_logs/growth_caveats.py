"""Why a comparison of growth logs may mislead."""

from collections.abc import Iterator, Sequence

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.wording import format_number, join_list, pluralize
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_counts import GrowthCounts
from slowpath.analysis.kinds.growth_logs.growth_findings import ordinal, size
from slowpath.analysis.kinds.growth_logs.growth_thresholds import GrowthThresholds

Side = Sequence[GrowthArtifact]
# What the decoder warns of and what does not touch the counts.
HARMLESS = ("other-output", "all-zero")
DURATION_DIFFERS = 1.5


def find_caveats(measured: GrowthCounts, thresholds: GrowthThresholds) -> list[Caveat]:
    """What the logs and their facts betray; what facts alone tell (Go version, machine) is told for all kinds together."""
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
            f"{counted}: the spread between runs cannot be seen, so differences are likely at best. At least "
            f"{thresholds.fewest_replicates} a side are needed.",
        )
    elif min(base, candidate) < thresholds.few_logs:
        yield Caveat("growth-few-logs", f"{counted}: only large changes can be seen.")


def _basis(measured: GrowthCounts, base: Side, candidate: Side) -> Iterator[Caveat]:
    if measured.basis.id == "per_second":
        yield Caveat(
            "growth-load-unknown",
            "Requests are not known of all growth logs, so growths are counted per second: more load looks like more growth.",
        )
    elif measured.basis.id == "count":
        yield Caveat(
            "growth-duration-unknown",
            "Neither load nor duration is known of all growth logs, so growths are counted per log: a longer run looks like "
            "more growth.",
        )
    seconds = [[a.seconds for a in side if a.seconds] for side in (base, candidate)]
    if all(seconds):
        means = [sum(side) / len(side) for side in seconds]
        if not 1 / DURATION_DIFFERS <= means[1] / means[0] <= DURATION_DIFFERS:
            yield Caveat(
                "growth-duration",
                f"The growth logs last {format_number(means[0])} s in base and {format_number(means[1])} s in candidate: short ones weigh "
                "start-up more.",
            )


def _rates(base: Side, candidate: Side) -> Iterator[Caveat]:
    unknown = [a.name for a in (*base, *candidate) if not a.table.rate_known and a.table.sampled]
    if unknown:
        yield Caveat(
            "growth-rate-unknown",
            f"{unknown[0]}{_others(len(unknown) - 1)} does not say every how many-th growth was recorded: each is counted as one.",
        )
    rates = [sorted({a.table.rate for a in side if a.table.sampled}) for side in (base, candidate)]
    if all(rates) and rates[0] != rates[1]:
        words = [join_list([f"every {ordinal(rate)}" for rate in side]) for side in rates]
        yield Caveat(
            "growth-rate",
            f"Base records {words[0]} growth, candidate {words[1]}: both were multiplied, and are as coarse as the coarser.",
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
            f"Only {counts[0]} growths were recorded in base and {counts[1]} in candidate: who pays is a matter of chance. "
            "Record longer, or more of them.",
        )


def _starts(base: Side, candidate: Side) -> Iterator[Caveat]:
    """The runtime chooses by what the collector saw in use (GODEBUG=adaptivestackstart), so a run may have luck."""
    sizes = sorted({a.table.start_bytes for a in (*base, *candidate) if a.table.start_bytes})
    if len(sizes) > 1:
        yield Caveat(
            "growth-start-size",
            f"New goroutines start with {join_list([size(each) for each in sizes])} in different runs (the runtime adapts it): "
            "those that start larger grow less, whatever the code does. GODEBUG=adaptivestackstart=0 fixes it.",
        )


def _losses(artifacts: Side) -> Iterator[Caveat]:
    lost = [a for a in artifacts if a.table.lost]
    if lost:
        missing = sum(a.table.lost for a in lost)
        yield Caveat(
            "growth-lost",
            f"{lost[0].name}{_others(len(lost) - 1)} lacks {pluralize(missing, 'recorded growth')} by the numbers printed: counts are too small.",
        )
    truncated = [a for a in artifacts if a.table.truncated]
    if truncated:
        yield Caveat(
            "growth-truncated",
            f"{truncated[0].name}{_others(len(truncated) - 1)} ends in the middle: what came after is missing from the counts.",
        )


_TOLD_ELSEWHERE = (*HARMLESS, "lost-growths", "truncated-log", "rate-unknown")


def _warnings(artifacts: Side) -> Iterator[Caveat]:
    for artifact in artifacts:
        for warning in artifact.table.warnings:
            slug, _, words = warning.partition(": ")
            if slug not in _TOLD_ELSEWHERE:
                yield Caveat(f"growth-{slug}", f"{artifact.name}: {words or slug}")
                return


def _others(count: int) -> str:
    return f" (and {pluralize(count, 'other log')})" if count else ""
