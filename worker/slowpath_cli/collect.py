"""`slowpath collect`: a whole set with its facts from a running process, into a folder or straight to a server.

Exit codes: 0 the whole set, 3 a part of it (what came is kept), 2 nothing, 130 interrupted (what came is kept).
"""

import argparse
import os
import re
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path

from slowpath.analysis.facts import Facts
from slowpath_cli.collecting.errors import BadRequest, CollectError
from slowpath_cli.collecting.facts import Observer, facts_given, observe
from slowpath_cli.collecting.fetch import Address, Client
from slowpath_cli.collecting.plan import SNAPSHOT_KINDS, Plan, Recording, SnapshotKind
from slowpath_cli.collecting.recording import Missed, check_mounted, record
from slowpath_cli.collecting.server import Server
from slowpath_cli.collecting.sink import FolderSink, ServerSink, Sink

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
        "--requests-metric", metavar="REGEX", help="series (name{labels}) that count requests; usual names are found"
    )
    facts.add_argument(
        "--fact", action="append", default=[], metavar="NAME=VALUE", help="a fact given by hand, such as commit=..."
    )
    facts.add_argument("--header", action="append", default=[], metavar="'Name: value'", help="sent to the process")
    where = parser.add_argument_group("where to")
    where.add_argument("--out", metavar="DIR", help="folder (default slowpath-HOST-TIME)")
    add_server_arguments(where)


def add_server_arguments(parser: "argparse.ArgumentParser | argparse._ArgumentGroup") -> None:
    """The arguments that name a server; the token is better kept out of the process list."""
    parser.add_argument("--server", "--url", dest="server", metavar="URL", help="the server (default $SLOWPATH_URL)")
    parser.add_argument("--token", metavar="T", help="its token (default $SLOWPATH_TOKEN)")
    parser.add_argument("--build", metavar="ID", help="the build the files belong to: its id, or SERVICE@COMMIT")


def server_of(environ: Mapping[str, str]) -> str | None:
    """Return the server that the environment names; as SLOWPATH_SERVER it was named before all commands said SLOWPATH_URL."""
    return environ.get("SLOWPATH_URL") or environ.get("SLOWPATH_SERVER")


def run(options: argparse.Namespace) -> int:
    """Collect; returns the exit code."""
    try:
        with ExitStack() as stack:
            return _collect(options, stack)
    except CollectError as error:
        print(f"slowpath: {error}", file=sys.stderr)
        return NOTHING


def _collect(options: argparse.Namespace, stack: ExitStack) -> int:
    plan = Plan(options.profiles, options.seconds, options.trace, options.trace_seconds, _kinds(options.snapshots))
    address = Address.parse(options.url, options.metrics)
    pattern, known = _pattern(options.requests_metric), _facts(options.fact)
    client = stack.enter_context(Client(_headers(options.header)))
    sink = _sink(options, address, stack)
    recordings = plan.recordings()
    command_line = check_mounted(client, address)
    sink.prepare([recording.name for recording in recordings])
    observer = observe(client, address, pattern, known, command_line)
    _tell(_opening(address, observer, recordings))
    return _keep(client, address, observer, recordings, sink)


def _keep(client: Client, address: Address, observer: Observer, recordings: list[Recording], sink: Sink) -> int:
    kept = 0
    code = WHOLE
    began = time.monotonic()
    try:
        for number, result in enumerate(record(client, address, observer, recordings), start=1):
            head = f"{number:>{len(str(len(recordings)))}}/{len(recordings)}  {result.recording.name:<18}"
            if isinstance(result, Missed):
                code = PARTIAL
                _tell([f"{head} missed: {result.error}"])
                continue
            sink.put(result.recording.name, result.body, result.facts)
            kept += 1
            _tell([f"{head} {len(result.body) / 1000:>9,.1f} kB  {_counted(result.facts)}".rstrip()])
    except KeyboardInterrupt:
        code = INTERRUPTED
    except CollectError as error:
        if not kept:
            raise
        code = PARTIAL
        _tell([f"stopped: {error}"])
    missing = "" if kept == len(recordings) else f" of {len(recordings)}"
    ending = "interrupted; " if code == INTERRUPTED else ""
    _tell([f"{ending}{kept}{missing} files in {time.monotonic() - began:.0f} s: {sink.where()}"])
    if kept:
        print(sink.where())
    return NOTHING if kept == 0 and code == PARTIAL else code if kept < len(recordings) else WHOLE


def _opening(address: Address, observer: Observer, recordings: list[Recording]) -> list[str]:
    standing = observer.standing
    known = [
        standing.go_version,
        f"{standing.goos}/{standing.goarch}" if standing.goos and standing.goarch else None,
        f"GOMAXPROCS {standing.gomaxprocs}" if standing.gomaxprocs else None,
        standing.cpu_model,
        f"commit {standing.commit[:12]}" if standing.commit else None,
    ]
    told = ", ".join(fact for fact in known if fact) or "nothing is known of it"
    seconds = sum(recording.window_seconds for recording in recordings)
    return [
        f"{address.origin}{address.profiles_path}: {told}",
        *observer.notes,
        f"{len(recordings)} files, about {seconds:.0f} s",
    ]


def _counted(facts: Facts) -> str:
    parts = []
    if facts.requests is not None:
        parts.append(f"{facts.requests:,} requests")
    if facts.cpu_ns is not None:
        parts.append(f"{facts.cpu_ns / 1e9:.2f} s of CPU")
    return ", ".join(parts)


def _tell(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, file=sys.stderr, flush=True)


def _sink(options: argparse.Namespace, address: Address, stack: ExitStack) -> Sink:
    server = options.server or (None if options.out else server_of(os.environ))
    if server and options.out:
        raise BadRequest("give --out or --server, not both: the set goes to one place.")
    if server:
        token = options.token or os.environ.get("SLOWPATH_TOKEN", "")
        return ServerSink(stack.enter_context(Server(server, token)), options.build)
    stamp = time.strftime("%Y%m%d-%H%M%S")
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", address.authority)
    return FolderSink(resolved(options.out or f"slowpath-{name}-{stamp}"))


def resolved(text: str) -> Path:
    """A path as the person meant it: npm changes the directory and tells the old one in INIT_CWD."""
    return Path(os.environ.get("INIT_CWD") or ".", text)


def _kinds(text: str) -> tuple[SnapshotKind, ...]:
    asked = [word.strip() for word in text.split(",") if word.strip()]
    if unknown := [word for word in asked if word not in SNAPSHOT_KINDS]:
        raise BadRequest(f"--snapshots: there is no kind {unknown[0]!r}; known are {', '.join(SNAPSHOT_KINDS)}.")
    return tuple(kind for kind in SNAPSHOT_KINDS if kind in asked)


def _pattern(text: str | None) -> re.Pattern[str] | None:
    try:
        return re.compile(text) if text else None
    except re.error as error:
        raise BadRequest(f"--requests-metric is not a regular expression: {error}.") from error


def _facts(pairs: list[str]) -> Facts:
    given: dict[str, str] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise BadRequest(f"--fact takes NAME=VALUE, not {pair!r}.")
        given[name] = value
    try:
        return facts_given(given)
    except ValueError as error:
        raise BadRequest(f"--fact: {error}.") from error


def _headers(lines: list[str]) -> dict[str, str]:
    headers = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name.strip() or not line.isprintable():
            raise BadRequest(f"--header takes 'Name: value', not {line!r}.")
        headers[name.strip()] = value.strip()
    return headers
