"""Run the example's pipeline as processes, and a Prometheus that scrapes their histograms and forwards them."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import httpx

from support.demo_user import DemoFailed
from support.prometheus_oracle import prometheus_binary

SOURCE = Path(__file__).resolve().parents[2] / "worker" / "example" / "pipeline"
WRITER = Path(__file__).resolve().parent / "remotewriter"
INGESTERS = 3
SMALL = {"GOMAXPROCS": "1", "GOGC": "10"}
"""Go settings of small containers: one CPU, little memory."""
SAMPLED = "0.2"
SAMPLE_COUNT = "1000"
READY_SECONDS = 15.0

Sender = Literal["real", "client"]


def go_command() -> str:
    """Return the Go command. Raises `DemoFailed` if it is missing."""
    tools = Path(__file__).resolve().parents[2] / ".slowpath" / "tools" / "bin" / "go"
    found = shutil.which("go") or next(
        (str(each) for each in (Path("/usr/local/go/bin/go"), tools) if each.exists()), None
    )
    if found is None:
        raise DemoFailed("Go is required to build the pipeline, but was not found")
    return found


def built(go: str, commit: str, folder: Path) -> Path:
    """Build the pipeline with the version of a commit and return the program. Raises `DemoFailed`."""
    program = folder / "pipeline"
    build([go, "build", "-trimpath", "-ldflags", f"-X main.version={commit[:7]}", "-o", str(program), "."], SOURCE)
    return program


def build(command: list[str], source: Path) -> None:
    """Run a build. Raises `DemoFailed`."""
    environment = {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"}
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise DemoFailed(f"{source.name} cannot be built: {done.stderr.strip()[-500:]}")


class Pipeline:
    """Three ingesters, a load generator, and the deployed build of the distributor. Spans go to the server."""

    def __init__(self, program: Path, spans_url: str, token: str, rate: float, series: int) -> None:
        """Set the ingesters' program, and the server for spans."""
        self._program = program
        self._environment = {
            **SMALL,
            "OTEL_EXPORTER_OTLP_ENDPOINT": spans_url,
            "OTEL_EXPORTER_OTLP_HEADERS": f"Authorization=Bearer%20{token}",
            "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
            "PIPELINE_ENVIRONMENT": "production",
        }
        self._load = ["-rate", str(rate), "-series", str(series)]
        self._children: list[subprocess.Popen[bytes]] = []
        self._distributor: subprocess.Popen[bytes] | None = None
        ports = free_ports(INGESTERS + 1)
        self.targets: dict[str, list[str]] = {
            "distributor": [f"127.0.0.1:{ports[0]}"],
            "ingester": [f"127.0.0.1:{port}" for port in ports[1:]],
        }

    def __enter__(self) -> Self:
        """Start the ingesters."""
        for number, listen in enumerate(self.targets["ingester"]):
            self._children.append(self._start(self._program, "ingester", listen, f"ingester-{number}"))
        for listen in self.targets["ingester"]:
            wait_for(f"http://{listen}/healthz")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop all processes."""
        for child in reversed([*self._children, *([self._distributor] if self._distributor else [])]):
            stop(child)

    def deploy(self, program: Path, texts: str) -> None:
        """Replace the distributor by another build; the load starts with the first one."""
        first = self._distributor is None
        if self._distributor is not None:
            stop(self._distributor)
        listen = self.targets["distributor"][0]
        arguments = ["-unmarshal", texts, "-ingesters", ",".join(self.targets["ingester"])]
        self._distributor = self._start(program, "distributor", listen, "distributor-0", *arguments)
        wait_for(f"http://{listen}/healthz")
        if first:
            url = f"http://{listen}/api/v1/push"
            self._children.append(self._run([str(self._program), "-role", "load", "-url", url, *self._load]))

    def _start(self, program: Path, role: str, listen: str, instance: str, *more: str) -> subprocess.Popen[bytes]:
        command = [
            str(program),
            "-role",
            role,
            "-listen",
            listen,
            "-instance",
            instance,
            "-sampled",
            SAMPLED,
            "-kept",
            SAMPLE_COUNT,
            *more,
        ]
        return self._run(command)

    def _run(self, command: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            command, env=self._environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip


CONFIG = """
global:
  scrape_interval: 2s
  external_labels: {{environment: production}}
