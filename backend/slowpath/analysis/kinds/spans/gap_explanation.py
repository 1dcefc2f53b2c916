"""Explain a gap of a span from execution traces.

The decoder (worker/decode, `gap-explain`) determines what the goroutine of the span did. This module builds its query,
in times of the clock of the process that recorded the span, and builds the document from its output.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.findings.wording import format_duration, function
from slowpath.analysis.formats.go_function_names import is_standard
from slowpath.analysis.kinds.spans.gap_explanation_document import (
    FORMAT,
    ExplainedGap,
    ExplainingTrace,
    ExplanationBasis,
    GapAnswer,
    GapExplanationDocument,
    GapGc,
    GapOccupant,
    GapPart,
    GoroutineState,
    UnusedTrace,
)
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_columns import DUPLICATE_ID, NEGATIVE_MENDED, SERVER
from slowpath.analysis.kinds.spans.span_forest import SpanForest
from slowpath.analysis.kinds.spans.span_gaps import END, NO_CHILD, START, find_gaps
from slowpath.analysis.kinds.spans.span_table import SpanTable

MOST_MARKS = 60
NO_GC: GapGc = {"mark_ns": 0, "stop_ns": 0, "cycles": 0}
SHORT_NS = 40_000
"""Accuracy of clocks, which are read one after the other: a shorter gap can be an artifact of the clocks."""
MARKED_FROM = 0.3
"""The sentence names the garbage collector from this share of the gap on."""
BY_GOROUTINE: tuple[ExplanationBasis, ...] = ("id", "clock")
RANKS: tuple[ExplanationBasis, ...] = ("id", "clock", "no-goroutine", "nothing")
"""Bases of an explanation, best first."""

STATE_WORDS: Mapping[GoroutineState, str] = {
    "running": "it ran for {}",
    "assist": "it was in GC assist for {}",
    "runnable": "it was runnable and waited {} for a P",
    "blocked": "it was blocked for {}",
    "syscall": "it was in system calls for {}",
    "unknown": "its state is unknown for {}",
}
OCCUPANTS: Mapping[str, str] = {
    "stw": "a stop-the-world pause",
    "gc-dedicated": "the garbage collector",
    "gc-fractional": "the garbage collector",
    "gc-idle": "the garbage collector",
    "runtime": "the runtime's goroutines",
    "syscall": "system calls",
    "scheduler": "the scheduler",
    "idle": "idle",
    "unknown": "unknown",
}
WHY_NOTHING: Mapping[str, str] = {
    "no-clock": "the trace has no wall clock (Go 1.25 and later write one), and it does not contain the ID of this span",
    "clock-set": "the wall clock was set during the recording, and the trace does not contain the ID of this span",
    "outside": "the trace does not include the time of the gap",
    "unreadable": "the trace could not be read",
}
WHY_NO_GOROUTINE: Mapping[str, str] = {
    "no-one": "no goroutine ran both at the start and at the end of the span; the trace may be of another process",
    "ambiguous": "several goroutines match the times of the span about equally well",
    "by-chance": "the goroutine that matches the times of the span runs so often that the match may be chance",
}


@dataclass(frozen=True)
class GapQuestion:
    """One gap. Times are Unix nanoseconds by the clock of the span's process, without skew correction."""

    service: str
    instance: str
    op: str
    previous: str
    next: str
    span_id: int | None
    span_start_ns: int
    span_end_ns: int
    from_ns: int
    to_ns: int
    marks: tuple[int, ...]
    skew_ns: int
    mended: bool


@dataclass(frozen=True)
class ExaminedTrace:
    """A trace that was examined, and the decoder's output about the gap; `name` is shown to users."""

    artifact_id: str
    name: str
    answer: GapAnswer
    partial: bool = False
    """Whether the trace has an unreadable range."""


