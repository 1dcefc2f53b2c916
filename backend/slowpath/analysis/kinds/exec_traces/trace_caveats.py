"""Find why a comparison of traces may mislead: recording, length, load and machine.

These caveats do not change the verdict; each names the values and their meaning.
"""

from collections.abc import Callable, Iterator, Sequence

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.findings.wording import (
    format_number,
    format_quantile_name,
    format_ratio,
    format_shift,
    join_list,
    pluralize,
)
from slowpath.analysis.kinds.exec_traces.load_estimate import LoadEstimate
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_inputs import TraceComparisonInputs
from slowpath.analysis.kinds.exec_traces.trace_wording import describe_waiter, percent
from slowpath.analysis.kinds.exec_traces.wait_significance import AT
from slowpath.analysis.kinds.exec_traces.waiters import MatchedWaiters
from slowpath.analysis.kinds.exec_traces.waiting_findings import is_withheld, total_sentence

SHORTEST_SECONDS = 2.0
MOST_CENSORED = 0.05
LOAD_DIFFERS = 1.10
MOST_WITHHELD = 3
WORDS = ("base", "candidate")
# Traces do not have the Go version; some trace versions are written by two Go versions.
_GO_OF_HEADER = {"1.23": "1.23 or 1.24", "1.26": "1.26 or 1.27", "1.11": "1.11 to 1.18", "1.19": "1.19 or 1.20"}


def find_trace_caveats(ground: TraceComparisonInputs, load: LoadEstimate) -> list[Caveat]:
    """Return all caveats of two sets of traces, each once."""
    matched = ground.matched
    caveats = [
        *_replication(matched),
        *_procs(matched),
        *_recordings(matched),
        *_versions(matched),
        *_facts(matched),
        *_lost(matched),
        *_durations(matched),
        *_censored(matched),
        *_loads(load),
        *_contention(matched),
        *_withheld(ground),
        *_warnings(matched),
    ]
    return list({(caveat.id, caveat.sentence): caveat for caveat in caveats}.values())


def _replication(matched: MatchedWaiters) -> Iterator[Caveat]:
    counts = [len(side.artifacts) for side in matched.sides]
    if min(counts) == 1:
        yield Caveat(
            "single-trace",
            f"{pluralize(counts[0], 'trace')} in base, {counts[1]} in candidate: the variation between runs is unknown and "
            "assumed, so intervals are wide. Upload two or more per side, each of a separate "
            "run.",
        )
    runs = [{a.facts.run for a in side.artifacts if a.facts.run} for side in matched.sides]
    for side_runs, count, word in zip(runs, counts, WORDS, strict=True):
        if len(side_runs) == 1 and count > 1:
            yield Caveat(
                "one-run",
                f"All traces of the {word} come from one run: the variation between process starts is unknown. Record traces of "
                "several runs.",
            )


def _procs(matched: MatchedWaiters) -> Iterator[Caveat]:
    values = [sorted({table.header.procs.most for table in side.traces}) for side in matched.sides]
    if values[0] != values[1]:
        yield Caveat(
            "gomaxprocs",
            f"GOMAXPROCS differs: {join_list([str(v) for v in values[0]])} in base, {join_list([str(v) for v in values[1]])} in "
            "candidate; scheduler latency depends on the number of processors.",
        )
    changed = [a.name for side in matched.sides for a in side.artifacts if a.table.header.procs.changes > 0]
    if changed:
        yield Caveat(
            "gomaxprocs-changed", f"GOMAXPROCS changed during the recording of {changed[0]}{_others(changed)}."
        )


def _others(names: Sequence[str]) -> str:
    return f" (and {pluralize(len(names) - 1, 'other trace')})" if len(names) > 1 else ""


def _recordings(matched: MatchedWaiters) -> Iterator[Caveat]:
    kinds = [{table.header.recording for table in side.traces} - {"unknown"} for side in matched.sides]
    if kinds[0] and kinds[1] and kinds[0] != kinds[1]:
        yield Caveat(
            "recording",
            f"The traces were recorded differently ({join_list(sorted(kinds[0]))} in base, {join_list(sorted(kinds[1]))} in "
            "candidate): a flight recorder captures the moments before an incident, which are not typical.",
        )


def _versions(matched: MatchedWaiters) -> Iterator[Caveat]:
    values = [sorted({table.header.header_version for table in side.traces}) for side in matched.sides]
    if values[0] != values[1]:
        words = [join_list([_GO_OF_HEADER.get(v, v) for v in each]) for each in values]
        yield Caveat(
            "go-version",
            f"The Go version differs: traces of Go {words[0]} in base, of Go {words[1]} in candidate; the scheduler and "
            "the collector differ too, so not every change is due to the code.",
        )


_FACTS: tuple[tuple[str, str, str, Callable[[RunMetadata], object]], ...] = (
    ("go-version", "Go version", "the scheduler and the collector differ too", lambda f: f.go_version),
    ("goos", "operating system", "threads are scheduled differently", lambda f: f.goos),
    ("goarch", "architecture", "times are not comparable", lambda f: f.goarch),
    ("cpu-model", "CPU model", "the machine may be the cause", lambda f: f.cpu_model),
)


