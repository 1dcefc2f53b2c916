"""Format waits, occupants and garbage collection for sentences.

Intervals included, the new value last.
"""

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
_OCCUPANTS = {
    "gc": "the garbage collector",
    "wake-up": "idle processors",
    "runtime": "the runtime's own goroutines",
    "syscall": "goroutines in system calls",
    "unknown": "an unknown occupant",
}
# From this share on one occupant explains a wait.
MOSTLY = 0.5
# Occupants below this share of a wait are not named.
NAMED_FROM = 0.1
# A group with more goroutines than this is a herd of short runs.
HERD_FROM = 20


def describe_waiter(group: str, reason: str) -> str:
    """Describe a waiter: `main.batcher woken by the network`."""
    return f"{wording.function(group)} {_REASONS.get(reason, f'woken ({reason})')}"


def describe_occupant(name: str) -> str:
    """Describe an occupant in a sentence."""
    return _OCCUPANTS.get(name) or wording.function(name)


def percent(share: float) -> str:
    """Format a share as `99%`, without decimals."""
    return f"{100 * share:.0f}%" if share >= 0.0095 else "less than 1%"


def describe_occupancy(
    shares: dict[str, float], verdict: str, goroutines: int, own: str, netpoll_ns: float | None
) -> str:
    """Write the second half of a sentence.

    What occupied the processors while the waiter waited, by its verdict. `shares` are of the wait by occupant;
    `goroutines` is the number in the leading occupant's group; `own` is the waiter's group; `netpoll_ns` is how long a
    message may have been unnoticed.
    """
    leading = sorted(shares, key=lambda name: -shares[name])
    named = [name for name in leading if shares[name] >= NAMED_FROM][:2] or leading[:1]
    if not named:
        return ""
    first = named[0]
    if verdict == "netpoll" and netpoll_ns:
        return f"and up to {format_duration(netpoll_ns)} passed before Go polled the ready connection"
    if first == "wake-up":
        only_waking = ": the time went into waking" if shares[first] >= MOSTLY else ""
        occupied = f"for {percent(shares[first])} of it processors were idle or looking for work{only_waking}"
        return (
            f"{occupied}, {describe_occupant(named[1])} occupied them for {percent(shares[named[1]])}"
            if len(named) > 1 and not only_waking
            else occupied
        )
    occupant = f"other goroutines of {describe_occupant(first)}" if first == own else describe_occupant(first)
    if goroutines > HERD_FROM:
        occupant = f"{goroutines:,} goroutines of {describe_occupant(first)}"
    if verdict == "thundering-herd" and goroutines > HERD_FROM:
        return f"{occupant} occupied the processors in turn for {percent(shares[first])} of it"
    occupied = f"{occupant} occupied the processors for {percent(shares[first])} of it"
    if len(named) > 1 and shares[first] < MOSTLY:
        share = percent(shares[named[1]])
        occupied += (
            f", and for {share} processors were idle"
            if named[1] == "wake-up"
            else f", {describe_occupant(named[1])} for {share}"
        )
    return occupied


def by_culprit(occupancy: Occupancy, *, candidate: bool) -> dict[str, float]:
    """Return shares of the wait on one side by reported occupant."""
    shares: dict[str, float] = {}
    for part in occupancy.parts:
        share = part.candidate_share if candidate else part.base_share
        shares[part.occupant.culprit] = shares.get(part.occupant.culprit, 0.0) + share
    return shares


def growth_by_culprit(parts: tuple[OccupancyShare, ...]) -> dict[str, float]:
    """Return how much of the mean wait's change (ns) each reported occupant makes."""
    growth: dict[str, float] = {}
    for part in parts:
        growth[part.occupant.culprit] = growth.get(part.occupant.culprit, 0.0) + part.difference
    return growth
