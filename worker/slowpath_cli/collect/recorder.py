"""Recording a set: each file of a plan with its facts, one after the other.

One process's profiles overlap if taken at once (Go allows one CPU profile at a time), so there is one recording at a
time. What goes wrong with one does not stop the others, unless it would go wrong with all.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.build_id import read_build_id
from slowpath_cli.collect.collect_plan import CUMULATIVE, PlannedRecording
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget, printable
from slowpath_cli.collect.run_observer import ProcessSnapshot, RunObserver
from slowpath_cli.core.collect_errors import CollectError, ProfileNotOffered, RequestDeclined, TargetUnreachable

_GZIP = b"\x1f\x8b"
_TRACE = b"go 1."
_CMDLINE_BYTES = 1 << 20
BUSY_PAUSES_SECONDS = (1.0, 2.0, 4.0)
"""Another profiler (continuous profiling) holds the CPU profile for some seconds; how long we wait for it each time."""
MAX_UNREACHED = 2


@dataclass(frozen=True)
class CompletedRecording:
    """A recording that came back."""

    recording: PlannedRecording
    body: bytes
    facts: RunMetadata
    problem: str = ""
    """Why the requests of its window are not known, where they were counted."""


@dataclass(frozen=True)
class FailedRecording:
    """A recording that did not, and why."""

    recording: PlannedRecording
    error: CollectError


def check_mounted(client: PprofClient, address: PprofTarget) -> bytes | None:
    """Return the process's command line as /debug/pprof/cmdline tells it, NUL between words; None where only that is missing.

    Raises `ProfileNotOffered` or `TargetUnreachable` before anything is waited for: a wrong address should be told at once.
    """
    place = f"{address.origin}{address.profiles_path}"
    with contextlib.suppress(ProfileNotOffered):
        return client.get(f"{place}/cmdline", limit_bytes=_CMDLINE_BYTES).body
    try:
        client.get(f"{place}/", limit_bytes=_CMDLINE_BYTES)
    except ProfileNotOffered as error:
        raise ProfileNotOffered(
            f"A process answers at {address.origin}, but has no {address.profiles_path} (404). Mount net/http/pprof there "
            '(import _ "net/http/pprof" is enough for the default mux), or give the path where it is mounted.'
        ) from error
    return None


def record(
    client: PprofClient,
    address: PprofTarget,
    observer: RunObserver,
    recordings: list[PlannedRecording],
    pause: Callable[[float], None] = time.sleep,
) -> Iterator[CompletedRecording | FailedRecording]:
    """Take the recordings one by one. Ends early when the process does not answer any more."""
    unreached = 0
    for recording in recordings:
        try:
            yield _take(client, address, observer, recording, pause)
            unreached = 0
        except CollectError as error:
            yield FailedRecording(recording, error)
            unreached = unreached + 1 if isinstance(error, TargetUnreachable) else 0
            if unreached == MAX_UNREACHED:
                return


def _take(
    client: PprofClient,
    address: PprofTarget,
    observer: RunObserver,
    recording: PlannedRecording,
    pause: Callable[[float], None],
) -> CompletedRecording:
    before = observer.look()
    body = _patiently(client, f"{address.origin}{address.profiles_path}{recording.path}", recording, pause)
    after = observer.look()
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


def _patiently(client: PprofClient, url: str, recording: PlannedRecording, pause: Callable[[float], None]) -> bytes:
    """Ask again a few times while another profiler is at work."""
    for seconds in BUSY_PAUSES_SECONDS:
        try:
            return _ask(client, url, recording)
        except RequestDeclined as error:
            if not error.is_transient:
                raise
            pause(seconds + recording.window_seconds)
    return _ask(client, url, recording)


def _ask(client: PprofClient, url: str, recording: PlannedRecording) -> bytes:
    answer = client.get(url, limit_bytes=recording.limit_bytes, window_seconds=recording.window_seconds)
    wanted = _TRACE if recording.kind == "trace" else _GZIP
    if not answer.body.startswith(wanted):
        start = printable(answer.body[:80].decode("utf-8", "replace").split("\n")[0], 60)
        raise ProfileNotOffered(f"{url} does not answer with a {recording.kind} recording but with {start!r}.")
    return answer.body
