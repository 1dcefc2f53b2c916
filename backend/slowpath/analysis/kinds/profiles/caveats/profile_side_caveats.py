"""Find caveats from run metadata and headers of the two sides, whatever the kind of profile."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.findings.wording import format_number, join_list, pluralize
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.recorded_profile import RecordedProfile
from slowpath.analysis.kinds.profiles.sets.load import contradiction_of_load, load_gap, request_rate
from slowpath.analysis.kinds.profiles.sets.same_build import binaries, same_binary
from slowpath.commit_names import short_commit

Artifacts = Sequence[ProfileArtifact]
Recordings = Sequence[RecordedProfile]


def find_side_caveats(base: Artifacts, candidate: Artifacts, saturated_at: float) -> list[Caveat]:
    """Return all caveats; a side counts as saturated if it used this share of its CPUs."""
    return [
        *find_condition_caveats(base, candidate, saturated_at),
        *_implausible_load_caveats(base, candidate),
        *warning_caveats((*base, *candidate)),
        *_label_caveats(base, candidate),
    ]


def find_condition_caveats(base: Recordings, candidate: Recordings, saturated_at: float) -> list[Caveat]:
    """Return the caveats of machine, Go version, platform, build and load, for which no decoded values are required."""
    return [
        *_fact_caveats(base, candidate),
        *_build_caveats(base, candidate),
        *_cpu_flag_caveats(base, candidate),
        *_load_caveats(base, candidate),
        *_saturation_caveats(base, candidate, saturated_at),
    ]


_FACTS: tuple[tuple[str, str, str, Callable[[RunMetadata], object]], ...] = (
    (
        "go-version",
        "Go version",
        "runtime and compiler differ too, so not every change is due to the code",
        lambda f: f.go_version,
    ),
    ("goos", "operating system", "system calls and scheduling differ", lambda f: f.goos),
    ("goarch", "architecture", "CPU times are not comparable", lambda f: f.goarch),
    ("cpu-model", "CPU model", "the machine may be the cause", lambda f: f.cpu_model),
    ("gomaxprocs", "GOMAXPROCS", "parallelism, and with it contention and GC, differ", lambda f: f.gomaxprocs),
)


def _fact_caveats(base: Recordings, candidate: Recordings) -> Iterator[Caveat]:
    for identity, title, meaning, fact in _FACTS:
        values = [_known(side, fact) for side in (base, candidate)]
        if all(values) and values[0] != values[1]:
            yield Caveat(
                identity,
                f"{title} differs: {join_list(values[0])} in base, {join_list(values[1])} in candidate; {meaning}.",
            )


def _known(side: Recordings, fact: Callable[[RunMetadata], object]) -> list[str]:
    return sorted({str(fact(artifact.facts)) for artifact in side if fact(artifact.facts) is not None})


def _build_caveats(base: Recordings, candidate: Recordings) -> Iterator[Caveat]:
    """Warn of the same build on both sides: then no change is due to the code."""
    if same_binary(base, candidate):
        build_ids = ", ".join(sorted(each[:16] for each in binaries(base)))
        yield Caveat(
            "same-build",
            f"Both sides are the same binary (build id {build_ids}): differences are due to the machine, the load or the "
            "configuration, not the code, so no change is significant.",
            explains_effect=True,
        )
        return
    values = [_known(side, lambda facts: facts.commit) for side in (base, candidate)]
    if not (binaries(base) and binaries(candidate)) and len(values[0]) == 1 and values[0] == values[1]:
        yield Caveat(
            "same-build",
            f"Both sides are the same commit ({short_commit(values[0][0])}): a change may not be due to the code.",
        )


def _cpu_flag_caveats(base: Recordings, candidate: Recordings) -> Iterator[Caveat]:
    flags = [{f for a in side for f in a.facts.cpu_flags or ()} for side in (base, candidate)]
    if all(flags) and flags[0] != flags[1]:
        only = [sorted(flags[0] - flags[1])[:4], sorted(flags[1] - flags[0])[:4]]
        words = [
            f"{join_list(names)} only in {side}"
            for names, side in zip(only, ("base", "candidate"), strict=True)
            if names
        ]
        yield Caveat(
            "cpu-flags", f"CPU features differ: {'; '.join(words)}. Hashing, copying and crypto depend on them."
        )


def _load_caveats(base: Recordings, candidate: Recordings) -> Iterator[Caveat]:
    rates = [request_rate(side) for side in (base, candidate)]
    gap = load_gap(base, candidate)
    if gap:
        yield Caveat(
            "load",
            f"The load differs: {format_number(rates[0])} requests per second in base, {format_number(rates[1])} in candidate; "
            f"cost per request depends on load (batching, contention, GC). Changes of functions by less than "
            f"×{format_number(np.exp(abs(gap)))} are therefore not significant.",
            explains_effect=True,
        )


def _implausible_load_caveats(base: Artifacts, candidate: Artifacts) -> Iterator[Caveat]:
    contradiction = contradiction_of_load(base, candidate)
    if contradiction:
        yield Caveat(
            "load-implausible",
            f"The given requests cannot be the load of these profiles: {contradiction}. They are not used; "
            "check which counter was read.",
        )


def _saturation_caveats(base: Recordings, candidate: Recordings, saturated_at: float) -> Iterator[Caveat]:
    used = {"base": _part_used(base), "candidate": _part_used(candidate)}
    full = [f"{format_number(100 * part)}% in {side}" for side, part in used.items() if part >= saturated_at]
    if full:
        yield Caveat(
            "cpu-saturated",
            f"The CPUs were saturated: {join_list(full)}. The process may have been throttled, so work per second is unreliable.",
        )


def _part_used(side: Recordings) -> float:
    known = [a.facts for a in side if a.facts.cpu_ns and a.facts.wall_ns and a.facts.gomaxprocs]
    capacity = sum((f.wall_ns or 0) * (f.gomaxprocs or 0) for f in known)
    return sum(f.cpu_ns or 0 for f in known) / capacity if capacity else 0.0


def warning_caveats(artifacts: Artifacts) -> Iterator[Caveat]:
    """Warn of what the decoder noticed in a profile."""
    warned = [artifact for artifact in artifacts if artifact.table.warnings]
    if warned:
        yield Caveat(
            "decode-warnings", f"{warned[0].name}: {warned[0].table.warnings[0].rstrip('.')}{_others(len(warned) - 1)}."
        )


def _label_caveats(base: Artifacts, candidate: Artifacts) -> Iterator[Caveat]:
    """Warn of profiles in which no sample has the labels of their side: their cost is 0, or they were recorded without."""
    for name, side in (("base", base), ("candidate", candidate)):
        empty = [each for each in side if each.labels and not len(each.table.sample_line_node)]
        if empty:
            labels = join_list([str(each) for each in empty[0].labels])
            yield Caveat(
                "labels-missing",
                f"{len(empty)} of {pluralize(len(side), 'profile')} of the {name} have no sample with {labels} "
                f"(the first is {empty[0].name}): they count as a cost of 0.",
            )


def _others(count: int) -> str:
    return f" (and {pluralize(count, 'other file')} with warnings)" if count else ""
