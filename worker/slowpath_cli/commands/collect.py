"""`slowpath collect`: a whole set with its facts from a running process, into a folder or straight to a server.

With `--against`, from two processes in turns: the best way to compare two builds that can run at the same time.
Exit codes: 0 the whole set, 3 a part of it (what came is kept), 2 nothing, 130 interrupted (what came is kept).
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

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.collect.collect_plan import SNAPSHOT_KINDS, CollectPlan, PlannedRecording, SnapshotKind
from slowpath_cli.collect.counter_choice import NONE, choose_counter
from slowpath_cli.collect.output_sinks import FolderSink, ServerSink, Sink
from slowpath_cli.collect.pprof_client import PprofClient, PprofTarget
from slowpath_cli.collect.recorder import CompletedRecording, FailedRecording, check_mounted
from slowpath_cli.collect.request_counters import RequestCounter, read_selector
from slowpath_cli.collect.run_observer import RunObserver, make_observer, parse_metadata_arguments
from slowpath_cli.collect.sides import Side, take_turns
from slowpath_cli.collect.upload_client import UploadClient
from slowpath_cli.commands.server_arguments import add_server_arguments, server_of
from slowpath_cli.core.collect_errors import CollectError, InvalidArgument
from slowpath_cli.core.input_files import resolved

WHOLE, NOTHING, PARTIAL, INTERRUPTED = 0, 2, 3, 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What may stand after `slowpath collect`."""
    parser.add_argument("url", metavar="URL", help="host:port of the process, or where its /debug/pprof is")
    what = parser.add_argument_group("what")
    what.add_argument("--profiles", type=int, default=10, metavar="N", help="CPU profiles (default 10)")
    what.add_argument("--seconds", type=float, default=5.0, metavar="S", help="length of each (default 5)")
    what.add_argument("--trace", type=int, default=0, metavar="N", help="execution traces (default 0)")
    what.add_argument("--trace-seconds", type=float, default=1.0, metavar="S", help="length of each (default 1)")
    what.add_argument(
        "--snapshots",
        default="heap,allocs,goroutine",
        metavar="KINDS",
        help=f"of {', '.join(SNAPSHOT_KINDS)}; cumulative ones are taken at both ends; '' for none (default %(default)s)",
    )
    facts = parser.add_argument_group("facts")
    facts.add_argument("--metrics", metavar="URL", help="where the process's metrics are (default /metrics beside it)")
    facts.add_argument(
        "--requests-metric",
        metavar="NAME{label=value}",
        help="counter of the requests served, with labels or without, or a regular expression over name{labels}; 'none' to "
        "count none. Usual names are found; counters of metrics, health, debug and admin handlers never count",
    )
    facts.add_argument(
        "--fact", action="append", default=[], metavar="NAME=VALUE", help="a fact given by hand, such as commit=..."
    )
    facts.add_argument("--header", action="append", default=[], metavar="'Name: value'", help="sent to the process")
    where = parser.add_argument_group("where to")
    where.add_argument("--out", metavar="DIR", help="folder (default slowpath-HOST-TIME)")
    add_server_arguments(where)
    second = parser.add_argument_group(
        "two sides",
        "URL is the base, URL2 the candidate. Both are captured in turns, so that a machine that gets slower or busier meanwhile "
        "does not look like a difference between them: recommended wherever both builds can run at the same time.",
    )
    second.add_argument("--against", metavar="URL2", help="a second process, captured in turns with the first")
    second.add_argument("--against-out", metavar="DIR", help="its folder (default: base and candidate in --out)")
    second.add_argument("--against-metrics", metavar="URL", help="where its metrics are")
    second.add_argument(
        "--against-fact", action="append", default=[], metavar="NAME=VALUE", help="a fact of it; --fact is of the first"
    )
    second.add_argument("--against-build", metavar="ID", help="the build its files belong to, with --server")