def make_gap_question(table: SpanTable, trace: int, span: int, gap: int) -> GapQuestion:
    """Return the question about gap number `gap` of span number `span` of a trace, as its page numbers them.

    Raises `IndexError` for an unknown span or gap.
    """
    one = table.only(trace)
    holes = find_gaps(SpanForest.of([SpanArtifact("", one, RunMetadata())]))
    mine = np.flatnonzero(holes.span == span)
    if not 0 <= span < len(one) or not 0 <= gap < len(mine):
        raise IndexError(gap)
    hole = int(mine[gap])
    spans, skew = one.spans, int(one.skew_ns[span])
    same = (
        (one.parent == span)
        & (spans.service == spans.service[span])
        & (spans.instance == spans.instance[span])
        & (spans.kind != SERVER)
    )
    moments = (
        np.concatenate([spans.start_ns[same], spans.end_ns[same]])
        - one.skew_ns[np.concatenate([same.nonzero()[0]] * 2)]
    )
    start, end = int(spans.start_ns[span]) - skew, int(spans.end_ns[span]) - skew
    begin, until = int(holes.begin_ns[hole]) - skew, int(holes.end_ns[hole]) - skew
    inside = sorted({begin, until, *(each for each in moments.tolist() if start <= each <= end)} - {start, end})
    previous, following = int(holes.previous[hole]), int(holes.next[hole])
    flags = int(spans.flags[span])
    return GapQuestion(
        service=one.service(span),
        instance=one.strings[int(spans.instance[span])],
        op=one.op(span),
        previous=START if previous == NO_CHILD else one.op(previous),
        next=END if following == NO_CHILD else one.op(following),
        span_id=None if flags & DUPLICATE_ID else int(spans.id[span]),
        span_start_ns=start,
        span_end_ns=end,
        from_ns=begin,
        to_ns=until,
        marks=tuple(inside[:MOST_MARKS]),
        skew_ns=skew,
        mended=bool(flags & NEGATIVE_MENDED),
    )


def choose_explaining_trace(examined: Sequence[ExaminedTrace]) -> ExaminedTrace | None:
    """Return the trace that explains best: by id, then by the clock; None without traces."""
    return min(examined, key=lambda each: RANKS.index(each.answer["basis"]), default=None)


def make_explanation(question: GapQuestion, examined: Sequence[ExaminedTrace]) -> GapExplanationDocument:
    """Build the document about a gap from the traces that were read."""
    best = choose_explaining_trace(examined)
    answer: GapAnswer = best.answer if best else {"basis": "nothing", "reason": "no-trace"}
    is_explained = answer["basis"] != "nothing"
    return GapExplanationDocument(
        format=FORMAT,
        basis=answer["basis"],
        reason=answer.get("reason") or None,
        sentence=_sentence(question, best),
        gap=ExplainedGap(
            service=question.service,
            instance=question.instance,
            op=question.op,
            previous=question.previous,
            next=question.next,
            duration_ns=question.to_ns - question.from_ns,
        ),
        trace=ExplainingTrace(best.artifact_id, best.name, answer.get("trace_from_ns"))
        if best and is_explained
        else None,
        goroutine=answer.get("goroutine"),
        parts=answer.get("parts", []),
        pieces=answer.get("pieces", []),
        pieces_total=answer.get("pieces_total", 0),
        processors=answer.get("processors", []),
        procs=answer.get("procs", 0),
        gc=answer.get("gc", NO_GC),
        samples=answer.get("samples", []),
        caveats=_caveats(question, best) if best and is_explained else [],
        looked=[
            UnusedTrace(each.artifact_id, each.name, _why(each.answer))
            for each in examined
            if each is not best or not is_explained
        ],
    )


def _why(answer: GapAnswer) -> str:
    why = str(answer.get("reason", ""))
    return WHY_NOTHING.get(why) or WHY_NO_GOROUTINE.get(why, "")


def _sentence(question: GapQuestion, best: ExaminedTrace | None) -> str:
    gap = format_duration(question.to_ns - question.from_ns)
    if best is None:
        return f"No execution trace of {question.service} covers this gap of {gap}."
    answer = best.answer
    if answer["basis"] == "nothing":
        return f"This gap of {gap} cannot be explained: {_why(answer)}."
    if answer["basis"] == "no-goroutine":
        occupancy = _format_occupancy(answer["processors"])
        return f"The goroutine of this gap of {gap} is unknown: {_why(answer)}. P occupancy meanwhile: {occupancy}."
    parts = answer.get("parts", [])
    states: dict[GoroutineState, int] = {}
    for part in parts:
        states[part["state"]] = states.get(part["state"], 0) + part["ns"]
    ordered = sorted(states.items(), key=lambda each: -each[1])
    words = [STATE_WORDS[state].format(format_duration(ns)) + _of_state(state, parts) for state, ns in ordered[:3]]
    goroutine = answer["goroutine"]
    assert goroutine is not None
    subject = f"Gap of {gap} in goroutine {goroutine['id']} ({goroutine['group']}){_in_code(parts)}"
    return f"{subject}: {_joined(words)}.{_gc_sentence(question, answer)}"


