"""Observe a process while an artifact is recorded, and make the artifact's run metadata.

`requests`, `cpu_ns` and `wall_ns` are differences between two snapshots of the process, before and after a recording.
For a cumulative profile (heap, allocs, mutex, block) they count from the start of the process; the metadata of two
recordings of one run can be subtracted like the profiles.
"""

import re
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from slowpath.analysis.findings.route_requests import RouteRequests
from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.units import Nanoseconds
from slowpath_cli.collect.local_process import (
    HostInfo,
    LocalProcess,
    find_listener,
    is_local,
    resolves_here,
    this_machine,
)
from slowpath_cli.collect.metrics_text import Scrape, parse_scrape
from slowpath_cli.collect.own_requests import OwnRequests, RequestCount, count_requests, learn_own_requests
from slowpath_cli.collect.pprof_client import METRICS_BYTES, PprofClient, PprofTarget
from slowpath_cli.collect.request_counters import (
    RequestCounter,
    candidate_counters,
    find_request_counter,
    request_series,
)
from slowpath_cli.collect.route_counts import count_routes
from slowpath_cli.core.collect_errors import CollectError

_COMMIT = re.compile(r"^[0-9a-f]{7,40}$")
_COMMIT_LABELS = ("revision", "commit", "vcs_revision", "git_commit", "gitCommit")
_VERSION = re.compile(r"^(go|devel)[ -~]{1,60}$")


@dataclass(frozen=True)
class ProcessSnapshot:
    """Counters of the process at one time. `taken_ns` is monotonic; unavailable counters are None."""

    taken_ns: int
    wall_s: float
    scrape: Scrape
    requests: float | None
    cpu_ns: int | None
    started_s: float | None
    age_s: float | None
    """Time since the start of the process."""
    sent: int = 0
    """Number of requests this program has sent, including those of this snapshot."""


@dataclass(frozen=True)
class RunObserver:
    """Takes snapshots of one process. Created by `make_observer`."""

    client: PprofClient
    address: PprofTarget
    standing: RunMetadata
    process: LocalProcess | None
    counter: RequestCounter | None
    has_metrics: bool
    named: bool
    notes: tuple[str, ...] = ()
    own: OwnRequests = field(default_factory=OwnRequests)
    candidates: tuple[str, ...] = ()
    """Possible request counters, of which the user must choose one; empty if one is used or none exists."""

    def counting(self, counter: RequestCounter) -> "RunObserver":
        """Return this observer with a counter, after detecting whether it counts this program's requests."""
        own = learn_own_requests(counter, self.scrape, self._send_small_request)
        return replace(self, counter=counter, own=own, candidates=())

    def scrape(self) -> Scrape:
        """Return all metrics. Raises `CollectError`."""
        return _scrape(self.client, self.address)

    def _send_small_request(self) -> None:
        url = f"{self.address.origin}{self.address.profiles_path}/cmdline"
        self.client.get(url, limit_bytes=METRICS_BYTES)

    def take_snapshot(self) -> ProcessSnapshot:
        """Take a snapshot; without counters if `/metrics` does not respond."""
        scrape = Scrape()
        taken, wall = time.monotonic_ns(), time.time()
        if self.has_metrics:
            try:
                scrape = self.scrape()
            except CollectError:
                scrape = Scrape()
            taken = (taken + time.monotonic_ns()) // 2
        return ProcessSnapshot(
            taken_ns=taken,
            wall_s=wall,
            scrape=scrape,
            requests=self.counter.total(scrape) if self.counter else None,
            cpu_ns=_cpu_ns(scrape, self.process),
            started_s=scrape.value("process_start_time_seconds"),
            age_s=_age_s(scrape, wall, self.process),
            sent=self.client.sent,
        )

    def during(self, before: ProcessSnapshot, after: ProcessSnapshot) -> RunMetadata:
        """Return the metadata of a recording between two snapshots; omits counters that decreased (a restart)."""
        return replace(
            self.standing,
            run=self._run(after),
            requests=self.counted(before, after).requests,
            cpu_ns=_as_ns(_increase(before.cpu_ns, after.cpu_ns)),
            wall_ns=Nanoseconds(after.taken_ns - before.taken_ns),
            started_at_ms=round(before.wall_s * 1000),
            ended_at_ms=round(after.wall_s * 1000),
            process_age_ms=None if before.age_s is None else round(before.age_s * 1000),
            requests_by_route=self._routes(before, after),
        )

    def _routes(self, before: ProcessSnapshot, after: ProcessSnapshot) -> tuple[RouteRequests, ...] | None:
        if self.counter is None or before.requests is None or after.requests is None:
            return None
        return count_routes(self.counter, before.scrape, after.scrape)

    def counted(self, before: ProcessSnapshot, after: ProcessSnapshot) -> RequestCount:
        """Return the number of requests by others between two snapshots, or the reason why it is unknown."""
        if self.counter is None or before.requests is None or after.requests is None:
            return RequestCount(None)
        profiles = after.sent - before.sent - 1
        cpu_ns = _increase(before.cpu_ns, after.cpu_ns)
        increase = after.requests - before.requests
        return count_requests(increase, self.own, 1, profiles, cpu_ns, chosen=self.counter.chosen)

    def since_start(self, look: ProcessSnapshot) -> RunMetadata:
        """Return the metadata of a cumulative profile, counted from the start of the process."""
        uptime_s = look.wall_s - look.started_s if look.started_s else None
        chosen = self.counter is not None and self.counter.chosen
        return replace(
            self.standing,
            run=self._run(look),
            requests=count_requests(look.requests, self.own, 0, look.sent, look.cpu_ns, chosen=chosen).requests,
            cpu_ns=_as_ns(_positive(look.cpu_ns)),
            wall_ns=Nanoseconds(round(uptime_s * 1e9)) if uptime_s and uptime_s > 0 else None,
            ended_at_ms=round(look.wall_s * 1000),
        )

    def at(self, look: ProcessSnapshot) -> RunMetadata:
        """Return the metadata of a non-cumulative snapshot (goroutines), without counters."""
        return replace(self.standing, run=self._run(look), ended_at_ms=round(look.wall_s * 1000))

    def _run(self, look: ProcessSnapshot) -> str | None:
        """Return the name of this run; it changes with a restart unless the user has set it."""
        if not self.named and look.started_s is not None:
            return f"{self.address.authority}@{look.started_s:.2f}"
        return self.standing.run


