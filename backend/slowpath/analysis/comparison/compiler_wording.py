"""Sentences on what the compiler did differently, and advice against stack growth."""

from collections.abc import Sequence

from slowpath.analysis.comparison.compiler_report import (
    ReportedBuild,
    ReportedEdge,
    ReportedFinding,
    ReportedPath,
    ReportedValues,
)
from slowpath.analysis.comparison.stack_sizes import advise_on_stack, count_inlined
from slowpath.analysis.formats.go_function_names import short

MOVED = ("inlining-lost", "call-new")
LONGEST_SHAPES = 60
"""Characters of the type arguments in a sentence."""
SMALLEST_STACK_BYTES = 2048
"""Stack of a goroutine at its start, unless the garbage collector saw deep ones."""


def describe_finding(finding: ReportedFinding) -> str:
    """Return the sentence of a finding that is not a crossed stack size. Raises `KeyError` for that one."""
    function, callee = short(finding["function"]) + _instance(finding), short(finding.get("callee", ""))
    base, candidate = finding.get("base", ReportedValues()), finding.get("candidate", ReportedValues())
    calls = f"{candidate.get('called', 0):,} instead of {base.get('called', 0):,}"
    sizes = f"{base.get('bytes', 0):,} to {candidate.get('bytes', 0):,} B"
    check = "has a" if candidate.get("check") else "lost its"
    return {
        "inlining-lost": f"{callee} is not inlined in {function} anymore, but called{_frame(finding)}.",
        "inlining-gained": f"{callee}{_frame(finding)} is inlined{_times(finding)} in {function}, which called it before.",
        "call-new": f"{function} now calls {callee}{_frame(finding)}.",
        "heap-allocation-new": f"{function} has more calls that allocate memory on the heap: {calls}.",
        "write-barrier-new": f"{function} has more write barriers: {calls}.",
        "bounds-checks": f"{function} has more calls that report a failed bounds check: {calls}.",
        "frame-grew": f"The frame of {function} grew from {sizes}.",
        "frame-shrank": f"The frame of {function} shrank from {sizes}.",
        "stack-check": f"{function} {check} stack check.",
        "code-size": f"The code of {function} changed from {sizes}.",
    }[finding["kind"]]


def describe_edge(edge: ReportedEdge, path: ReportedPath, on_path: Sequence[ReportedFinding], *, possible: bool) -> str:
    """Return the sentence of a path that needs a larger stack; `on_path` are the findings on its functions."""
    first = _reason(path, on_path)
    grew = f"the path of {len(path['stack'])} frames grew from {_bytes(edge['base_need'])} to {_bytes(edge['candidate_need'])} B"
    crosses = f"{'may cross' if possible else 'crosses'} {edge['depth']:,}"
    who = "each goroutine grows its stack once more"
    grown = path["candidate"]["final"]
    if edge["start"] == SMALLEST_STACK_BYTES and grown > 2 * path["base"]["final"]:
        who += f", to {grown // 1024:,} KiB"
    if edge["start"] != SMALLEST_STACK_BYTES:
        who += f", if it starts with {edge['start'] // 1024} KiB"
    sentence = f"{first}{grew} and {crosses}: {who}."
    return sentence[0].upper() + sentence[1:] if not first else sentence


def describe_pgo_paths(base: ReportedBuild, candidate: ReportedBuild) -> str | None:
    """Return the sentence of two builds with PGO of which only the paths of the profiles are known; None of others."""
    if base["pgo"] is None or base["pgo"] != candidate["pgo"]:
        return None
    unknown = [name for name, build in (("base", base), ("candidate", candidate)) if build.get("pgo_sha256") is None]
    if not unknown:
        return None
    return (
        f"-pgo: only the path is compared, {base['pgo']}: the content of the PGO profile of the "
        f"{' and the '.join(unknown)} is not known. Another content may be the reason for every difference below."
    )


def advise(edge: ReportedEdge, path: ReportedPath, on_path: Sequence[ReportedFinding]) -> str:
    """Return the options against a path that needs a larger stack, with the bytes that its functions would return."""
    moved = [finding.get("callee", "") for finding in on_path if finding["kind"] in MOVED]
    return advise_on_stack(path["candidate"]["frames"], edge["candidate_need"][1] - edge["depth"], moved)


def _reason(path: ReportedPath, on_path: Sequence[ReportedFinding]) -> str:
    """Return what added the most bytes to a path: a call of code that was in its caller, or a frame that grew."""
    moved = [each for each in on_path if each["kind"] in MOVED and each.get("callee") in path["stack"]]
    grown = [each for each in on_path if each["kind"] == "frame-grew"]
    if not moved and not grown:
        return ""
    most = max([*reversed(moved), *grown], key=_added_bytes)
    return describe_finding(most).removesuffix(".") + _inlined_in(most, on_path) + "; "


def _inlined_in(grown: ReportedFinding, on_path: Sequence[ReportedFinding]) -> str:
    """Return which function with a frame is now inlined in one whose frame grew: the one with the largest frame."""
    inlined = [
        each
        for each in on_path
        if grown["kind"] == "frame-grew" and each["kind"] == "inlining-gained" and each["function"] == grown["function"]
    ]
    largest = max(inlined, key=lambda each: each.get("callee_frame", 0), default=None)
    if largest is None or not largest.get("callee_frame"):
        return ""
    return f", in which {short(largest.get('callee', ''))}{_frame(largest)} is now inlined{_times(largest)}"


def _added_bytes(finding: ReportedFinding) -> int:
    return finding.get("callee_frame", 0) if finding["kind"] in MOVED else _growth(finding)


def _growth(finding: ReportedFinding) -> int:
    return finding.get("candidate", {}).get("bytes", 0) - finding.get("base", {}).get("bytes", 0)


def _frame(finding: ReportedFinding) -> str:
    size = finding.get("callee_frame")
    return f" (frame {size:,} B)" if size is not None else ""


def _instance(finding: ReportedFinding) -> str:
    """Return which instance of a generic function a statement is about, by the shapes of its type arguments."""
    shapes = finding.get("arguments", "").replace(",go.shape.", ", ").removeprefix("go.shape.")
    cut = shapes if len(shapes) <= LONGEST_SHAPES else f"{shapes[:LONGEST_SHAPES]}…"
    return f" with {cut}" if cut else ""


def _times(finding: ReportedFinding) -> str:
    """Return how many calls more are inlined, if there are several."""
    inlined = count_inlined(finding)
    return f" {inlined:,} times" if inlined > 1 else ""


def _bytes(interval: Sequence[int]) -> str:
    low, high = interval
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
