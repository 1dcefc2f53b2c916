"""`slowpath collect`: record profiles and traces with run metadata from a running process, to a folder or a server.

With `--against`, records two processes in turns: the best way to compare two builds that can run at the same time.
Exit codes: 0 all files, 3 some files (saved), 2 no files, 130 interrupted (recorded files are saved).
"""

import argparse
import os
import random
import re
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.commit_names import short_commit
from slowpath_cli.collect.collect_plan import (
    DEFAULT_SNAPSHOTS,
    SNAPSHOT_KINDS,
    CollectPlan,
    PlannedRecording,
    SnapshotKind,
)
from slowpath_cli.collect.counter_choice import NONE, choose_counter
from slowpath_cli.collect.executable_file import EXECUTABLE_NAME, read_executable
from slowpath_cli.collect.output_sinks import FolderSink, ServerSink, Sink
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import (
    FailedRecording,
    Recording,
    SkippedRecording,
    check_mounted,
    find_waiting_kinds,
)
from slowpath_cli.collect.request_counters import RequestCounter, read_selector
from slowpath_cli.collect.run_observer import RunObserver, make_observer, parse_metadata_arguments
from slowpath_cli.collect.sides import Side, take_turns
from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.commands.build_arguments import parse_build_name
from slowpath_cli.commands.build_creation import find_or_create_build
from slowpath_cli.commands.server_arguments import server_of
from slowpath_cli.core.collect_errors import CollectError, InvalidArgument
from slowpath_cli.core.input_files import resolved

WHOLE, NOTHING, PARTIAL, INTERRUPTED = 0, 2, 3, 130


def run(options: argparse.Namespace) -> int:
    """Record the files and return the exit code."""
    try:
        with ExitStack() as stack:
            return _collect(options, stack)
    except CollectError as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return NOTHING


def _collect(options: argparse.Namespace, stack: ExitStack) -> int:
    plan = CollectPlan(
        options.profiles, options.seconds, options.trace, options.trace_seconds, _kinds(options.snapshots)
    )
    requested = _requested_sides(options, stack)
    counter, headers = _counter(options.requests_metric), _headers(options.header)
    clients = [stack.enter_context(PprofClient(headers)) for _ in requested]
    command_lines = [check_mounted(client, each.address) for client, each in zip(clients, requested, strict=True)]
    if options.snapshots is None:
        waiting = [find_waiting_kinds(client, each.address) for client, each in zip(clients, requested, strict=True)]
        plan = plan.with_snapshots(frozenset.intersection(*waiting))
    recordings = plan.recordings()
    for each in requested:
        each.sink.prepare([recording.name for recording in recordings] + [EXECUTABLE_NAME] * bool(each.binary))
    sides = []
    for client, each, command_line in zip(clients, requested, command_lines, strict=True):
        observer = make_observer(client, each.address, counter, each.known, command_line)
        observer = _with_counter(observer, count_none=options.requests_metric == NONE)
        sides.append(Side(each.name, client, each.address, observer, each.sink))
        _print_lines(_describe_side(sides[-1]))
        if each.binary:
            each.sink.put(EXECUTABLE_NAME, *read_executable(each.binary, observer))
    seconds = sum(recording.window_seconds for recording in recordings) * len(sides)
    turns = ", alternating between the sides" if len(sides) > 1 else ""
    _print_lines([f"{len(recordings) * len(sides)} files, about {seconds:.0f} s{turns}"])
    if len(sides) > 1 and sides[0].observer.standing.run == sides[1].observer.standing.run:
        _print_lines(["warning: both addresses lead to the same process, so differences between the sides are noise"])
    return _record(sides, recordings)


@dataclass(frozen=True)
class _RequestedSide:
    """One side as given on the command line."""

    name: str
    address: PprofTarget
    known: RunMetadata
    sink: Sink
    binary: str | None


