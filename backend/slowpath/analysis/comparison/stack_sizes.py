"""The hottest paths of goroutines, what they need of the stack, and the changes of it that are worth a warning."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from slowpath.analysis.comparison.compiler_report import (
    CompilerReport,
    ReportedFinding,
    ReportedFrame,
    ReportedHotPath,
    ReportedSide,
    ReportedValues,
    StackSizesReport,
)
from slowpath.analysis.findings.wording import pluralize
from slowpath.analysis.formats.go_function_names import short

STACK_SIZE: Final = "stack-size"
"""What a gate of builds calls the warnings."""
NEAR_BYTES: Final = 64
"""A path that has no more bytes left before the next stack size is near it."""
MOST_PATHS: Final = 20
"""Most hot paths of a document."""
MOST_RANKED: Final = 5
STACK_SMALL: Final = 128
"""Bytes of a frame that a stack check leaves out (`abi.StackSmall` of the runtime)."""
ALIGNMENT_BYTES: Final = 8


@dataclass(frozen=True)
class HotFrame:
    """A function with a frame on a path, in bytes.

    `returned_bytes`: the most by which the path becomes shorter if the function has no frame.
    """

    function: str
    depth_bytes: int
    frame_bytes: int
    returned_bytes: int
    is_wrapper: bool


@dataclass(frozen=True)
class HotPathSide:
    """What a path needs on one build; an interval where names do not decide which call was taken.

    `stack_bytes`: the size at the end of a goroutine that starts with 2 KiB. `limit_bytes`: the depth from which a call needs
    the next size; `free_bytes`: the distance to it. `runtime_function`: the hot call into the runtime that reaches deepest, if
    that is deeper than the path. It grows the stack only when it is made.
    """

    lowest_bytes: int
    highest_bytes: int
    stack_bytes: int
    limit_bytes: int
    free_bytes: int
    runtime_function: str | None
    runtime_bytes: int | None
    frames: tuple[HotFrame, ...]


@dataclass(frozen=True)
class HotPath:
    """A stack of a goroutine, root first, that at least 1% of the values of a side are on.

    `unfollowed`: the first function beyond that could not be found in the executable.
    """

    stack: tuple[str, ...]
    base_share: float
    candidate_share: float
    unfollowed: str | None
    base: HotPathSide
    candidate: HotPathSide | None


@dataclass(frozen=True)
class StackSizes:
    """The hottest paths of profiles on the executable that they are of; of a path, `candidate` is null."""

    format: Literal["slowpath.stack_sizes/1"]
    go_version: str
    arch: str
    build_id: str
    pgo: str | None
    hot_paths: tuple[HotPath, ...]


@dataclass(frozen=True)
class StackWarning:
    """A hot path that needs the next stack size (`crosses`), or has at most 64 bytes left before it (`near`).

    `function`: that whose call does not fit, or the deepest.
    """

    kind: Literal["crosses", "near"]
    function: str
    sentence: str


def make_hot_paths(reported: Sequence[ReportedHotPath]) -> tuple[HotPath, ...]:
    """Return the hottest paths of a report."""
    return tuple(
        HotPath(
            stack=tuple(each["stack"]),
            base_share=each["shares"][0],
            candidate_share=each["shares"][1],
            unfollowed=each.get("unfollowed"),
            base=_make_side(each["base"]),
            candidate=_make_side(each["candidate"]) if each["candidate"] else None,
        )
        for each in reported[:MOST_PATHS]
    )


def make_stack_sizes(report: StackSizesReport) -> StackSizes:
    """Return the document of `stack-sizes`."""
    build = report["build"]
    return StackSizes(
        "slowpath.stack_sizes/1",
        build["go"],
        build["arch"],
        build["build_id"],
        build["pgo"],
        make_hot_paths(report["paths"]),
    )


def _make_side(side: ReportedSide) -> HotPathSide:
    low, high = side["need"]
    call = side.get("runtime")
    deeper = call if call is not None and call["need"][1] > high else None
    return HotPathSide(
        lowest_bytes=low,
        highest_bytes=high,
        stack_bytes=side["final"],
        limit_bytes=side["limit"],
        free_bytes=side["distance"],
        runtime_function=deeper["function"] if deeper else None,
        runtime_bytes=deeper["need"][1] if deeper else None,
        frames=tuple(
            HotFrame(each["function"], each["depth"], each["frame"], returned, each["wrapper"])
            for each, returned in zip(side["frames"], measure_returned_bytes(side["frames"]), strict=True)
        ),
    )


def measure_returned_bytes(frames: Sequence[ReportedFrame]) -> list[int]:
    """Return for each frame by how many bytes a path becomes shorter if the function has none, as if it was inlined."""
    needs = [each["depth"] + max(each["frame"] - STACK_SMALL, 0) if each["check"] else 0 for each in frames]
    total = max(needs, default=0)
    taken = [below["depth"] - each["depth"] for each, below in pairwise(frames)]
    taken += [frames[-1]["frame"]] if frames else []
    return [
        total - max([frames[0]["depth"], *needs[:number], *(need - taken[number] for need in needs[number + 1 :])])
        for number in range(len(frames))
    ]


def rank_functions(frames: Sequence[ReportedFrame]) -> list[tuple[str, int]]:
    """Return the functions of a path by the bytes that each would return at most; wrappers and zeros are left out."""
    returned = zip(frames, measure_returned_bytes(frames), strict=True)
    found = [(each["function"], count) for each, count in returned if count > 0 and not each["wrapper"]]
    return sorted(found, key=lambda each: -each[1])


def list_stack_warnings(report: CompilerReport) -> list[StackWarning]:
    """Return the hot paths of the base that need the next stack size in the candidate, or came near it; one per function.

    Paths that need as much as before are silent, however near they are.
    """
    found: dict[tuple[str, str], list[ReportedHotPath]] = {}
    for path in report["hot_paths"]:
        kind = _kind_of(path)
        if kind is not None:
            found.setdefault((kind, _function_of(path, kind)), []).append(path)
    settings = [each["setting"] for each in report["differences"]]
    warnings = [_make_warning(kind, function, paths, settings) for (kind, function), paths in found.items()]
    return sorted(warnings, key=lambda each: each.kind)


def count_inlined(gained: ReportedFinding) -> int:
    """Return how many calls more are inlined in the candidate, of a finding that some are."""
    base, candidate = gained.get("base", ReportedValues()), gained.get("candidate", ReportedValues())
    return candidate.get("inlined", 0) - base.get("inlined", 0)


def describe_pgo(report: CompilerReport) -> str:
    """Describe what PGO did: calls inlined beyond the budget, and the hot paths that came nearer to the next stack size."""
    gained = sum(count_inlined(each) for each in report["findings"] if each["kind"] == "inlining-gained")
    moved = [each for each in report["hot_paths"] if _growth(each) > 0]
    inlined = f"{pluralize(gained, 'call')} on hot paths {'is' if gained == 1 else 'are'} inlined beyond the budget"
    if not moved:
        return f"The builds differ only in PGO: {inlined}, and no hot path needs more stack."
    most = max(moved, key=_growth)
    return (
        f"The builds differ only in PGO: {inlined}, and {pluralize(len(moved), 'hot path')} moved towards the next stack size, "
        f"that to {short(most['stack'][-1])} by {_growth(most):,} B.{_describe_crossing(moved)}"
    )


def _describe_crossing(moved: Sequence[ReportedHotPath]) -> str:
    """Describe the hot paths that need a larger stack, and the frame that grew most on the hottest of them."""
    crossing = [each for each in moved if _kind_of(each) == "crosses"]
    if not crossing:
        return " None needs a larger stack."
    hottest = max(crossing, key=lambda each: max(each["shares"]))
    base, candidate = hottest["base"], hottest["candidate"] or hottest["base"]
    before = {each["function"]: each["frame"] for each in base["frames"]}
    grown = [
        (each["frame"] - before[each["function"]], each) for each in candidate["frames"] if each["function"] in before
    ]
    by, frame = max(grown, key=lambda each: each[0], default=(0, None))
    reason = f": the frame of {short(frame['function'])} has {frame['frame']:,} instead of {before[frame['function']]:,} B" if frame and by > 0 else ""  # fmt: skip
    return (
        f" {pluralize(len(crossing), 'hot path')} {'needs' if len(crossing) == 1 else 'need'} a larger stack, the hottest, to "
        f"{short(hottest['stack'][-1])}, {candidate['final'] // 1024:,} instead of {base['final'] // 1024:,} KiB{reason}."
    )


def _growth(path: ReportedHotPath) -> int:
    return path["candidate"]["need"][1] - path["base"]["need"][1] if path["candidate"] else 0


def _kind_of(path: ReportedHotPath) -> Literal["crosses", "near"] | None:
    base, candidate = path["base"], path["candidate"]
    if candidate is None or candidate["need"][1] <= base["need"][1]:
        return None
    if candidate["final"] > base["final"]:
        return "crosses"
    return "near" if candidate["distance"] <= NEAR_BYTES else None


def _function_of(path: ReportedHotPath, kind: str) -> str:
    """Return the function whose call does not fit anymore, or the one that reaches deepest."""
    candidate = path["candidate"] or path["base"]
    needs = [
        (each["depth"] + max(each["frame"] - STACK_SMALL, 0), each["function"])
        for each in candidate["frames"]
        if each["check"]
    ]
    limit = path["base"]["limit"]
    over = [function for need, function in needs if need >= limit]
    if kind == "crosses" and over:
        return over[0]
    return max(needs, default=(0, path["stack"][-1]))[1]


def _make_warning(kind: str, function: str, paths: Sequence[ReportedHotPath], settings: Sequence[str]) -> StackWarning:
    hottest = max(paths, key=lambda each: each["shares"][0])
    base, candidate = hottest["base"], hottest["candidate"] or hottest["base"]
    is_exact = base["need"][0] == base["need"][1] and candidate["need"][0] == candidate["need"][1]
    share = sum(each["shares"][0] for each in paths)
    grew = (
        f"a hot path to {short(function)} ({_percent(share)} of the earlier build's values) "
        f"grew from {_bytes(base['need'])} to {_bytes(candidate['need'])} B"
    )
    if kind == "crosses":
        verb = "crosses" if is_exact or candidate["need"][0] >= base["limit"] else "may cross"
        what = (
            f"Predicted to cross: {grew} and {verb} {base['limit']:,}: each goroutine on it grows its stack once more."
        )
        advice = " " + advise_on_stack(candidate["frames"], candidate["need"][1] - base["limit"], _new(hottest))
    else:
        what = f"Near the next stack size: {grew}; {candidate['distance']:,} B are left before {candidate['limit']:,}."
        advice = ""
    differ = f" The builds differ in {', '.join(settings)}, which may be the reason." if settings else ""
    return StackWarning("crosses" if kind == "crosses" else "near", function, f"{what}{differ}{advice}")


def _new(path: ReportedHotPath) -> list[str]:
    """Return the functions with a frame in the candidate only: code that was inlined, or in its caller, before."""
    before = {each["function"] for each in path["base"]["frames"]}
    frames = path["candidate"]["frames"] if path["candidate"] else []
    return [each["function"] for each in frames if each["function"] not in before and not each["wrapper"]]


def advise_on_stack(frames: Sequence[ReportedFrame], over_bytes: int, new: Iterable[str]) -> str:
    """Return the options against a path that needs a larger stack; `over_bytes`: by how much it is beyond the limit.

    `new`: functions that have a frame of their own since the candidate.
    """
    needed = (over_bytes // ALIGNMENT_BYTES + 1) * ALIGNMENT_BYTES
    ranked = rank_functions(frames)
    returned = dict(ranked)
    inline = [
        f" {short(each)} would return {returned[each]:,} B if it is small enough to be inlined."
        for each in new
        if each in returned
    ]
    listed = ", ".join(f"{short(function)} {count:,} B" for function, count in ranked[:MOST_RANKED])
    functions = f"; its functions return at most: {listed}" if listed else ""
    return (
        "Reuse goroutines: a pool of long-lived workers grows each stack once. "
        f"Or shrink the path by {needed:,} B{functions}.{''.join(inline[:1])}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f}%" if share >= 0.0995 else f"{100 * share:.1f}%"


def _bytes(interval: Sequence[int]) -> str:
    low, high = interval
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
