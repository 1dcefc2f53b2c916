"""Why the compiler built a package differently in two commits, from what `go build -gcflags=-m=2` prints of each.

Texts are untrusted: names and reasons are truncated, and control characters replaced.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

FORMAT: Final = "slowpath.compile-report/1"
MOST_REASONS: Final = 2000
LONGEST: Final = 300
"""Characters of a name or a reason."""
SHOWN_DIGITS: Final = 12
SHAPE: Final = "go.shape."
LAST: Final = "\U0010ffff"
"""Sorts after each reason."""
_LINE = re.compile(r"(?P<file>[^:\n]+\.go):(?P<line>\d{1,9}):\d+: (?P<text>.+)")
_CANNOT = re.compile(r"cannot inline (?P<name>.+?): (?P<reason>.+)")
_CAN = re.compile(r"can inline (?P<name>.+?)(?: with cost (?P<cost>\d{1,9}) as: .*)?")
_EXCEEDS = re.compile(r"cost (?P<cost>\d{1,9}) exceeds budget (?P<budget>\d{1,9})")
_ESCAPES = re.compile(r"(?P<what>.+?) escapes to heap(?: in (?P<name>.+?))?:?|moved to heap: (?P<moved>.+)")


ReasonKind = Literal["inline", "heap", "pgo"]
PGO_PROFILE: Final = "default.pgo"


@dataclass(frozen=True)
class FunctionDecisions:
    """What the compiler decided on a function: why it cannot be inlined (None: it can), and what is moved to the heap.

    `cost`: of one that can be inlined, in nodes; None if the compiler does not state it.
    """

    file: str
    line: int
    reason: str | None
    heap: tuple[str, ...]
    cost: int | None = None


@dataclass(frozen=True)
class CompilerReason:
    """A decision on a function that differs: the texts of both sides; None where it was not made.

    `kind` is `inline` (a text is the reason why it cannot be inlined, empty if it can), `heap` (a text is what escapes), or
    `pgo` (a text is the SHA-256 of the PGO profile): that one has no function, it may be the reason for all others.
    `cost`: that of the side in which it can be inlined.
    """

    function: str
    kind: ReasonKind
    base: str | None
    candidate: str | None
    file: str
    line: int
    cost: int | None = None


def fold_type_arguments(name: str) -> str:
    """Return a function's name as profiles have it for each instance of a generic function: `Map[...]`."""
    depth, folded = 0, ""
    for each in name:
        if each == "[":
            folded += "" if depth else "[...]"
            depth += 1
        elif each == "]":
            depth = max(depth - 1, 0)
        elif depth == 0:
            folded += each
    return folded


def parse_decisions(printed: str, main_package: str = "") -> dict[str, FunctionDecisions]:
    """Return the decisions by function, as profiles name it; the functions of `main_package` are those of main.

    Instances of a generic function are one: it cannot be inlined if one of them cannot.
    """
    declared: dict[str, tuple[str, int, str | None, int | None]] = {}
    places: dict[str, list[tuple[int, str]]] = defaultdict(list)
    escapes: list[tuple[str, int, str]] = []
    for package, file, line, text in _lines(printed):
        prefix = "main" if package == main_package else package
        cannot, can = _CANNOT.fullmatch(text), _CAN.fullmatch(text)
        found = cannot or can
        if found is not None:
            if "[" in found["name"] and SHAPE not in found["name"]:
                continue  # passes the dictionary of the types to the instance, which is named by their shapes
            name = _clean(fold_type_arguments(f"{prefix}.{found['name']}"))
            cost = int(can["cost"]) if can is not None and can["cost"] is not None else None
            reason = _clean(cannot["reason"]) if cannot else None
            if name not in declared or (reason is not None and reason < (declared[name][2] or LAST)):
                declared[name] = (file, line, reason, cost)
            places[file].append((line, name))
        elif (escape := _ESCAPES.fullmatch(text)) is not None:
            escapes.append((file, line, _clean(f"{escape['moved'] or escape['what']}")))
    heap: dict[str, list[str]] = defaultdict(list)
    for file, line, what in dict.fromkeys(escapes):
        around = max((each for each in places[file] if each[0] <= line), default=None)
        if around is not None:
            heap[around[1]].append(what)
    return {
        name: FunctionDecisions(file.rpartition("/")[2], line, reason, tuple(heap[name]), cost)
        for name, (file, line, reason, cost) in declared.items()
    }


