"""Explain a gap of a span from execution traces.

The decoder (worker/decode, `gap-explain`) determines what the goroutine of the span did. Here the question for it is
made, in times of the clock of the process that recorded the span, and its output becomes the document.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.findings.wording import format_duration
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
from slowpath.analysis.kinds.spans.span_gaps import END, NOBODY, START, find_gaps
from slowpath.analysis.kinds.spans.span_table import SpanTable

MOST_MARKS = 60
NO_GC: GapGc = {"mark_ns": 0, "stop_ns": 0, "cycles": 0}
SHORT_NS = 40_000
"""Clocks are read one after the other: a gap shorter than this is about as short as clocks are exact."""
MARKED_FROM = 0.3
"""The sentence names the garbage collector from this share of the gap on."""
BY_GOROUTINE: tuple[ExplanationBasis, ...] = ("id", "clock")
RANKS: tuple[ExplanationBasis, ...] = ("id", "clock", "nobody", "nothing")
"""Ways in which a gap was explained, the best first."""

STATE_WORDS: Mapping[GoroutineState, str] = {
    "running": "it ran for {}",
    "assist": "it worked for the garbage collector for {}",
    "runnable": "it waited {} for a processor",
    "blocked": "it was blocked for {}",
    "syscall": "it was in system calls for {}",
    "unknown": "of {} the trace does not tell",
}
OCCUPANTS: Mapping[str, str] = {
    "stw": "a stop of the world",
    "gc-dedicated": "the garbage collector",
    "gc-fractional": "the garbage collector",
    "gc-idle": "the garbage collector",
    "runtime": "the runtime's goroutines",
    "syscall": "system calls",
    "scheduler": "the scheduler",
    "idle": "nobody",
    "unknown": "what the trace does not tell",
}
WHY_NOTHING: Mapping[str, str] = {
    "no-clock": "the trace has no wall clock (Go writes one from 1.25 on), and the program wrote no id of this span into it",
    "clock-set": "the wall clock was set while the trace was recorded, and the program wrote no id of this span into it",
    "outside": "the trace does not hold the time of the gap",
    "unreadable": "the trace could not be read",
}
WHY_NOBODY: Mapping[str, str] = {
    "no-one": "no goroutine ran both when the span began and when it ended: the trace may be of another process",
    "ambiguous": "several goroutines ran at the moments of the span, none of them much likelier than the others",
    "by-chance": "the goroutine that ran at the moments of the span runs so often that it may be chance",
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
    """A trace that was read, and the decoder's output about the gap; `name` is shown to users."""

    artifact_id: str
    name: str
    answer: GapAnswer
    partial: bool = False
    """Some of the trace was lost."""


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
        previous=START if previous == NOBODY else one.op(previous),
        next=END if following == NOBODY else one.op(following),
        span_id=None if flags & DUPLICATE_ID else int(spans.id[span]),
        span_start_ns=start,
        span_end_ns=end,
        from_ns=begin,
        to_ns=until,
        marks=tuple(inside[:MOST_MARKS]),
        skew_ns=skew,
        mended=bool(flags & NEGATIVE_MENDED),
    )


def choose_explaining_trace(looked: Sequence[ExaminedTrace]) -> ExaminedTrace | None:
    """Return the trace that explains best: by id, then by the clock; None without traces."""
    return min(looked, key=lambda each: RANKS.index(each.answer["basis"]), default=None)


def make_explanation(question: GapQuestion, looked: Sequence[ExaminedTrace]) -> GapExplanationDocument:
    """Build the document about a gap from the traces that were read."""
    best = choose_explaining_trace(looked)
    answer: GapAnswer = best.answer if best else {"basis": "nothing", "why": "no-trace"}
    is_explained = answer["basis"] != "nothing"
    return GapExplanationDocument(
        format=FORMAT,
        basis=answer["basis"],
        why=answer.get("why") or None,
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
        doubts=_caveats(question, best) if best and is_explained else [],
        looked=[
            UnusedTrace(each.artifact_id, each.name, _why(each.answer))
            for each in looked
            if each is not best or not is_explained
        ],
    )


def _why(answer: GapAnswer) -> str:
    why = str(answer.get("why", ""))
    return WHY_NOTHING.get(why) or WHY_NOBODY.get(why, "")


