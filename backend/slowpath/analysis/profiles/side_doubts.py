"""Doubts that the facts and headers of the two sides raise, whatever the kind of profile."""

from collections.abc import Callable, Iterator, Sequence

from slowpath.analysis.facts import Facts
from slowpath.analysis.findings import Doubt
from slowpath.analysis.profiles.artifact import ProfileArtifact
from slowpath.analysis.wording import listed, number, plural
from slowpath.units import NANOSECONDS_PER_SECOND

Artifacts = Sequence[ProfileArtifact]

LOAD_DIFFERS = 1.15


def side_doubts(base: Artifacts, candidate: Artifacts, saturated_at: float) -> list[Doubt]:
    """All of them; a side counts as saturated when it used this part of its CPUs."""
    return [
        *_fact_doubts(base, candidate),
        *_build_doubts(base, candidate),
        *_cpu_flag_doubts(base, candidate),
        *_load_doubts(base, candidate),
        *_saturation_doubts(base, candidate, saturated_at),
        *_warning_doubts((*base, *candidate)),
    ]


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


def _saturation_doubts(base: Artifacts, candidate: Artifacts, saturated_at: float) -> Iterator[Doubt]:
    used = {"base": _part_used(base), "candidate": _part_used(candidate)}
    full = [f"{number(100 * part)} % in {side}" for side, part in used.items() if part >= saturated_at]
    if full:
        yield Doubt(
            "cpu-saturated",
            f"The CPUs were full: {listed(full)}. The process may have been held back, so that work per second says little.",
        )


def _part_used(side: Artifacts) -> float:
    known = [a.facts for a in side if a.facts.cpu_ns and a.facts.wall_ns and a.facts.gomaxprocs]
    capacity = sum((f.wall_ns or 0) * (f.gomaxprocs or 0) for f in known)
    return sum(f.cpu_ns or 0 for f in known) / capacity if capacity else 0.0


def _warning_doubts(artifacts: Artifacts) -> Iterator[Doubt]:
    warned = [artifact for artifact in artifacts if artifact.table.warnings]
    if warned:
        yield Doubt(
            "decode-warnings", f"{warned[0].name}: {warned[0].table.warnings[0].rstrip('.')}{_others(len(warned) - 1)}."
        )


def _others(count: int) -> str:
    return f" (and {plural(count, 'other file')} with warnings)" if count else ""
