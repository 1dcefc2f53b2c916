"""Waits, culprits and garbage collection in sentences: numbers with intervals, the new value after the old one."""

from slowpath.analysis.findings import wording
from slowpath.analysis.findings.wording import format_duration
from slowpath.analysis.kinds.exec_traces.p_occupancy import Occupancy, OccupancyShare

_REASONS = {
    "network": "woken by the network",
    "chan receive": "woken from a channel receive",
    "chan send": "woken from a channel send",
    "select": "woken from a select",
    "sync": "woken from a lock",
    "sync.(*Cond).Wait": "woken from a condition",
    "sleep": "woken by a timer",
    "created": "just created",
    "preempted": "preempted",
    "runtime.Gosched": "that yielded",
    "syscall exit": "back from a system call",
    "GC mark assist wait for work": "back from waiting on GC assist",
    "wait until GC ends": "woken at the end of a GC cycle",
    "unspecified": "woken",
    "": "woken",
    "(before the trace)": "asleep before the recording",
}
_CULPRITS = {
    "gc": "the garbage collector",
    "wake-up": "idle processors",
    "runtime": "the runtime's own goroutines",
    "syscall": "goroutines in system calls",
    "unknown": "somebody unknown",
}
# From this share on one occupant explains a wait.
MOSTLY = 0.5
# Below this share of a wait nobody is named.
NAMED_FROM = 0.1
# More goroutines of one group than this are a herd, each with its turn.
HERD_FROM = 20


def describe_waiter(group: str, reason: str) -> str:
    """`main.batcher woken by the network`."""
    return f"{wording.function(group)} {_REASONS.get(reason, f'woken ({reason})')}"


def describe_occupant(name: str) -> str:
    """Who held the processors, as one says it."""
    return _CULPRITS.get(name) or wording.function(name)


def percent(share: float) -> str:
    """`99 %`, without more digits than a share of a wait deserves."""
    return f"{100 * share:.0f} %" if share >= 0.0095 else "less than 1 %"


def describe_occupancy(
    shares: dict[str, float], verdict: str, goroutines: int, own: str, netpoll_ns: float | None
) -> str:
    """The second half of a sentence: who held the processors while the victim waited, by its verdict.

    `shares` are of the wait by culprit; `goroutines` is how many the leading culprit's group has; `own` the victim's
    group; `netpoll_ns` how long a message may have lain unnoticed.
    """
    leading = sorted(shares, key=lambda name: -shares[name])
    named = [name for name in leading if shares[name] >= NAMED_FROM][:2] or leading[:1]
    if not named:
        return ""
    first = named[0]
    if verdict == "netpoll" and netpoll_ns:
        return f"and up to {format_duration(netpoll_ns)} passed before Go noticed that there was something to read"
    if first == "wake-up":
        waking = ": waking took long, not running" if shares[first] >= MOSTLY else ""
        said = f"for {percent(shares[first])} of it processors were idle or looking for work{waking}"
        return (
            f"{said}, {describe_occupant(named[1])} held them for {percent(shares[named[1]])}"
            if len(named) > 1 and not waking
            else said
        )
    who = f"other goroutines of {describe_occupant(first)}" if first == own else describe_occupant(first)
    if goroutines > HERD_FROM:
        who = f"{goroutines:,} goroutines of {describe_occupant(first)}"
    if verdict == "thundering-herd" and goroutines > HERD_FROM:
        return f"{who} took turns on the processors for {percent(shares[first])} of it"
    said = f"{who} held the processors for {percent(shares[first])} of it"
    if len(named) > 1 and shares[first] < MOSTLY:
        share = percent(shares[named[1]])
        said += (
            f", and for {share} processors were idle"
            if named[1] == "wake-up"
            else f", {describe_occupant(named[1])} for {share}"
        )
    return said


def by_culprit(blame: Occupancy, *, candidate: bool) -> dict[str, float]:
    """Shares of the wait on one side, by who is accused."""
    shares: dict[str, float] = {}
    for part in blame.parts:
        share = part.candidate_share if candidate else part.base_share
        shares[part.holder.culprit] = shares.get(part.holder.culprit, 0.0) + share
    return shares


def growth_by_culprit(parts: tuple[OccupancyShare, ...]) -> dict[str, float]:
    """How much of the mean wait's change (ns) each accused one makes."""
    growth: dict[str, float] = {}
    for part in parts:
        growth[part.holder.culprit] = growth.get(part.holder.culprit, 0.0) + part.difference
    return growth
