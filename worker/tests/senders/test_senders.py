"""Samples of real programs appear on the dashboard: Prometheus by remote write 1, its Go client by 2, OpenTelemetry's exporter."""

import json
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from demos.example_pipeline import CONFIG, jobs_of, scraping, writing_on
from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from support.prometheus_oracle import Prometheus, prometheus_binary
from tests.senders.conftest import Sending

pytestmark = [pytest.mark.database, pytest.mark.long]

FAMILY = "http_request_duration_seconds"


def board_of(person: httpx.Client, **asked: str) -> ColumnFile:
    answer = person.get("/dashboard", params=asked)
    assert answer.status_code == 200, answer.text
    return read_columns(answer.content, "slowpath.board")


def rows_of(board: ColumnFile) -> list[str]:
    rows: list[dict[str, Any]] = board.header["rows"]
    return [each["service"]["name"] for each in rows]


def wait_for(what: Callable[[], Any], seconds: float) -> Any:  # noqa: ANN401 - whatever is waited for
    deadline = time.monotonic() + seconds
    while not (found := what()):
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s"
        time.sleep(0.5)
    return found


def now() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - real programs send real times


def test_the_board_equals_the_prometheus_that_wrote(sending: Sending, tmp_path: Path) -> None:
    binary = prometheus_binary()
    if binary is None:
        pytest.skip("no Prometheus can be had here")
    targets = sending.pipeline.targets
    config = CONFIG.format(url=sending.address, token=sending.token, jobs=jobs_of(targets))
    with scraping(binary, config, tmp_path) as url:
        began = now()

        def shown() -> bool:
            board = board_of(sending.person, **{"from": (now() - timedelta(minutes=5)).isoformat()})
            values = [board.arrays.get(f"r{number}_p99") for number in range(len(rows_of(board)))]
            return len(values) == 2 and all(each is not None and not np.isnan(each).all() for each in values)

        wait_for(shown, 40)
        time.sleep(25)
        until = now() - timedelta(seconds=4)  # what is scraped now is on its way
        asked = {"from": (until - timedelta(seconds=90)).isoformat(), "to": until.isoformat()}
        board = board_of(sending.person, **asked)
        header: Mapping[str, Any] = board.header
        window = f"{max(header['step_ms'], 8_000) // 1000}s"  # four scrapes of 2 s
        times = (header["from_ms"] + header["step_ms"] * np.arange(header["points"])).astype(np.int64)
        # Remote write forwards what is scraped after it began: the first scrapes are in Prometheus alone.
        whole = began.timestamp() * 1000 + int(window[:-1]) * 1000 + 4_000
        compared = 0
        for number, name in enumerate(rows_of(board)):
            queries = {
                "p50": f'histogram_quantile(0.5, sum by (le) (rate({FAMILY}_bucket{{service="{name}"}}[{window}])))',
                "p99": f'histogram_quantile(0.99, sum by (le) (rate({FAMILY}_bucket{{service="{name}"}}[{window}])))',
                "qps_2xx": f'sum(rate({FAMILY}_count{{service="{name}"}}[{window}]))',
            }
            for signal, query in queries.items():
                ours = dict(zip(times.tolist(), board.arrays[f"r{number}_{signal}"].tolist(), strict=True))
                answer = Prometheus(url).query_range(query, int(times[0]), int(times[-1]), int(header["step_ms"]))
                theirs = {round(at * 1000): float(value) for at, value in answer[0]["values"]}
                known = [
                    at
                    for at, value in ours.items()
                    if at >= whole and not np.isnan(value) and not np.isnan(theirs.get(at, np.nan))
                ]
                assert len(known) >= 5, (name, signal)
                # The board's columns are of 32 bits.
                assert [ours[at] for at in known] == pytest.approx([theirs[at] for at in known], rel=1e-6), (
                    name,
                    signal,
                )
                compared += len(known)
    assert compared > 30


def test_prometheus_own_client_writes_protocol_2(sending: Sending, tmp_path: Path) -> None:
    with writing_on(sending.address, sending.token, sending.pipeline.targets, tmp_path) as output_file:
        lines = wait_for(
            lambda: [each for each in output_file.read_text().splitlines() if each] if output_file.exists() else [], 30
        )
        wait_for(lambda: len(output_file.read_text().splitlines()) >= 4, 30)
        lines = [json.loads(each) for each in output_file.read_text().splitlines()[:4]]
    for line in lines:
        assert line["confirmed"], line
        assert line["samples"] == line["sent"] > 100, line


def test_opentelemetrys_exporter_sends_spans(sending: Sending) -> None:
    start = (now() - timedelta(minutes=10)).isoformat()

    def environments() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = sending.person.get("/environments").json()["items"]
        return [each for each in found if each["slug"] == "production"]

    environment = wait_for(environments, 90)[0]["id"]

    def sets() -> list[dict[str, Any]]:
        asked = {"environment_id": environment, "from": start, "to": now().isoformat()}
        found: list[dict[str, Any]] = sending.person.get("/span-sets", params=asked).json()
        return found

    first = wait_for(sets, 90)[0]
    assert first["spans"] > 0
    order = sending.person.get(f"/environments/{environment}/service-order").json()
    assert [each["name"] for each in order["services"]][:2] == ["distributor", "ingester"]
    assert order["edges"][0]["ratio"] == pytest.approx(3, rel=0.15)  # a trace may lie across two files
