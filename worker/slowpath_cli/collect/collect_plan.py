"""Plan of a collection: kinds, counts, durations and file names of the recordings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

from slowpath_cli.core.collect_errors import InvalidArgument

SnapshotKind = Literal["heap", "allocs", "mutex", "block", "goroutine", "threadcreate"]
SNAPSHOT_KINDS: tuple[SnapshotKind, ...] = ("heap", "allocs", "mutex", "block", "goroutine", "threadcreate")
CUMULATIVE: frozenset[str] = frozenset({"heap", "allocs", "mutex", "block"})
"""Kinds that count from the start of the process: recorded at the start and the end, to subtract them."""
REPLICATED: frozenset[str] = frozenset({"allocs", "mutex"})
"""Cumulative kinds that are recorded in between as well: the differences of successive snapshots are replicates. Heap in use
is a state, and blocking is never decided, so more snapshots of them would prove nothing."""
MOST_BETWEEN = 9
BETWEEN_BYTES = 32 << 20
"""Maximum number of snapshots of one kind between the first and the last, and about the most bytes that they may have."""
DEFAULT_SNAPSHOTS: tuple[SnapshotKind, ...] = ("heap", "allocs", "goroutine")
MAX_PROFILES = 1_000
PROFILE_BYTES = 64 << 20
TRACE_BYTES = 512 << 20
"""Largest response of each kind that is read."""
MAX_SECONDS = 600.0


@dataclass(frozen=True)
class PlannedRecording:
    """One planned file. A window of 0 s is a snapshot.

    Of `between_count` snapshots between the first and the last of a kind, this is the one with the number `between` from 1
    on; 0 for any other file.
    """

    name: str
    kind: str
    path: str
    window_seconds: float
    limit_bytes: int
    between: int = 0
    between_count: int = 0

    def is_worthwhile(self, largest_bytes: int) -> bool:
        """Return whether to take it if the largest snapshot of this kind so far has `largest_bytes`: large ones are thinned."""
        stride = max(1, ceil(self.between_count * largest_bytes / BETWEEN_BYTES))
        return self.between % stride == 0

    @property
    def is_window(self) -> bool:
        """Return whether this is a recording over a window, not a snapshot."""
        return self.window_seconds > 0


@dataclass(frozen=True)
class CollectPlan:
    """Numbers of recordings. `seconds` is the window of a CPU profile, `trace_seconds` that of a trace."""

    profiles: int = 10
    seconds: float = 5.0
    traces: int = 0
    trace_seconds: float = 1.0
    snapshots: tuple[SnapshotKind, ...] = DEFAULT_SNAPSHOTS

    def __post_init__(self) -> None:
        _within("--profiles", self.profiles, 0, MAX_PROFILES)
        _within("--trace", self.traces, 0, MAX_PROFILES)
        _within("--seconds", self.seconds, 1, MAX_SECONDS)
        if self.profiles and self.seconds != int(self.seconds):
            # net/http/pprof reads an integer, and records for 30 s if there is none
            raise InvalidArgument(
                f"--seconds must be a whole number: Go's handler takes no other, not {self.seconds:g}."
            )
        _within("--trace-seconds", self.trace_seconds, 0.1, MAX_SECONDS)
        if self.profiles + self.traces + len(self.snapshots) == 0:
            raise InvalidArgument("Nothing to record. Use --profiles, --trace or --snapshots.")

    def with_snapshots(self, kinds: frozenset[SnapshotKind]) -> "CollectPlan":
        """Return the plan with these kinds as well, in the order of all kinds."""
        return replace(self, snapshots=tuple(each for each in SNAPSHOT_KINDS if each in kinds.union(self.snapshots)))

    def recordings(self) -> list[PlannedRecording]:
        """Return all recordings in order: snapshots, CPU profiles, traces, and the cumulative snapshots again.

        Beside the CPU profiles (or traces if there are none) are snapshots of `REPLICATED` kinds.
        """
        first = [_snapshot(kind, 0) for kind in self.snapshots]
        cpu = [
            PlannedRecording(
                f"cpu.{n:02d}.pb.gz", "cpu", f"/profile?seconds={self.seconds:g}", self.seconds, PROFILE_BYTES
            )
            for n in range(self.profiles)
        ]
        traces = [
            PlannedRecording(
                f"trace.{n:02d}.out", "trace", f"/trace?seconds={self.trace_seconds:g}", self.trace_seconds, TRACE_BYTES
            )
            for n in range(self.traces)
        ]
        windows = [*self._with_snapshots_between(cpu), *traces] if cpu else [*self._with_snapshots_between(traces)]
        last = [
            _snapshot(kind, 1 + self._count_between(len(cpu or traces)) * (kind in REPLICATED))
            for kind in self.snapshots
            if kind in CUMULATIVE
        ]
        return [*first, *windows, *last] if windows else first

    @staticmethod
    def _count_between(windows: int) -> int:
        return min(MOST_BETWEEN, max(0, windows - 1))

    def _with_snapshots_between(self, windows: list[PlannedRecording]) -> Iterator[PlannedRecording]:
        """Yield the windows, with snapshots evenly between them."""
        count, taken = self._count_between(len(windows)), 0
        for number, window in enumerate(windows, start=1):
            yield window
            if taken < count and number * (count + 1) >= (taken + 1) * len(windows):
                taken += 1
                for kind in self.snapshots:
                    if kind in REPLICATED:
                        yield replace(_snapshot(kind, taken), between=taken, between_count=count)


def _snapshot(kind: str, number: int) -> PlannedRecording:
    return PlannedRecording(f"{kind}.{number:02d}.pb.gz", kind, f"/{kind}", 0.0, PROFILE_BYTES)


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise InvalidArgument(f"{name} must be between {low:g} and {high:g}, not {value:g}.")