def make_observer(
    client: PprofClient,
    address: PprofTarget,
    requests_metric: RequestCounter | None,
    known: RunMetadata,
    command_line: bytes | None = None,
) -> RunObserver:
    """Detect the constant metadata of a run. Values in `known` come from the user and take precedence.

    `command_line` is that of /debug/pprof/cmdline; a local listener is used only if its command line is the same.
    Missing metrics are no error.
    """
    notes: list[str] = []
    scrape, has_metrics = Scrape(), True
    try:
        scrape = _scrape(client, address)
    except CollectError as error:
        has_metrics = False
        notes.append(f"no metrics, so requests are not counted: {error}")
    process = _process_here(address, command_line)
    machine = this_machine() if process else None
    counter = find_request_counter(scrape, requests_metric)
    notes += _describe_counter(counter, scrape, requests_metric) if has_metrics else []
    several = tuple(candidate_counters(scrape)) if counter is None else ()
    standing = _merged(known, _from_metrics(scrape), _from_process(process), _from_machine(machine))
    if standing.run is None:
        name = f"{process.pid}.{process.started_ticks}" if process else uuid.uuid4().hex[:12]
        standing = replace(standing, run=f"{address.authority}@{name}")
    observer = RunObserver(
        client, address, standing, process, counter, has_metrics, known.run is not None, tuple(notes)
    )
    return replace(observer, candidates=several)


def _process_here(address: PprofTarget, command_line: bytes | None) -> LocalProcess | None:
    """Return the process if it is local; a forwarder (kubectl, ssh, docker-proxy) that listens here is ignored."""
    if command_line is None or not (is_local(address.host) or resolves_here(address.host)):
        return None
    process = find_listener(address.port)
    return process if process and process.command_line() == command_line.rstrip(b"\0") else None


def _scrape(client: PprofClient, address: PprofTarget) -> Scrape:
    response = client.get(address.metrics_url, limit_bytes=METRICS_BYTES)
    return parse_scrape(response.body.decode("utf-8", "replace"))


def _describe_counter(counter: RequestCounter | None, scrape: Scrape, requested: RequestCounter | None) -> list[str]:
    if counter is not None and counter.total(scrape) is not None:
        names = sorted({series.name for series in request_series(counter, scrape)})
        return [f"requests are counted by {', '.join(names[:3])} ({counter.reason})"]
    if requested is not None:
        return [f"no series matches --requests-metric {requested.pattern.pattern!r}, so requests are not counted (yet)"]
    names = candidate_counters(scrape)
    if names:
        return [f"several counters may count requests ({', '.join(names[:5])}). Choose one with --requests-metric"]
    return ["no request counter found. Name it with --requests-metric to compare per request"]


