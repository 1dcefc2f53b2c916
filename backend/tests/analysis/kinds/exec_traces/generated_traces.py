"""Test inputs that are drawn by lot: decoded traces of waits from known distributions, with known culprits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import Array, pack_strings, write_columns
from slowpath.analysis.formats.column_sections import NONE
from slowpath.analysis.kinds.exec_traces.duration_buckets import EXACT_BELOW, SUB_BUCKETS
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable

SECOND = 1_000_000_000
BLOCK = 100_000_000
CLASS_KINDS = (
    "stw", "gc-dedicated", "gc-fractional", "gc-idle", "user", "user-assist", "user-sweep", "runtime", "syscall",
    "scheduler", "idle", "unknown",
)  # fmt: skip
LEVELS = ("runnable", "running", "syscall", "waiting_sync", "waiting_network", "waiting_sleep", "waiting_gc",
          "waiting_other", "procs_idle", "procs_gc", "heap_live", "heap_goal")  # fmt: skip
COUNTS = ("created", "ended", "preemptions", "retakes", "network_wakes")
WINDOWS = np.unique(np.round(10.0 ** np.arange(4, 9.01, 1 / 6)).astype(np.int64))


@dataclass(frozen=True)
class GeneratedWaiter:
    """A waiter: waits per second, log-normal about a median, in bursts; `occupancy` is the P occupancy."""

    group: str
    reason: str
    per_second: float = 400.0
    median_ns: float = 10_000.0
    sigma: float = 1.2
    burst: float = 0.3
    occupancy: Mapping[str, float] = field(default_factory=lambda: {"user|main.worker": 0.7, "idle": 0.3})
    verdict: str = "mixed"
    goroutines: int = 4
    system: bool = False
    woken_by: str | None = None
    hidden_ns: float = 0.0


SERVICE = (
    GeneratedWaiter("main.client", "chan receive", 2_000, 20_000, woken_by="main.batcher"),
    GeneratedWaiter("main.batcher", "network", 200, 8_000, goroutines=1),
    GeneratedWaiter("main.worker", "select", 300, 15_000),
    GeneratedWaiter("runtime.bgsweep", "GC background sweeper wait", 50, 5_000, system=True),
)


@dataclass(frozen=True)
class GeneratedBlocking:
    """A place where a group is blocked: times per second, log-normal about a median, and who ends it. `stack` is leaf first."""

    group: str
    reason: str
    stack: tuple[str, ...]
    ender: str | None = None
    ender_stack: tuple[str, ...] = ()
    per_second: float = 200.0
    median_ns: float = 100_000.0
    sigma: float = 1.0


class _Strings:
    """A string table that grows."""

    def __init__(self) -> None:
        self.texts = [""]
        self._number = {"": 0}

    def __call__(self, text: str) -> int:
        if text not in self._number:
            self._number[text] = len(self.texts)
            self.texts.append(text)
        return self._number[text]


def file_of(
    waiters: Sequence[GeneratedWaiter],
    rng: Generator,
    *,
    seconds: float = 5.0,
    spread: float = 0.0,
    procs: int = 2,
    gc_fraction: float = 0.05,
    worst_ns: float = 1e6,
    idle_bins: range = range(0),
    blocked: Sequence[GeneratedBlocking] | None = None,
    **header: Any,  # noqa: ANN401 - header fields of any kind
) -> bytes:
    """The bytes that the decoder would write. `spread` is how much a trace differs from others (of a log).

    In `idle_bins` (of 1 ms) a processor is idle all the time; a goroutine is runnable in all of them. Without `blocked` it is as
    an earlier version of the decoder wrote it.
    """
    string, duration = _Strings(), round(seconds * SECOND)
    groups = list(
        dict.fromkeys(
            [
                *(w.group for w in waiters),
                *(w.woken_by for w in waiters if w.woken_by),
                *(n.split("|")[1] for w in waiters for n in w.occupancy if "|" in n),
                *(name for one in blocked or () for name in (one.group, one.ender) if name is not None),
            ]
        )
    )
    holders = list(dict.fromkeys(name for waiter in waiters for name in waiter.occupancy))
    waits = [_waits(waiter, rng, seconds, spread) for waiter in waiters]
    arrays: dict[str, Array] = {
        **_groups(groups, waiters, string),
        **_waiters(waiters, waits, groups, string),
        **_wakers(waiters, waits, groups),
        **_histogram(waits),
        **_netpoll(waiters, waits),
        **_occupancy(waiters, waits, holders, groups, procs),
        **_worst(waiters, string, worst_ns, duration),
        **_gc(gc_fraction, duration, procs, string),
        **_series(duration, idle_bins),
    }
    stacks: list[tuple[str, ...]] = [(), ("main.leaf", "main.root")]
    if blocked is not None:
        arrays |= _blocked(blocked, groups, stacks, string, rng, seconds, spread)
    names = [name for stack in stacks for name in stack]
    arrays |= {
        "frame_function": np.array([string(name) for name in names], dtype=np.uint32),
        "frame_file": np.array([string("main.go")] * len(names), dtype=np.uint32),
        "frame_line": np.arange(3, 3 + len(names), dtype=np.int32),
        "stack_offset": np.cumsum([0, *map(len, stacks)]).astype(np.uint32),
        "stack_frame": np.arange(len(names), dtype=np.uint32),
    }
    fields = {**_header(waits, duration, procs, gc_fraction), **header}
    return write_columns(fields, {**pack_strings(string.texts), **arrays})


Waits = tuple[NDArray[np.int64], NDArray[np.int64]]


def _waits(waiter: GeneratedWaiter, rng: Generator, seconds: float, spread: float) -> Waits:
    """(block, length in ns) of each wait."""
    blocks = max(round(seconds * SECOND) // BLOCK, 1)
    level = np.log(waiter.median_ns) + spread * rng.standard_normal() + waiter.burst * rng.standard_normal(blocks)
    counts = rng.poisson(waiter.per_second * BLOCK / SECOND, blocks)
    block = np.repeat(np.arange(blocks), counts)
    lengths = np.exp(level[block] + waiter.sigma * rng.standard_normal(len(block)))
    return block.astype(np.int64), np.maximum(lengths, 16).astype(np.int64)


def _blocked(
    blocked: Sequence[GeneratedBlocking],
    groups: list[str],
    stacks: list[tuple[str, ...]],
    string: _Strings,
    rng: Generator,
    seconds: float,
    spread: float,
) -> dict[str, Array]:
    cells: list[tuple[int, int, int, int]] = []
    for place, one in enumerate(blocked):
        waiter = GeneratedWaiter(one.group, one.reason, one.per_second, one.median_ns, one.sigma)
        block, lengths = _waits(waiter, rng, seconds, spread)
        cells += [
            (place, at, int((block == at).sum()), int(lengths[block == at].sum())) for at in np.unique(block).tolist()
        ]
        stacks += [one.stack, one.ender_stack]
    first = len(stacks) - 2 * len(blocked)
    columns = np.array(cells, dtype=np.int64).reshape(-1, 4).T
    return {
        "blocked_group": np.array([groups.index(one.group) for one in blocked], dtype=np.uint32),
        "blocked_reason": np.array([string(one.reason) for one in blocked], dtype=np.uint32),
        "blocked_stack": np.arange(first, len(stacks), 2, dtype=np.uint32),
        "blocked_waker_group": np.array(
            [NONE if one.ender is None else groups.index(one.ender) for one in blocked], dtype=np.uint32
        ),
        "blocked_waker_stack": np.arange(first + 1, len(stacks), 2, dtype=np.uint32),
        "blocked_time_place": columns[0].astype(np.uint32),
        "blocked_time_block": columns[1].astype(np.uint32),
        "blocked_time_count": columns[2].astype(np.uint32),
        "blocked_time_ns": columns[3],
    }


def _groups(groups: Sequence[str], waiters: Sequence[GeneratedWaiter], string: _Strings) -> dict[str, Array]:
    count = {waiter.group: waiter.goroutines for waiter in waiters}
    system = {waiter.group for waiter in waiters if waiter.system}
    empty = np.zeros(len(groups), dtype=np.int64)
    times = ("running", "runnable", "syscall", "waiting", "assist_wait", "run_p50")
    return {
        "group_name": np.array([string(name) for name in groups], dtype=np.uint32),
        "group_start": np.array([string(f"{name}.func1") for name in groups], dtype=np.uint32),
        "group_system": np.array([name in system for name in groups], dtype=np.uint8),
        "group_goroutines": np.array([count.get(name, 1) for name in groups], dtype=np.uint32),
        **{f"group_{name}_ns": empty for name in times},
        "group_assist_ns": np.arange(len(groups), dtype=np.int64) * 1_000_000,
        "group_preemptions": empty.astype(np.uint32),
        "group_retakes": empty.astype(np.uint32),
        "group_created": empty.astype(np.uint32),
        "group_wakes": empty.astype(np.uint64),
    }


def _waiters(
    waiters: Sequence[GeneratedWaiter], waits: Sequence[Waits], groups: list[str], string: _Strings
) -> dict[str, Array]:
    count = len(waiters)
    nothing = np.zeros(count, dtype=np.uint32)
    return {
        "victim_group": np.array([groups.index(w.group) for w in waiters], dtype=np.uint32),
        "victim_reason": np.array([string(w.reason) for w in waiters], dtype=np.uint32),
        "victim_waits": np.array([len(lengths) for _, lengths in waits], dtype=np.uint64),
        "victim_total_ns": np.array([lengths.sum() for _, lengths in waits], dtype=np.int64),
        "victim_max_ns": np.array([lengths.max(initial=0) for _, lengths in waits], dtype=np.int64),
        "victim_censored_left": nothing,
        "victim_censored_right": nothing,
        "victim_censored_ns": np.zeros(count, dtype=np.int64),
        "victim_handoffs": nothing,
        "victim_stack": np.ones(count, dtype=np.uint32),
        "victim_verdict": np.array([string(w.verdict) for w in waiters], dtype=np.uint32),
    }


def _wakers(waiters: Sequence[GeneratedWaiter], waits: Sequence[Waits], groups: list[str]) -> dict[str, Array]:
    return {
        "waker_victim": np.arange(len(waiters), dtype=np.uint32),
        "waker_group": np.array(
            [NONE if w.woken_by is None else groups.index(w.woken_by) for w in waiters], dtype=np.uint32
        ),
        "waker_waits": np.array([len(lengths) for _, lengths in waits], dtype=np.uint64),
        "waker_total_ns": np.array([lengths.sum() for _, lengths in waits], dtype=np.int64),
    }


def _histogram(waits: Sequence[Waits]) -> dict[str, Array]:
    keys = [waiter << 40 | block << 16 | bucket_of(lengths) for waiter, (block, lengths) in enumerate(waits)]
    key, count = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *keys]), return_counts=True)
    return {
        "hist_victim": (key >> 40).astype(np.uint32),
        "hist_block": (key >> 16 & 0xFFFFFF).astype(np.uint32),
        "hist_bucket": (key & 0xFFFF).astype(np.uint16),
        "hist_count": count.astype(np.uint32),
    }


def _netpoll(waiters: Sequence[GeneratedWaiter], waits: Sequence[Waits]) -> dict[str, Array]:
    polled = [number for number, waiter in enumerate(waiters) if waiter.reason == "network"]
    bound = np.array([waiters[number].hidden_ns for number in polled], dtype=np.int64)
    return {
        "netpoll_victim": np.array(polled, dtype=np.uint32),
        "netpoll_bucket": bucket_of(bound).astype(np.uint16),
        "netpoll_count": np.array([len(waits[number][1]) for number in polled], dtype=np.uint32),
    }


def _occupancy(
    waiters: Sequence[GeneratedWaiter], waits: Sequence[Waits], holders: list[str], groups: list[str], procs: int
) -> dict[str, Array]:
    rows = []
    for one_waiter, (waiter, (block, lengths)) in enumerate(zip(waiters, waits, strict=True)):
        second = np.bincount(block // 10, weights=lengths.astype(np.float64))
        for name, share in waiter.occupancy.items():
            rows += [(one_waiter, holders.index(name), at, ns * share * procs) for at, ns in enumerate(second.tolist())]
    kinds = [name.partition("|")[0] for name in holders]
    return {
        "class_kind": np.array([CLASS_KINDS.index(kind) for kind in kinds], dtype=np.uint8),
        "class_group": np.array(
            [groups.index(n.partition("|")[2]) if "|" in n else NONE for n in holders], dtype=np.uint32
        ),
        "blame_victim": np.array([row[0] for row in rows], dtype=np.uint32),
        "blame_class": np.array([row[1] for row in rows], dtype=np.uint32),
        "blame_block": np.array([row[2] for row in rows], dtype=np.uint32),
        "blame_ns": np.array([row[3] for row in rows], dtype=np.float64),
    }


def _worst(waiters: Sequence[GeneratedWaiter], string: _Strings, worst_ns: float, duration: int) -> dict[str, Array]:
    """Two waits of the first waiter; the first one has a tile with one segment."""
    count = 2 if waiters else 0
    end = min(duration, SECOND)

    def column(value: float, kind: type[np.generic]) -> Array:
        return np.full(count, value, dtype=kind)

    return {
        "worst_victim": column(0, np.uint32),
        "worst_goroutine": column(7, np.uint64),
        "worst_start_ns": column(max(end - worst_ns, 0), np.int64),
        "worst_end_ns": column(end, np.int64),
        "worst_overall": column(1, np.uint8),
        "worst_queue_ahead": column(3, np.uint32),
        "worst_overtakes": column(1, np.uint32),
        "worst_waker_group": column(NONE, np.uint32),
        "worst_waker_goroutine": column(0, np.uint64),
        "worst_waker_stack": column(0, np.uint32),
        "worst_block_stack": column(1, np.uint32),
        "worst_proc": column(1, np.uint32),
        "worst_verdict": column(string("mixed"), np.uint32),
        "worst_blame_offset": np.arange(count + 1, dtype=np.uint32),
        "worst_blame_class": column(0, np.uint32),
        "worst_blame_ns": column(worst_ns, np.float64),
        "tile_worst": np.zeros(min(count, 1), dtype=np.uint32),
        "tile_level": np.zeros(min(count, 1), dtype=np.uint8),
        "tile_start_ns": np.zeros(min(count, 1), dtype=np.int64),
        "tile_end_ns": np.full(min(count, 1), end, dtype=np.int64),
        "tile_offset": np.arange(min(count, 1) + 1, dtype=np.uint64),
        "segment_proc": np.zeros(min(count, 1), dtype=np.uint16),
        "segment_start_ns": np.zeros(min(count, 1), dtype=np.int64),
        "segment_end_ns": np.full(min(count, 1), end, dtype=np.int64),
        "segment_class": np.zeros(min(count, 1), dtype=np.uint32),
        "segment_goroutine": np.ones(min(count, 1), dtype=np.uint64),
        "segment_merged": np.ones(min(count, 1), dtype=np.uint32),
    }


def _gc(fraction: float, duration: int, procs: int, string: _Strings) -> dict[str, Array]:
    """A cycle every quarter of a second, a tenth of one long; one pause of the recording, one of each cycle."""
    starts = np.arange(0, max(duration - 100_000_000, 1), 250_000_000, dtype=np.int64)
    worked = np.full(len(starts), fraction * procs * duration / max(len(starts), 1)).astype(np.int64)
    reasons = [string("start trace"), *[string("GC mark termination")] * len(starts)]
    return {
        "gc_start_ns": starts,
        "gc_end_ns": starts + 100_000_000,
        "gc_worker_ns": worked * 4 // 5,
        "gc_assist_ns": worked // 5,
        "stw_start_ns": np.concatenate([[0], starts + 100_000_000]).astype(np.int64),
        "stw_end_ns": np.concatenate([[30_000], starts + 100_020_000]).astype(np.int64),
        "stw_reason": np.array(reasons, dtype=np.uint32),
        "mmu_window_ns": WINDOWS,
        "mmu": np.clip(np.linspace(0, 1 - fraction, len(WINDOWS)), 0, 1),
    }


def _series(duration: int, idle_bins: range) -> dict[str, Array]:
    bins = max(duration // 1_000_000, 1)
    flat = np.ones(bins, dtype=np.float32)
    levels = {f"series_{name}_{part}": flat for name in LEVELS for part in ("mean", "min", "max")}
    idle = np.zeros(bins, dtype=np.float32)
    idle[list(idle_bins)] = 1
    return {**levels, "series_procs_idle_min": idle, **{f"series_{name}": flat for name in COUNTS}}


def _header(waits: Sequence[Waits], duration: int, procs: int, gc_fraction: float) -> dict[str, Any]:
    worked = gc_fraction * procs * duration
    return {
        "format": "slowpath.trace",
        "format_version": 1,
        "kind": "trace",
        "header_version": "1.26",
        "duration_ns": duration,
        "events": 1_000,
        "generations": 5,
        "wall_start_ns": None,
        "gomaxprocs": {"first": procs, "last": procs, "max": procs, "changes": 0},
        "recording": "ordinary",
        "block_ns": BLOCK,
        "blame_block_ns": SECOND,
        "bin_ns": 1_000_000,
        "lost": None,
        "warnings": [],
        "source": {"bytes": 1, "bytes_unpacked": 1, "encoding": "plain"},
        "cpu_samples": 0,
        "counts": {},
        "class_kinds": list(CLASS_KINDS),
        "gc": {"cycles": 4, "mark_wall_ns": 1, "dedicated_ns": int(worked), "assist_ns": int(worked / 5), "cpu_fraction": gc_fraction},
        "totals": {
            "waits": sum(len(lengths) for _, lengths in waits),
            "wait_ns": sum(int(lengths.sum()) for _, lengths in waits),
            "procs_ns": procs * duration,
            "host_contention": False,
        },
        "series": [
            *({"name": name, "unit": "goroutines", "of": "level"} for name in LEVELS),
            *({"name": name, "unit": "events", "of": "count"} for name in COUNTS),
        ],
    }  # fmt: skip


def traces(
    waiters: Sequence[GeneratedWaiter],
    count: int,
    seed: int,
    facts: RunMetadata | None = None,
    **options: Any,  # noqa: ANN401 - options of the file are passed on
) -> list[TraceArtifact]:
    """As many traces as `count`, each drawn anew."""
    rng = np.random.default_rng(seed)
    return [
        TraceArtifact(
            f"{seed}.{number}.trace", TraceTable.parse(file_of(waiters, rng, **options)), facts or RunMetadata()
        )
        for number in range(count)
    ]


def bucket_of(durations_ns: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the bucket of each duration (ns, not negative), as the decoder chooses it."""
    values = np.maximum(durations_ns, 0)
    exponent = np.maximum(np.frexp(values.astype(np.float64))[1].astype(np.int64) - 1 - 5, 0)
    # A double rounds up at the top of a power of two from 2^53 on: then the exponent is one too large.
    exponent = np.where(values >> exponent < SUB_BUCKETS, np.maximum(exponent - 1, 0), exponent)
    found: NDArray[np.int64] = np.where(
        values < EXACT_BELOW, values, (exponent + 1) * SUB_BUCKETS + (values >> exponent) - SUB_BUCKETS
    )
    return found
