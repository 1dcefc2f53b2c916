"""The example's traces as they are shipped: complete, small, without facts of the machine, and with the regression."""

import gzip
import json
import os
import re
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from numpy.random import default_rng

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.exec_traces.compare_traces import TraceComparison, compare_traces
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from slowpath.analysis.kinds.exec_traces.trace_thresholds import DEFAULT_TRACE_THRESHOLDS
from tests.analysis.documents import as_json

WORKER = Path(__file__).resolve().parents[2]
TRACES = WORKER / "example" / "traces"
DECODE = Path(os.environ.get("SLOWPATH_DECODE_BIN") or WORKER / "decode" / "bin" / "slowpath-decode")
PLAN: dict[str, Any] = json.loads((TRACES / "investigation.json").read_text())
SETS = sorted(each["folder"] for each in PLAN["sets"])
A_PATH = re.compile(rb"/(home|root|tmp|work|Users|usr|var|opt)/[\w./-]*")


def facts_of(file: Path) -> RunMetadata:
    return RunMetadata.from_json(json.loads(file.with_name(file.name + ".facts.json").read_text()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("decoded")


@lru_cache(maxsize=32)
def decoded(file: Path, folder: Path) -> TraceArtifact:
    out = folder / f"{file.parent.name}-{file.name}.col"
    subprocess.run([str(DECODE), "trace", str(file), str(out)], check=True, capture_output=True)
    return TraceArtifact(file.name, TraceTable.parse(out.read_bytes()), facts_of(file))


def of_set(name: str, folder: Path) -> list[TraceArtifact]:
    return [decoded(file, folder) for file in sorted((TRACES / name).glob("*.trace.gz"))]


def compared(base: list[TraceArtifact], candidate: list[TraceArtifact]) -> TraceComparison:
    return compare_traces(base, candidate, DEFAULT_TRACE_THRESHOLDS, default_rng(1), lambda _step, _fraction: None)


def test_the_plan_hangs_together() -> None:
    builds, sets = {each["id"] for each in PLAN["builds"]}, {each["id"]: each for each in PLAN["sets"]}
    assert {each["build"] for each in sets.values()} == builds
    for comparison in PLAN["comparisons"]:
        assert {comparison["base"], comparison["candidate"]} <= set(sets)


@pytest.mark.parametrize("name", SETS)
def test_a_set_is_complete(name: str) -> None:
    commits = {each["id"]: each["commit"] for each in PLAN["builds"]}
    files = sorted((TRACES / name).glob("*.trace.gz"))
    assert [file.name for file in files] == [f"run.0{number}.trace.gz" for number in range(3)]
    for file in files:
        facts = facts_of(file)
        assert facts.commit == commits[name]
        assert re.fullmatch(r"[0-9a-f]{40}", facts.commit or "")
        assert facts.requests
        assert facts.cpu_ns
        assert (facts.wall_ns or 0) > 1.9e9
        assert (facts.go_version, facts.gomaxprocs) == ("go1.26.8", 2)
    assert len({facts_of(file).run for file in files}) == 3, "a fresh process each"


def test_they_are_small_and_say_nothing_of_a_machine() -> None:
    files = sorted(TRACES.rglob("*.trace.gz"))
    assert sum(file.stat().st_size for file in files) < 5_000_000
    for file in files:
        content = gzip.decompress(file.read_bytes())
        assert content.startswith(b"go 1.26 trace")
        assert not A_PATH.search(content), file


@pytest.mark.parametrize(
    ("name", "culprit", "least_p99_ns"), [("hogs", "main.hog", 20e6), ("tickers", "main.ticker", 5e6)]
)
def test_the_traces_show_the_documented_cause(name: str, culprit: str, least_p99_ns: float, folder: Path) -> None:
    for base, candidate, direction in (("base", name, "worse"), (name, "base", "better")):
        first = compared(of_set(base, folder), of_set(candidate, folder)).findings[0]
        assert (first.kind, first.subject, first.direction) == ("trace.sched_delay", "main.batcher|network", direction)
        assert first.quantile == 0.99
        assert first.contributions[0].subject == culprit
        calm, busy = sorted((first.base or 0.0, first.candidate or 0.0))
        assert calm < 100e3
        assert busy > least_p99_ns


@pytest.mark.parametrize("number", range(3))
def test_one_trace_per_side_shows_it_too(number: int, folder: Path) -> None:
    base, candidate = of_set("base", folder)[number], of_set("hogs", folder)[(number + 1) % 3]
    first = compared([base], [candidate]).findings[0]
    assert (first.subject, first.quantile, first.contributions[0].subject) == ("main.batcher|network", 0.99, "main.hog")


def test_the_longest_waits_of_the_batching_goroutine_can_be_read(folder: Path) -> None:
    worst = as_json(compared(of_set("base", folder), of_set("hogs", folder)).page())["worst"]
    own = [wait for wait in worst if wait["side"] == "candidate" and wait["waiter"] == "main.batcher|network"]
    assert own
    assert all(wait["has_detail"] and wait["occupancy"][0]["group"] == "main.hog" for wait in own)


def test_garbage_is_reported_as_garbage_collection(folder: Path) -> None:
    made = compared(of_set("base", folder), of_set("garbage", folder))
    (cpu,) = [finding for finding in made.findings if finding.kind == "trace.gc" and finding.subject == "cpu"]
    assert cpu.direction == "worse"
    assert (cpu.candidate or 0.0) > 0.05
    assert {"workers", "assist|main.caller"} <= {part.subject for part in cpu.contributions}
    assert all(each.table.header.cpu_samples > 50 for each in of_set("garbage", folder))


def test_runs_of_one_variant_differ_in_nothing(folder: Path) -> None:
    for name in SETS:
        first, second, third = of_set(name, folder)
        assert compared([first], [second]).findings == ()
        assert compared([third], [first]).findings == ()
