"""Run Prometheus 2.42 and VictoriaMetrics 1.79 (Debian's packages) as references for queries on the same samples."""

import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cramjam
import httpx

from support.debian_packages import debian_program

VERSION = "2.42"
VICTORIA_METRICS_VERSION = "1.79"


def prometheus_binary() -> Path | None:
    """Return the program, or None if it is not available."""
    return debian_program("prometheus", VERSION)


def victoria_metrics_binary() -> Path | None:
    """Return the program of VictoriaMetrics, or None if it is not available."""
    return debian_program("victoria-metrics", VICTORIA_METRICS_VERSION)


@dataclass(frozen=True)
class WrittenHistogram:
    """A native histogram with integer counts, as in remote write 1: sparse buckets by index."""

    schema: int
    count: int
    sum: float
    zero_threshold: float
    zero_count: int
    positive: Mapping[int, int]
    negative: Mapping[int, int]


@dataclass(frozen=True)
class WrittenBlock:
    """Samples of one series to write: (time in ms, value or histogram), ascending."""

    labels: Mapping[str, str]
    points: Sequence[tuple[int, float | WrittenHistogram]]


@dataclass(frozen=True)
class Prometheus:
    """A running Prometheus server."""

    url: str
    flush_path: str | None = None
    """Makes written samples readable at once, if the server does not."""

    def write(self, series: Iterable[WrittenBlock]) -> None:
        """Send samples by remote write 1; those of one request must be within a few hours."""
        body = remote_write_body(series)
        httpx.post(
            f"{self.url}/api/v1/write", content=body, headers=REMOTE_WRITE_HEADERS, timeout=60
        ).raise_for_status()
        if self.flush_path is not None:
            httpx.get(self.url + self.flush_path, timeout=60).raise_for_status()

    def query_range(self, query: str, start_ms: int, end_ms: int, step_ms: int) -> list[dict[str, Any]]:
        """Run a range query; return [{"metric": labels, "values": [[time_s, "value"], ...]}]."""
        form: dict[str, str | float] = {
            "query": query,
            "start": start_ms / 1000,
            "end": end_ms / 1000,
            "step": step_ms / 1000,
        }
        response = httpx.get(f"{self.url}/api/v1/query_range", params=form, timeout=60).raise_for_status()
        found: list[dict[str, Any]] = response.json()["data"]["result"]
        return found


REMOTE_WRITE_HEADERS = {
    "Content-Encoding": "snappy",
    "Content-Type": "application/x-protobuf",
    "X-Prometheus-Remote-Write-Version": "0.1.0",
}


def remote_write_body(series: Iterable[WrittenBlock]) -> bytes:
    """Encode samples as one remote write 1 request."""
    return bytes(cramjam.snappy.compress_raw(b"".join(_field(1, _series(one)) for one in series)))


@contextmanager
def running_prometheus(binary: Path) -> Iterator[Prometheus]:
    """Run the server on a free loopback port with a temporary store; stop it afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "prometheus.yml"
        config.write_text("global: {scrape_interval: 1h}\n")
        arguments = [
            f"--config.file={config}", f"--storage.tsdb.path={folder}/data", "--web.enable-remote-write-receiver",
            "--enable-feature=native-histograms", "--log.level=error", "--storage.tsdb.retention.time=20y",
        ]  # fmt: skip
        with _running(binary, arguments, "--web.listen-address", "/-/ready") as url:
            yield Prometheus(url)


@contextmanager
def running_victoria_metrics(binary: Path) -> Iterator[Prometheus]:
    """Run VictoriaMetrics, whose remote write and queries are those of Prometheus, like `running_prometheus`."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = [f"-storageDataPath={folder}", "-retentionPeriod=20y", "-loggerLevel=ERROR"]
        with _running(binary, arguments, "-httpListenAddr", "/health") as url:
            yield Prometheus(url, flush_path="/internal/force_flush")


@contextmanager
def _running(binary: Path, arguments: Sequence[str], address_option: str, ready_path: str) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [str(binary), *arguments, f"{address_option}=127.0.0.1:{port}"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_until_ready(url + ready_path, process)
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        assert process.poll() is None, "the server exited during startup"
        try:
            if httpx.get(url, timeout=2).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.05)
    raise TimeoutError("the server is not ready after 10 s")


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    out = bytearray()
    while True:
        low, number = number & 0x7F, number >> 7
        out.append(low | (0x80 if number else 0))
        if not number:
            return bytes(out)


def _zigzag(number: int) -> bytes:
    return _varint((number << 1) ^ (number >> 63))


def _field(number: int, body: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(body)) + body


def _double(number: int, value: float) -> bytes:
    return _varint(number << 3 | 1) + struct.pack("<d", value)


def _integer(number: int, encoded: bytes) -> bytes:
    return _varint(number << 3) + encoded


def _series(one: WrittenBlock) -> bytes:
    labels = sorted(one.labels.items())
    out = [_field(1, _field(1, name.encode()) + _field(2, text.encode())) for name, text in labels]
    for at, point in one.points:
        if isinstance(point, WrittenHistogram):
            out.append(_field(4, _histogram(at, point)))
        else:
            out.append(_field(2, _double(1, point) + _integer(2, _varint(at))))
    return b"".join(out)


def _histogram(at: int, one: WrittenHistogram) -> bytes:
    head = _integer(1, _varint(one.count)) + _double(3, one.sum) + _integer(4, _zigzag(one.schema))
    zero = _double(5, one.zero_threshold) + _integer(6, _varint(one.zero_count))
    return b"".join(
        (head, zero, _buckets(one.negative, 8, 9), _buckets(one.positive, 11, 12), _integer(15, _varint(at)))
    )


def _buckets(buckets: Mapping[int, int], spans: int, deltas: int) -> bytes:
    out, next_index, before, steps = [], 0, 0, []
    runs: list[list[int]] = []
    for index in sorted(buckets):
        if runs and index == next_index:
            runs[-1][1] += 1
        else:
            runs.append([index - next_index, 1])
        next_index = index + 1
        steps.append(_zigzag(buckets[index] - before))
        before = buckets[index]
    out = [_field(spans, _integer(1, _zigzag(offset)) + _integer(2, _varint(length))) for offset, length in runs]
    return b"".join(out) + (_field(deltas, b"".join(steps)) if steps else b"")