def run(options: argparse.Namespace) -> int:
    """Collect; returns the exit code."""
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
    recordings = plan.recordings()
    asked = _asked(options, stack)
    counter, headers = _counter(options.requests_metric), _headers(options.header)
    clients = [stack.enter_context(PprofClient(headers)) for _ in asked]
    command_lines = [check_mounted(client, each.address) for client, each in zip(clients, asked, strict=True)]
    for each in asked:
        each.sink.prepare([recording.name for recording in recordings])
    sides = []
    for client, each, command_line in zip(clients, asked, command_lines, strict=True):
        observer = make_observer(client, each.address, counter, each.known, command_line)
        observer = _counting(observer, count_none=options.requests_metric == NONE)
        sides.append(Side(each.name, client, each.address, observer, each.sink))
        _tell(_opening(sides[-1]))
    seconds = sum(recording.window_seconds for recording in recordings) * len(sides)
    turns = ", the sides in turns" if len(sides) > 1 else ""
    _tell([f"{len(recordings) * len(sides)} files, about {seconds:.0f} s{turns}"])
    if len(sides) > 1 and sides[0].observer.standing.run == sides[1].observer.standing.run:
        _tell(["both addresses lead to the same process: what differs between the sides is noise"])
    return _keep(sides, recordings)


@dataclass(frozen=True)
class _Asked:
    """One side as the command line names it."""

    name: str
    address: PprofTarget
    known: RunMetadata
    sink: Sink


def _asked(options: argparse.Namespace, stack: ExitStack) -> list[_Asked]:
    address, known = PprofTarget.parse(options.url, options.metrics), _facts("--fact", options.fact)
    if options.against is None:
        beside = ("against_out", "against_metrics", "against_fact", "against_build")
        if stray := [name for name in beside if getattr(options, name)]:
            raise InvalidArgument(f"--{stray[0].replace('_', '-')} needs --against URL2.")
        return [_Asked("", address, known, _sink(options, address, stack))]
    second = PprofTarget.parse(options.against, options.against_metrics)
    known_second = _facts("--against-fact", options.against_fact)
    first_sink, second_sink = _two_sinks(options, address, stack)
    return [_Asked("base", address, known, first_sink), _Asked("candidate", second, known_second, second_sink)]


def _two_sinks(options: argparse.Namespace, address: PprofTarget, stack: ExitStack) -> tuple[Sink, Sink]:
    server = _server(options, stack)
    if server:
        return ServerSink(server, options.build), ServerSink(server, options.against_build)
    if options.against_out:
        if not options.out:
            raise InvalidArgument("--against-out needs --out, the folder of the first side.")
        folders = resolved(options.out), resolved(options.against_out)
    else:
        both = resolved(options.out or _default_folder(address))
        folders = both / "base", both / "candidate"
    if folders[0].absolute() == folders[1].absolute():
        raise InvalidArgument("--out and --against-out are the same folder: each side needs its own.")
    return FolderSink(folders[0]), FolderSink(folders[1])


def _counting(observer: RunObserver, *, count_none: bool) -> RunObserver:
    """The observer with a counter of requests, if there is one; a person chooses among several."""
    if count_none:
        return replace(observer, counter=None, candidates=(), notes=("no requests are counted, as asked",))
    counter = observer.counter
    if observer.candidates:
        counter = choose_counter(observer, _ask if sys.stdin.isatty() and sys.stderr.isatty() else None)
        note = f"requests are counted by {counter.pattern.pattern}" if counter else "no requests are counted"
        observer = replace(observer, candidates=(), notes=(note,))
    return observer.counting(counter) if counter else observer