def _from_metrics(scrape: Scrape) -> RunMetadata:
    info = [series.labels() for series in scrape.series if series.name.endswith("_build_info")]
    version = _first_label(scrape, "go_info", ("version",)) or _only({labels.get("goversion", "") for labels in info})
    commits = {labels.get(name, "") for labels in info for name in _COMMIT_LABELS}
    maxprocs = scrape.value("go_sched_gomaxprocs_threads")
    commit = _only({commit for commit in commits if _COMMIT.match(commit)})
    return RunMetadata(
        go_version=version if version and _VERSION.match(version) else None,
        gomaxprocs=round(maxprocs) if maxprocs and 1 <= maxprocs <= 65_536 else None,
        commit=commit,
        cpu_model=_first_label(scrape, "node_cpu_info", ("model_name",)),
        cpu_flags=tuple(
            sorted({series.labels().get("flag", "") for series in scrape.named("node_cpu_flag_info")} - {""})
        )
        or None,
    )


def _from_process(process: LocalProcess | None) -> RunMetadata:
    if process is None:
        return RunMetadata()
    build = process.build
    if build is None:
        return RunMetadata(gomaxprocs=process.gomaxprocs)
    return RunMetadata(
        go_version=build.go_version,
        goos=build.settings.get("GOOS"),
        goarch=build.settings.get("GOARCH"),
        gomaxprocs=process.gomaxprocs,
        commit=build.commit,
    )


def _from_machine(machine: HostInfo | None) -> RunMetadata:
    if machine is None:
        return RunMetadata()
    return RunMetadata(
        goos=machine.goos, goarch=machine.goarch, cpu_model=machine.cpu_model, cpu_flags=machine.cpu_flags or None
    )


def _merged(*sources: RunMetadata) -> RunMetadata:
    """Merge metadata; each value comes from the first source that has it."""
    merged: dict[str, object] = {}
    for source in sources:
        for name, value in source.to_json().items():
            merged.setdefault(name, value)
    return RunMetadata.from_json(merged)


def _first_label(scrape: Scrape, name: str, labels: tuple[str, ...]) -> str | None:
    for series in scrape.named(name):
        found = series.labels()
        for label in labels:
            if found.get(label):
                return found[label][:200]
    return None


def _only(values: set[str]) -> str | None:
    values = values - {""}
    return next(iter(values)) if len(values) == 1 else None


def _cpu_ns(scrape: Scrape, process: LocalProcess | None) -> int | None:
    """Return the CPU time of the process, from the kernel if possible: its metrics have steps of 10 ms."""
    exact = process.cpu_ns() if process else None
    seconds = scrape.value("process_cpu_seconds_total")
    return exact if exact is not None else None if seconds is None else round(seconds * 1e9)


def _age_s(scrape: Scrape, now_s: float, process: LocalProcess | None) -> float | None:
    """Return the age of the process: from the kernel, its start time or its uptime; None if unknown or impossible."""
    exact = process.age_s() if process else None
    if exact is not None:
        return exact
    started_s = scrape.value("process_start_time_seconds")
    age_s = now_s - started_s if started_s else scrape.value("process_uptime_seconds")
    return age_s if age_s is not None and 0 <= age_s <= now_s else None


def _increase(before: float | None, after: float | None) -> int | None:
    return _positive(after - before) if before is not None and after is not None else None


def _positive(value: float | None) -> int | None:
    """Return a rounded value, or None below 1: zero cannot be a divisor, and an unchanged counter counts something else."""
    return round(value) if value is not None and value >= 1 else None


def _as_ns(value: int | None) -> Nanoseconds | None:
    return None if value is None else Nanoseconds(value)


def parse_metadata_arguments(pairs: Mapping[str, str]) -> RunMetadata:
    """Parse run metadata of the command line (`--fact commit=...`). Raises `ValueError`, which names the field."""
    numbers = {"requests", "wall_ns", "cpu_ns", "gomaxprocs", "started_at_ms", "ended_at_ms", "process_age_ms"}
    known = set(RunMetadata.__dataclass_fields__)
    if unknown := sorted(set(pairs) - known):
        raise ValueError(f"unknown name {unknown[0]!r}; choose from {', '.join(sorted(known))}")
    values: dict[str, object] = {}
    for name, text in pairs.items():
        if name in numbers and not text.isdigit():
            raise ValueError(f"facts.{name} must be a whole number, not {text!r}")
        values[name] = int(text) if name in numbers else text
    return RunMetadata.from_json(values)