def _requested_sides(options: argparse.Namespace, stack: ExitStack) -> list[_RequestedSide]:
    address, known = PprofTarget.parse(options.url, options.metrics), _facts("--fact", options.fact)
    if options.against is None:
        needs_against = ("against_out", "against_metrics", "against_fact", "against_binary", "against_build")
        if stray := [name for name in needs_against if getattr(options, name)]:
            raise InvalidArgument(f"--{stray[0].replace('_', '-')} needs --against URL2.")
        return [_RequestedSide("", address, known, _sink(options, address, stack), options.binary)]
    second = PprofTarget.parse(options.against, options.against_metrics)
    second_metadata = _facts("--against-fact", options.against_fact)
    first_sink, second_sink = _make_two_sinks(options, address, stack)
    return [
        _RequestedSide("base", address, known, first_sink, options.binary),
        _RequestedSide("candidate", second, second_metadata, second_sink, options.against_binary),
    ]


def _make_two_sinks(options: argparse.Namespace, address: PprofTarget, stack: ExitStack) -> tuple[Sink, Sink]:
    server = _server(options, stack)
    if server:
        return _server_sink(server, options.build), _server_sink(server, options.against_build)
    if options.against_out:
        if not options.out:
            raise InvalidArgument("--against-out needs --out, the folder of the first side.")
        folders = resolved(options.out), resolved(options.against_out)
    else:
        both = resolved(options.out or _default_folder(address))
        folders = both / "base", both / "candidate"
    if folders[0].absolute() == folders[1].absolute():
        raise InvalidArgument("--out and --against-out are the same folder. Give each side a separate folder.")
    return FolderSink(folders[0]), FolderSink(folders[1])


def _with_counter(observer: RunObserver, *, count_none: bool) -> RunObserver:
    """Return the observer with a request counter, if found; the user chooses if there are several."""
    if count_none:
        return replace(
            observer, counter=None, candidates=(), notes=("requests are not counted (--requests-metric none)",)
        )
    counter = observer.counter
    if observer.candidates:
        counter = choose_counter(observer, _prompt if sys.stdin.isatty() and sys.stderr.isatty() else None)
        note = f"requests are counted by {counter.pattern.pattern}" if counter else "requests are not counted"
        observer = replace(observer, candidates=(), notes=(note,))
    return observer.counting(counter) if counter else observer


def _prompt(question: str) -> str:
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()


def _record(sides: list[Side], recordings: list[PlannedRecording]) -> int:
    planned = total = len(recordings) * len(sides)
    width = max(len(side.name) for side in sides)
    interrupted = False
    began = time.monotonic()
    try:
        for number, (side, result) in enumerate(take_turns(sides, recordings, random.Random()), start=1):  # noqa: S311 - an order
            head = f"{number:>{len(str(planned))}}/{planned}  {side.name:<{width}}{'  ' if width else ''}{result.recording.name:<18}"
            total -= isinstance(result, SkippedRecording)
            _print_lines(_save_recording(side, result, head))
    except KeyboardInterrupt:
        interrupted = True
    saved = sum(side.saved_count for side in sides)
    missing = "" if saved == total else f" of {total}"
    ending = "interrupted; " if interrupted else ""
    places = [side.sink.where() for side in sides]
    _print_lines([f"{ending}{saved}{missing} files in {time.monotonic() - began:.0f} s: {', '.join(places)}"])
    for side in sides:
        if side.saved_count:
            print(side.sink.where())
    if interrupted:
        return INTERRUPTED if saved < total else WHOLE
    if saved == 0 and any(side.failed for side in sides):
        return NOTHING
    return WHOLE if saved == total else PARTIAL if saved else NOTHING