def _lines(printed: str) -> Iterator[tuple[str, str, int, str]]:
    """Yield package, file, line and text of each statement; the lines that explain one are indented."""
    package = ""
    for each in printed.splitlines():
        if each.startswith("# "):
            package = each[2:].split(" ")[0]
        elif (found := _LINE.fullmatch(each)) is not None and not found["text"].startswith(" "):
            yield package, found["file"], int(found["line"]), found["text"]


def _clean(text: str) -> str:
    return "".join(each if each.isprintable() else "\ufffd" for each in text[:LONGEST])


def find_differences(
    base: Mapping[str, FunctionDecisions], candidate: Mapping[str, FunctionDecisions]
) -> Sequence[CompilerReason]:
    """Return the decisions that differ, in the order of the functions' names, at most 2,000."""
    found: list[CompilerReason] = []
    for name in sorted(base.keys() | candidate.keys()):
        before, after = base.get(name), candidate.get(name)
        place = after or before
        assert place is not None
        texts = [None if side is None else side.reason or "" for side in (before, after)]
        if texts[0] != texts[1] and any(texts):
            cost = next((side.cost for side in (before, after) if side is not None and side.cost is not None), None)
            found.append(CompilerReason(name, "inline", texts[0], texts[1], place.file, place.line, cost))
        heap = [Counter(side.heap if side else ()) for side in (before, after)]
        if before is None or after is None:
            continue
        lost, gained = (sorted((one - other).elements()) for one, other in (heap, heap[::-1]))
        if lost or gained:
            gone, moved = (", ".join(each)[:LONGEST] or None for each in (lost, gained))
            found.append(CompilerReason(name, "heap", gone, moved, place.file, place.line))
    return found[:MOST_REASONS]


def compare_pgo_profiles(base: str | None, candidate: str | None) -> Sequence[CompilerReason]:
    """Return that the PGO profiles of two builds differ, from their SHA-256 (None: without PGO); nothing if they do not."""
    return [] if base == candidate else [CompilerReason("", "pgo", base, candidate, PGO_PROFILE, 0)]


def describe_reason(reason: CompilerReason) -> str:
    """Return the sentence of a decision that differs; the function is named in full."""
    name, before, after = reason.function, reason.base, reason.candidate
    if reason.kind == "pgo":
        used = [f"SHA-256 {each[:SHOWN_DIGITS]}" if each else "none" for each in (before, after)]
        return f"The builds have different PGO profiles: {used[0]} in base, {used[1]} in candidate. It may be the reason for every other decision."
    if reason.kind == "heap":
        moved = f"{name} now allocates on the heap: {after}." if after else ""
        gone = f"{name} allocates on the heap no longer: {before}." if before else ""
        return f"{moved} {gone}".strip()
    if after is None:
        return f"{name} is not compiled anymore; it could not be inlined: {before}."
    if after == "":
        return f"{name} can be inlined now: it could not, {before}.{_budget(reason, before)}"
    lost = f"{name} {'is no longer inlined' if before == '' else 'cannot be inlined'}: {_short(after)}."
    return lost + (_budget(reason, after) if before == "" else "")


def _budget(reason: CompilerReason, text: str | None) -> str:
    """Return how much of the budget is left where the function can be inlined, and how much it is over where it cannot."""
    over = _EXCEEDS.search(text or "")
    if over is None or reason.cost is None:
        return ""
    budget, is_base = int(over["budget"]), reason.base == ""
    left = (
        f" In the {'base' if is_base else 'candidate'}, its cost is {reason.cost}: budget left {budget - reason.cost}."
    )
    return left + (f" To be inlined, it has to lose {int(over['cost']) - budget}." if is_base else "")


def _short(reason: str) -> str:
    """Return the part of a reason that has the numbers: "cost 117 exceeds budget 80"."""
    return reason.removeprefix("function too complex: ")