def _ask(question: str) -> str:
    print(question, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline()


def _keep(sides: list[Side], recordings: list[PlannedRecording]) -> int:
    total = len(recordings) * len(sides)
    width = max(len(side.name) for side in sides)
    interrupted = False
    began = time.monotonic()
    try:
        for number, (side, result) in enumerate(take_turns(sides, recordings, random.Random()), start=1):  # noqa: S311 - an order
            head = f"{number:>{len(str(total))}}/{total}  {side.name:<{width}}{'  ' if width else ''}{result.recording.name:<18}"
            _tell(_kept(side, result, head))
    except KeyboardInterrupt:
        interrupted = True
    kept = sum(side.kept for side in sides)
    missing = "" if kept == total else f" of {total}"
    ending = "interrupted; " if interrupted else ""
    places = [side.sink.where() for side in sides]
    _tell([f"{ending}{kept}{missing} files in {time.monotonic() - began:.0f} s: {', '.join(places)}"])
    for side in sides:
        if side.kept:
            print(side.sink.where())
    if interrupted:
        return INTERRUPTED if kept < total else WHOLE
    if kept == 0 and any(side.failed for side in sides):
        return NOTHING
    return WHOLE if kept == total else PARTIAL if kept else NOTHING


def _kept(side: Side, result: CompletedRecording | FailedRecording, head: str) -> list[str]:
    """Write what came; returns what to tell of it."""
    if isinstance(result, FailedRecording):
        return [f"{head} missed: {result.error}"]
    if not side.keep(result):
        return [f"{head} stopped: {side.failed}"]
    told = [f"{head} {len(result.body) / 1000:>9,.1f} kB  {_counted(result.facts)}".rstrip()]
    if result.problem and result.problem not in side.problems:
        side.problems.add(result.problem)
        told.append(f"  warning: {result.problem}")
    return told


def _opening(side: Side) -> list[str]:
    address, observer = side.address, side.observer
    standing = observer.standing
    known = [
        standing.go_version,
        f"{standing.goos}/{standing.goarch}" if standing.goos and standing.goarch else None,
        f"GOMAXPROCS {standing.gomaxprocs}" if standing.gomaxprocs else None,
        standing.cpu_model,
        f"commit {standing.commit[:12]}" if standing.commit else None,
    ]
    told = ", ".join(fact for fact in known if fact) or "nothing is known of it"
    name = f"{side.name}: " if side.name else ""
    return [f"{name}{address.origin}{address.profiles_path}: {told}", *observer.notes]


def _counted(facts: RunMetadata) -> str:
    parts = []
    if facts.requests is not None:
        parts.append(f"{facts.requests:,} requests")
    if facts.cpu_ns is not None:
        parts.append(f"{facts.cpu_ns / 1e9:.2f} s of CPU")
    return ", ".join(parts)


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, file=sys.stderr, flush=True)


def _sink(options: argparse.Namespace, address: PprofTarget, stack: ExitStack) -> Sink:
    server = _server(options, stack)
    if server:
        return ServerSink(server, options.build)
    return FolderSink(resolved(options.out or _default_folder(address)))


def _server(options: argparse.Namespace, stack: ExitStack) -> UploadClient | None:
    """The server to send to, or None where folders are to be written."""
    url = options.server or (None if options.out else server_of(os.environ))
    if url and options.out:
        raise InvalidArgument("give --out or --server, not both: the set goes to one place.")
    return (
        stack.enter_context(UploadClient(url, options.token or os.environ.get("SLOWPATH_TOKEN", ""))) if url else None
    )


def _default_folder(address: PprofTarget) -> str:
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", address.authority)
    return f"slowpath-{name}-{time.strftime('%Y%m%d-%H%M%S')}"


def _kinds(text: str) -> tuple[SnapshotKind, ...]:
    asked = [word.strip() for word in text.split(",") if word.strip()]
    if unknown := [word for word in asked if word not in SNAPSHOT_KINDS]:
        raise InvalidArgument(f"--snapshots: there is no kind {unknown[0]!r}; known are {', '.join(SNAPSHOT_KINDS)}.")
    return tuple(kind for kind in SNAPSHOT_KINDS if kind in asked)


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