def _facts(matched: MatchedWaiters) -> Iterator[Caveat]:
    for identity, title, meaning, fact in _FACTS:
        values = [sorted({str(fact(a.facts)) for a in side.artifacts if fact(a.facts)}) for side in matched.sides]
        if all(values) and values[0] != values[1]:
            yield Caveat(
                identity,
                f"{title[0].upper()}{title[1:]} differs: {join_list(values[0])} in base, {join_list(values[1])} in candidate; {meaning}.",
            )


def _lost(matched: MatchedWaiters) -> Iterator[Caveat]:
    for side, word in zip(matched.sides, WORDS, strict=True):
        lost = [(artifact.name, artifact.table.header.lost) for artifact in side.artifacts]
        parts = [(name, part) for name, part in lost if part is not None]
        if parts:
            name, part = parts[0]
            message = part.message.rstrip(".") or "a part could not be read"
            share = f" ({percent(part.share)} of the file)" if part.share > 0 else ""
            yield Caveat("lost", f"{name} ({word}): {message}{share}{_others([name for name, _ in parts])}.")


def _durations(matched: MatchedWaiters) -> Iterator[Caveat]:
    short = [a for side in matched.sides for a in side.artifacts if a.table.seconds() < SHORTEST_SECONDS]
    if short:
        yield Caveat(
            "short-trace",
            f"{short[0].name} lasts {format_number(short[0].table.seconds())} s{_others([a.name for a in short])}: too short for rare "
            f"waits and for GC cycles. Record {format_number(SHORTEST_SECONDS)} s or more.",
        )


def _censored(matched: MatchedWaiters) -> Iterator[Caveat]:
    for side, word in zip(matched.sides, WORDS, strict=True):
        cut = float(side.censored_ns[matched.can_be_findings].sum())
        total = cut + float(side.total_ns[matched.can_be_findings].sum())
        if total > 0 and cut / total > MOST_CENSORED:
            yield Caveat(
                "censored",
                f"In the {word}, {percent(cut / total)} of the waiting is censored by the beginning or end of a trace: it is too "
                "short for waits of this length, and true latencies are longer than shown. Record longer.",
            )


def _loads(load: LoadEstimate) -> Iterator[Caveat]:
    if load.ratio is None or 1 / LOAD_DIFFERS <= load.ratio <= LOAD_DIFFERS:
        return
    rates = (
        f"The load differs: {format_number(load.base)} {load.what} per second in base, {format_number(load.candidate)} in candidate "
        f"({format_ratio(load.ratio)})"
    )
    if load.explained is None or load.observed is None:
        yield Caveat("load", f"{rates}; waiting grows with load.")
    else:
        yield Caveat(
            "load",
            f"{rates}. Mean waits differ by {format_ratio(load.observed)}; the processor utilization alone explains "
            f"{format_ratio(load.explained)}, according to the time slices of base.",
        )


def _contention(matched: MatchedWaiters) -> Iterator[Caveat]:
    for side, word in zip(matched.sides, WORDS, strict=True):
        suspected = [a.name for a in side.artifacts if a.table.header.totals.host_contention]
        if suspected:
            coverage = side.coverage
            excluded = f"{format_number(coverage.excluded_s)} s of {format_number(coverage.whole_s)} s"
            outcome = (
                f"{excluded} are excluded from the comparison."
                if coverage.enough
                else f"This affects {excluded}: too little remains to compare, so nothing here is significant."
            )
            yield Caveat(
                "host-contention",
                f"The {word}'s machine was probably short of CPU ({suspected[0]}{_others(suspected)}): processors were idle "
                f"while goroutines waited for milliseconds. A quota or a neighbor delays threads, which a trace does not record. {outcome}",
            )


def _withheld(ground: TraceComparisonInputs) -> Iterator[Caveat]:
    """Report changes that the machine may have caused, since they are not findings."""
    withheld = [each for each in ground.tested_waiters.values() if each.withheld is not None]
    total = ground.waiting.total if is_withheld(ground) else None
    if not withheld and total is None:
        return
    shown = [] if total is None else [total_sentence(ground, total).rstrip(".")]
    for each in withheld[:MOST_WITHHELD]:
        quantile = each.withheld or 0.99
        named, row = ground.matched.waiters[each.waiter], AT[quantile]
        shift = format_shift(float(each.base_ns[row]), float(each.candidate_ns[row]), *each.ratio(quantile))
        shown.append(f"{format_quantile_name(quantile)} of {describe_waiter(named.group, named.reason)}: {shift}")
    count = len(withheld) + (total is not None)
    more = count - len(shown)
    rest = f"; and {pluralize(more, 'other')}" if more else ""
    yield Caveat(
        "machine-or-program",
        f"{pluralize(count, 'change')} of scheduler latency may be due to the machine: most of the time passed while processors "
        f"were idle, or the machine was short of CPU. Not attributed to the program: {'; '.join(shown)}{rest}.",
    )


def _warnings(matched: MatchedWaiters) -> Iterator[Caveat]:
    warned: list[TraceArtifact] = [a for side in matched.sides for a in side.artifacts if a.table.header.warnings]
    if warned:
        text = warned[0].table.header.warnings[0].partition(": ")
        others = [a.name for a in warned]
        yield Caveat("decode-warnings", f"{warned[0].name}: {(text[2] or text[0]).rstrip('.')}{_others(others)}.")
