"""Record the files of a plan with their run metadata, one after the other.

Go allows one CPU profile at a time, so recordings do not overlap. A failed recording does not stop the others, unless the
process has become unreachable.
"""

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.build_id import read_build_id
from slowpath_cli.collect.collect_plan import CUMULATIVE, PROFILE_BYTES, PlannedRecording, SnapshotKind
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget, printable
from slowpath_cli.collect.run_observer import ProcessSnapshot, RunObserver
from slowpath_cli.core.collect_errors import CollectError, ProfileNotOffered, RequestDeclined, TargetUnreachable

_GZIP = b"\x1f\x8b"
_TRACE = b"go 1."
_MUTEX_RATE = re.compile(rb"^sampling period=[1-9]", re.MULTILINE)
_EVENT = re.compile(rb"^\d+ \d+ @ ", re.MULTILINE)
_CMDLINE_BYTES = 1 << 20
BUSY_PAUSES_SECONDS = (1.0, 2.0, 4.0)
"""Pauses between retries while another profiler (continuous profiling) uses the CPU profile."""
MAX_UNREACHABLE = 2


@dataclass(frozen=True)
class CompletedRecording:
    """A completed recording."""

    recording: PlannedRecording
    body: bytes
    facts: RunMetadata
    problem: str = ""
    """Reason why the number of requests in its window is unknown, if they were counted."""


@dataclass(frozen=True)
class FailedRecording:
    """A failed recording and its error."""

    recording: PlannedRecording
    error: CollectError


@dataclass(frozen=True)
class SkippedRecording:
    """A snapshot in between that was not taken, because those of its kind are large."""

    recording: PlannedRecording


Recording = CompletedRecording | FailedRecording | SkippedRecording


def check_mounted(client: PprofClient, address: PprofTarget) -> bytes | None:
    """Return the command line of /debug/pprof/cmdline, with NUL between arguments; None if only that page is missing.

    Raises `ProfileNotOffered` or `TargetUnreachable`, before the first recording: a wrong address fails immediately.
    """
    base_url = f"{address.origin}{address.profiles_path}"
    with contextlib.suppress(ProfileNotOffered):
        return client.get(f"{base_url}/cmdline", limit_bytes=_CMDLINE_BYTES).body
    try:
        client.get(f"{base_url}/", limit_bytes=_CMDLINE_BYTES)
    except ProfileNotOffered as error:
        raise ProfileNotOffered(
            f"The process at {address.origin} does not serve {address.profiles_path} (404). Mount net/http/pprof there "
            '(import _ "net/http/pprof" suffices for the default mux), or give the URL where it is mounted.'
        ) from error
    return None


def find_waiting_kinds(client: PprofClient, address: PprofTarget) -> frozenset[SnapshotKind]:
    """Return those of mutex and block that the process records: both are off unless the program turns them on.

    The text of a mutex profile states its rate; that of a block profile does not, so it must have an event. None of a
    process that does not offer them.
    """
    kinds: set[SnapshotKind] = set()
    with contextlib.suppress(CollectError):
        if _MUTEX_RATE.search(_read_text(client, address, "mutex")):
            kinds.add("mutex")
    with contextlib.suppress(CollectError):
        if _EVENT.search(_read_text(client, address, "block")):
            kinds.add("block")
    return frozenset(kinds)


def _read_text(client: PprofClient, address: PprofTarget, kind: SnapshotKind) -> bytes:
    return client.get(f"{address.origin}{address.profiles_path}/{kind}?debug=1", limit_bytes=PROFILE_BYTES).body


def record(
    client: PprofClient,
    address: PprofTarget,
    observer: RunObserver,
    recordings: list[PlannedRecording],
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[Recording]:
    """Take the recordings one by one; stop early if the process becomes unreachable."""
    failures = 0
    largest: dict[str, int] = {}
    for recording in recordings:
        if not recording.is_worthwhile(largest.get(recording.kind, 0)):
            yield SkippedRecording(recording)
            continue
        try:
            taken = _take(client, address, observer, recording, pause)
            largest[recording.kind] = max(largest.get(recording.kind, 0), len(taken.body))
            yield taken
            failures = 0
        except CollectError as error:
            yield FailedRecording(recording, error)
            failures = failures + 1 if isinstance(error, TargetUnreachable) else 0
            if failures == MAX_UNREACHABLE:
                return


def _take(
    client: PprofClient,
    address: PprofTarget,
    observer: RunObserver,
    recording: PlannedRecording,
    pause: Callable[[float], None],
) -> CompletedRecording:
    before = observer.take_snapshot()
    body = _fetch_with_retries(client, f"{address.origin}{address.profiles_path}{recording.path}", recording, pause)
    after = observer.take_snapshot()
    facts = _facts(observer, recording, before, after)
    if recording.kind != "trace" and facts.build_id is None:
        facts = replace(facts, build_id=read_build_id(body))
    problem = observer.counted(before, after).problem if recording.is_window else ""
    return CompletedRecording(recording, body, facts, problem)


def _facts(
    observer: RunObserver, recording: PlannedRecording, before: ProcessSnapshot, after: ProcessSnapshot
) -> RunMetadata:
    if recording.is_window:
        return observer.during(before, after)
    return observer.since_start(after) if recording.kind in CUMULATIVE else observer.at(after)


def _fetch_with_retries(
    client: PprofClient, url: str, recording: PlannedRecording, pause: Callable[[float], None]
) -> bytes:
    """Fetch a recording; retry while another profiler is running."""
    for seconds in BUSY_PAUSES_SECONDS:
        try:
            return _fetch(client, url, recording)
        except RequestDeclined as error:
            if not error.is_transient:
                raise
            pause(seconds + recording.window_seconds)
    return _fetch(client, url, recording)


def _fetch(client: PprofClient, url: str, recording: PlannedRecording) -> bytes:
    response = client.get(url, limit_bytes=recording.limit_bytes, window_seconds=recording.window_seconds)
    magic = _TRACE if recording.kind == "trace" else _GZIP
    if not response.body.startswith(magic):
        start = printable(response.body[:80].decode("utf-8", "replace").split("\n")[0], 60)
        raise ProfileNotOffered(f"{url} did not respond with a {recording.kind} recording, but with {start!r}.")
    return response.body