scrape_configs:
{jobs}
remote_write:
  - url: {url}/api/v1/metrics/write
    authorization: {{credentials: {token}}}
    queue_config: {{batch_send_deadline: 1s, max_shards: 1}}
"""
JOB = """  - job_name: {name}
    static_configs: [{{targets: [{targets}]}}]
"""


@contextmanager
def sending_metrics(
    url: str, token: str, targets: Mapping[str, list[str]], folder: Path, requested: Sender | None = None
) -> Iterator[Sender]:
    """Scrape the metrics of all targets and write them to the server during the block; yield the sender.

    The sender is a real Prometheus if available; else, or on request, a small program with Prometheus's client.
    """
    binary = None if requested == "client" else prometheus_binary()
    if binary is None and requested == "real":
        raise DemoFailed(
            "Prometheus is not available. Install Debian's package, or set SLOWPATH_PROMETHEUS to its path."
        )
    if binary is None:
        with writing_on(url, token, targets, folder):
            yield "client"
        return
    with scraping(binary, CONFIG.format(url=url, token=token, jobs=jobs_of(targets)), folder):
        yield "real"


def jobs_of(targets: Mapping[str, list[str]]) -> str:
    """Return the scrape jobs of a Prometheus configuration."""
    return "".join(
        JOB.format(name=name, targets=", ".join(f"'{each}'" for each in listed)) for name, listed in targets.items()
    )


@contextmanager
def scraping(binary: Path, config: str, folder: Path) -> Iterator[str]:
    """Run a Prometheus with a configuration; yield its URL."""
    file = folder / "prometheus.yml"
    file.touch(mode=0o600)
    file.write_text(config, encoding="utf-8")
    (port,) = free_ports(1)
    with (folder / "prometheus.log").open("wb") as output:
        child = subprocess.Popen(
            [
                str(binary), f"--config.file={file}", f"--storage.tsdb.path={folder}/prometheus",
                f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn",
            ],
            stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            wait_for(f"http://127.0.0.1:{port}/-/ready")
            yield f"http://127.0.0.1:{port}"
        finally:
            stop(child)


@contextmanager
def writing_on(url: str, token: str, targets: Mapping[str, list[str]], folder: Path) -> Iterator[Path]:
    """Run the substitute for Prometheus; yield its output file, with one line per write."""
    program, output_file = folder / "remotewriter", folder / "remotewriter.jsonl"
    build([go_command(), "build", "-trimpath", "-o", str(program), "."], WRITER)
    named = ",".join(f"{name}={each}" for name, listed in targets.items() for each in listed)
    with output_file.open("wb") as output:
        child = subprocess.Popen(
            [str(program), "-url", f"{url}/api/v1/metrics/write", "-targets", named],
            env={"REMOTEWRITER_TOKEN": token}, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            yield output_file
        finally:
            stop(child)


def free_ports(number: int) -> list[int]:
    """Return free loopback ports."""
    sockets = [socket.socket() for _ in range(number)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]
    finally:
        for each in sockets:
            each.close()


def wait_for(url: str) -> None:
    """Wait until a URL responds with 200. Raises `DemoFailed`."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        with suppress(httpx.HTTPError):
            if httpx.get(url, timeout=1.0).status_code == httpx.codes.OK:
                return
        time.sleep(0.05)
    raise DemoFailed(f"{url} did not respond within {READY_SECONDS:.0f} s")


def stop(child: subprocess.Popen[bytes]) -> None:
    """Stop a process by SIGTERM, then by SIGKILL."""
    child.terminate()
    try:
        child.wait(8)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait(5)