def _sentence(question: GapQuestion, best: ExaminedTrace | None) -> str:
    gap = format_duration(question.to_ns - question.from_ns)
    if best is None:
        return f"No execution trace of {question.service} covers these {gap}."
    answer = best.answer
    if answer["basis"] == "nothing":
        return f"These {gap} can not be explained: {_why(answer)}."
    if answer["basis"] == "nobody":
        holders = _holders(answer["processors"])
        return (
            f"Whose {gap} these were can not be told: {_why(answer)}. The processors were held by {holders} meanwhile."
        )
    parts = answer.get("parts", [])
    states: dict[GoroutineState, int] = {}
    for part in parts:
        states[part["state"]] = states.get(part["state"], 0) + part["ns"]
    ordered = sorted(states.items(), key=lambda each: -each[1])
    words = [STATE_WORDS[state].format(format_duration(ns)) + _of_state(state, parts) for state, ns in ordered[:3]]
    goroutine = answer["goroutine"]
    assert goroutine is not None
    whose = f"Of these {gap}, in goroutine {goroutine['id']} ({goroutine['group']})"
    return f"{whose}: {_joined(words)}.{_collecting(question, answer)}"


def _collecting(question: GapQuestion, answer: GapAnswer) -> str:
    marked = int(answer["gc"]["mark_ns"])
    if marked < MARKED_FROM * (question.to_ns - question.from_ns):
        return ""
    return f" The garbage collector was marking for {format_duration(marked)} of it."


def _of_state(state: GoroutineState, parts: Sequence[GapPart]) -> str:
    longest = max((part for part in parts if part["state"] == state), key=lambda part: int(part["ns"]))
    if state == "runnable" and longest.get("blame"):
        return f" behind {_holders(longest['blame'], 2)}"
    if state == "blocked" and longest["reason"]:
        waker = longest.get("waker")
        by = f", woken by {waker['group']}" if waker and waker["group"] else ""
        return f" ({longest['reason']}{by})"
    return ""


def _holders(blame: Sequence[GapOccupant], most: int = 3) -> str:
    total = sum(each["ns"] for each in blame) or 1
    sums: dict[str, float] = {}
    for each in blame:
        name = each["group"] or OCCUPANTS.get(each["kind"], each["kind"])
        sums[name] = sums.get(name, 0) + each["ns"] / total
    leading = sorted(sums.items(), key=lambda each: -each[1])[:most]
    return _joined([f"{name} ({100 * share:.0f} %)" for name, share in leading if share >= 0.02]) or "nobody"


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def _caveats(question: GapQuestion, best: ExaminedTrace) -> list[str]:
    answer, found = best.answer, []
    clock = answer["clock"]
    if answer["basis"] == "clock":
        found.append(
            f"The goroutine was found by the clock: it ran at {answer['hit']} of {answer['marks']} moments of the span. "
            f"By chance that would be one in {_one_in(answer['luck'])}. "
            "An id of the span in the trace (runtime/trace.Log) makes it certain."
        )
    if clock["anchored"]:
        apart = clock["apart_ns"]
        found.append(
            "The trace has no wall clock: the moment at which the span's id was written stands for its beginning."
            if apart is None
            else f"The clocks of span and trace are {format_duration(abs(apart))} apart: "
            "the moment at which the span's id was written stands for its beginning."
        )
    elif clock["drift_ns"] > SHORT_NS:
        found.append(f"The clocks of the trace disagree by {format_duration(clock['drift_ns'])} from second to second.")
    if question.to_ns - question.from_ns < SHORT_NS:
        found.append("The gap is about as short as clocks are exact.")
    if question.skew_ns:
        found.append(
            f"The page shows the span moved by {format_duration(abs(question.skew_ns))}; its own times were used here."
        )
    if question.mended:
        found.append("The span ended before it began, and was mended.")
    if answer.get("why") == "not-there":
        found.append("The goroutine does nothing in the trace during the gap.")
    if best.partial:
        found.append("Some of the trace was lost.")
    return found


def _one_in(luck: float) -> str:
    return "more than a billion" if luck < 1e-9 else f"{1 / luck:,.0f}"