def _save_recording(side: Side, result: Recording, head: str) -> list[str]:
    """Save a recording and return the lines to print."""
    if isinstance(result, FailedRecording):
        return [f"{head} failed: {result.error}"]
    if isinstance(result, SkippedRecording):
        return [f"{head} skipped: snapshots of this process are large"]
    if not side.keep(result):
        return [f"{head} stopped: {side.failed}"]
    lines = [f"{head} {len(result.body) / 1000:>9,.1f} kB  {_format_counts(result.facts)}".rstrip()]
    if result.problem and result.problem not in side.problems:
        side.problems.add(result.problem)
        lines.append(f"  warning: {result.problem}")
    return lines


def _describe_side(side: Side) -> list[str]:
    address, observer = side.address, side.observer
    process_metadata = observer.standing
    known = [
        process_metadata.go_version,
        f"{process_metadata.goos}/{process_metadata.goarch}"
        if process_metadata.goos and process_metadata.goarch
        else None,
        f"GOMAXPROCS {process_metadata.gomaxprocs}" if process_metadata.gomaxprocs else None,
        process_metadata.cpu_model,
        f"commit {short_commit(process_metadata.commit)}" if process_metadata.commit else None,
    ]
    text = ", ".join(fact for fact in known if fact) or "no metadata available"
    name = f"{side.name}: " if side.name else ""
    return [f"{name}{address.origin}{address.profiles_path}: {text}", *observer.notes]


def _format_counts(facts: RunMetadata) -> str:
    parts = []
    if facts.requests is not None:
        parts.append(f"{facts.requests:,} requests")
    if facts.cpu_ns is not None:
        parts.append(f"{facts.cpu_ns / 1e9:.2f} s of CPU")
    return ", ".join(parts)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, file=sys.stderr, flush=True)


def _sink(options: argparse.Namespace, address: PprofTarget, stack: ExitStack) -> Sink:
    server = _server(options, stack)
    if server:
        return _server_sink(server, options.build)
    return FolderSink(resolved(options.out or _default_folder(address)))


def _server_sink(server: UploadClient, build: str | None) -> ServerSink:
    return ServerSink(server, partial(find_or_create_build, server, parse_build_name(build, os.environ)))


def _server(options: argparse.Namespace, stack: ExitStack) -> UploadClient | None:
    """Return the upload client, or None if the files go to folders."""
    url = options.server or (None if options.out else server_of(os.environ))
    if url and options.out:
        raise InvalidArgument("--out and --server exclude each other. Give one of them.")
    return (
        stack.enter_context(UploadClient(url, options.token or os.environ.get("SLOWPATH_TOKEN", ""))) if url else None
    )


def _default_folder(address: PprofTarget) -> str:
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", address.authority)
    return f"slowpath-{name}-{time.strftime('%Y%m%d-%H%M%S')}"


def _kinds(text: str | None) -> tuple[SnapshotKind, ...]:
    if text is None:
        return DEFAULT_SNAPSHOTS
    requested = [word.strip() for word in text.split(",") if word.strip()]
    if unknown := [word for word in requested if word not in SNAPSHOT_KINDS]:
        raise InvalidArgument(f"--snapshots: unknown kind {unknown[0]!r}. Choose from {', '.join(SNAPSHOT_KINDS)}.")
    return tuple(kind for kind in SNAPSHOT_KINDS if kind in requested)


def _counter(text: str | None) -> RequestCounter | None:
    try:
        return read_selector(text) if text and text != NONE else None
    except re.error as error:
        raise InvalidArgument(f"--requests-metric is not a regular expression: {error}.") from error


def _facts(option: str, pairs: list[str]) -> RunMetadata:
    given: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise InvalidArgument(f"{option} takes NAME=VALUE, not {pair!r}.")
        given[name] = value
    try:
        return parse_metadata_arguments(given)
    except ValueError as error:
        raise InvalidArgument(f"{option}: {error}.") from error


def _headers(lines: list[str]) -> dict[str, str]:
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name.strip() or not line.isprintable():
            raise InvalidArgument(f"--header takes 'Name: value', not {line!r}.")
        headers[name.strip()] = value.strip()
    return headers