def _in_code(parts: Sequence[GapPart]) -> str:
    """Name the code of the longest part with a stack: the innermost function that is not of the standard library."""
    longest = max((part for part in parts if part.get("stack")), key=lambda part: int(part["ns"]), default=None)
    functions = [str(frame["function"]) for frame in longest["stack"]] if longest is not None else []
    own = next((name for name in functions if not is_standard(name)), next(iter(functions), ""))
    return f", in {function(own)}" if own else ""


def _gc_sentence(question: GapQuestion, answer: GapAnswer) -> str:
    marked = int(answer["gc"]["mark_ns"])
    if marked < MARKED_FROM * (question.to_ns - question.from_ns):
        return ""
    return f" GC mark was active for {format_duration(marked)} of it."


def _of_state(state: GoroutineState, parts: Sequence[GapPart]) -> str:
    longest = max((part for part in parts if part["state"] == state), key=lambda part: int(part["ns"]))
    if state == "runnable" and longest.get("occupancy"):
        return f" behind {_format_occupancy(longest['occupancy'], 2)}"
    if state == "blocked" and longest["reason"]:
        waker = longest.get("waker")
        by = f", woken by {waker['group']}" if waker and waker["group"] else ""
        return f" ({longest['reason']}{by})"
    return ""


def _format_occupancy(occupancy: Sequence[GapOccupant], most: int = 3) -> str:
    total = sum(each["ns"] for each in occupancy) or 1
    sums: dict[str, float] = {}
    for each in occupancy:
        name = each["group"] or OCCUPANTS.get(each["kind"], each["kind"])
        sums[name] = sums.get(name, 0) + each["ns"] / total
    leading = sorted(sums.items(), key=lambda each: -each[1])[:most]
    return _joined([f"{name} ({100 * share:.0f}%)" for name, share in leading if share >= 0.02]) or "none"


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def _caveats(question: GapQuestion, best: ExaminedTrace) -> list[str]:
    answer, found = best.answer, []
    clock = answer["clock"]
    if answer["basis"] == "clock":
        found.append(
            f"The goroutine was matched by the clock: it ran at {answer['hit']} of {answer['marks']} times of the span. "
            f"The probability of such a match by chance is 1 in {_one_in(answer['luck'])}. "
            "Log the span ID into the trace (runtime/trace.Log) for an exact match."
        )
    if clock["anchored"]:
        apart = clock["apart_ns"]
        found.append(
            "The trace has no wall clock: the time at which the span ID was logged is used as the start of the span."
            if apart is None
            else f"The clocks of span and trace are {format_duration(abs(apart))} apart: "
            "the time at which the span ID was logged is used as the start of the span."
        )
    elif clock["drift_ns"] > SHORT_NS:
        found.append(f"The clocks of the trace drift by {format_duration(clock['drift_ns'])} per second.")
    if question.to_ns - question.from_ns < SHORT_NS:
        found.append("The gap is close to the accuracy of the clocks.")
    if question.skew_ns:
        found.append(
            f"The page corrects the span for {format_duration(abs(question.skew_ns))} of clock skew; "
            "this explanation uses its recorded times."
        )
    if question.mended:
        found.append("The recorded end of the span was before its start, and was corrected.")
    if answer.get("reason") == "not-there":
        found.append("The trace has no events of the goroutine during the gap.")
    if best.partial:
        found.append("A part of the trace could not be read.")
    return found


def _one_in(luck: float) -> str:
    return "more than a billion" if luck < 1e-9 else f"{1 / luck:,.0f}"
