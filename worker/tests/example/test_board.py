"""The dashboard's artifacts as shipped: small, without data of the capturing machine, and with the documented step."""

import gzip
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_worker.example.dashboard_plan import ExampleDashboard, stretches
from slowpath_worker.example.traffic_replay import first_time, shift_span_times

WORKER = Path(__file__).resolve().parents[2]
BOARD = WORKER / "example" / "board"
DECODE = Path(os.environ.get("SLOWPATH_DECODE_BIN") or WORKER / "decode" / "bin" / "slowpath-decode")
PLAN: dict[str, Any] = json.loads((BOARD / "investigation.json").read_text())
HISTORY: dict[str, Any] = json.loads((BOARD / "history.json").read_text())
A_PATH = re.compile(rb"/(home|root|tmp|work|Users|var|opt)/[\w./-]*")
FILES = sorted(each for each in BOARD.rglob("*.gz"))
COUNTED = {"distributor": 1, "ingester": 3}


def quantile(variant: str, instance: str, q: float) -> float:
    """As Prometheus computes it, over all windows."""
    windows = [each["instances"][instance]["buckets"] for each in HISTORY["variants"][variant]]
    counts = [sum(column) for column in zip(*windows, strict=True)]
    expected, low, before = q * counts[-1], 0.0, 0
    for bound, count in zip(HISTORY["bounds"], counts, strict=True):
        if count >= expected:
            return low + (float(bound) - low) * float(expected - before) / float(max(1, count - before))
        low, before = float(bound), count
    raise AssertionError("no bucket holds it")


def test_small_and_of_no_machine() -> None:
    assert sum(each.stat().st_size for each in BOARD.rglob("*") if each.is_file()) < 1_500_000
    for file in FILES:
        assert not A_PATH.search(gzip.decompress(file.read_bytes())), file


def test_the_plan_hangs_together() -> None:
    builds, sets = {each["id"] for each in PLAN["builds"]}, {each["id"]: each for each in PLAN["sets"]}
    assert {each["build"] for each in sets.values()} == builds == set(HISTORY["variants"])
    assert {each["build"] for each in PLAN["deploys"]} == builds
    for each in sets.values():
        spans = list((BOARD / each["folder"]).glob("*.otlp.gz"))
        # Spans beside an execution trace keep their time: that of the trace's clock.
        moved = not list((BOARD / each["folder"]).glob("*.trace.gz"))
        assert len(each.get("spans_minutes_ago", [])) == (len(spans) if moved else 0)
        assert spans
    commits = {each["id"]: each["commit"] for each in PLAN["builds"]}
    # The page searches for a comparison of this name before it creates a new one.
    assert PLAN["comparisons"][0]["name"] == f"{commits['zero-copy'][:10]} against {commits['copy'][:10]}"


@pytest.mark.parametrize("each", PLAN["sets"], ids=lambda each: str(each["id"]))
def test_facts_stand_beside_each_profile(each: dict[str, Any]) -> None:
    commits = {build["id"]: build["commit"] for build in PLAN["builds"]}
    for file in (BOARD / each["folder"]).glob("cpu.*.gz"):
        facts = RunMetadata.from_json(json.loads(file.with_name(file.name + ".facts.json").read_text()))
        assert facts.commit == commits[each["build"]]
        assert facts.requests is not None
        assert facts.requests > 1000
        assert facts.go_version == "go1.26.8"


def test_the_distributor_got_slower_and_the_ingesters_did_not() -> None:
    assert quantile("copy", "distributor-0", 0.99) > 1.5 * quantile("zero-copy", "distributor-0", 0.99)
    for instance in ("ingester-0", "ingester-1", "ingester-2"):
        ratio = quantile("copy", instance, 0.99) / quantile("zero-copy", instance, 0.99)
        assert 0.8 < ratio < 1.25


def test_one_write_becomes_three() -> None:
    for windows in HISTORY["variants"].values():
        counted = dict.fromkeys(COUNTED, 0)
        for window in windows:
            for instance, grown in window["instances"].items():
                counted[instance.rpartition("-")[0]] += grown["buckets"][-1]
        assert counted["ingester"] / counted["distributor"] == pytest.approx(3, rel=0.01)


def test_the_comparison_shows_the_documented_cause() -> None:
    done = subprocess.run(
        [
            ".slowpath/venv/bin/python", "-m", "slowpath_cli.main", "compare", "--json",
            "--base", str(BOARD / "zero-copy"), "--candidate", str(BOARD / "copy"),
        ],
        cwd=WORKER.parent, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": "backend:worker", "SLOWPATH_DECODE_BIN": str(DECODE)},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    findings = {(each["kind"], each["subject"]): each for each in result["findings"]}
    callers = {(each["function"], each["entry"]) for each in findings["profile.category", "gc"]["attributed_callers"]}
    assert ("pipeline/wire.(*Label).unmarshal", "runtime.slicebytetostring") in callers
    [unmarshal] = [
        each
        for kind, subject in findings
        if (each := findings[kind, subject])["subject"].endswith("(*Series).unmarshal")
        and each["profile_kind"] == "cpu"
    ]
    assert "of it in allocation" in unmarshal["sentence"], "one story: the function and what it allocates"
    gap = findings["spans.gap", "distributor/POST /api/v1/push|read body|Ingester/Push"]
    assert gap["direction"] == "worse"
    assert gap["change"]["ratio"] > 2
    assert not any(kind == "spans.amplification" for kind, _ in findings)


def test_spans_can_be_moved_in_time() -> None:
    plain = gzip.decompress((BOARD / "copy" / "spans.00.otlp.gz").read_bytes())
    began = first_time(plain)
    assert began > 1_700_000_000_000_000_000
    later = shift_span_times(plain, 3_600_000_000_000)
    assert first_time(later) == began + 3_600_000_000_000
    assert shift_span_times(later, -3_600_000_000_000) == plain


def test_the_history_is_cut_at_the_deploy() -> None:
    board = ExampleDashboard(PLAN, BOARD, "", "", {}, 1_800_000_000_000)
    cut = stretches(board)
    combinations = {(each.variant, *each.labels) for each in cut}
    assert combinations == {
        (each.get("keeps", variant), instance)
        for variant in ("zero-copy", "copy")
        for instance, each in PLAN["history"]["instances"].items()
    }
    for each in cut:
        ((instance, labels),) = each.labels.items()
        assert each.from_ms % 30_000 == each.to_ms % 30_000 == 0
        assert each.ends == (instance == "distributor-0" and each.variant == "zero-copy")
        assert labels["version"] == ("a84f3c1" if (each.variant, instance) == ("copy", "distributor-0") else "5d21e8b")
    assert max(each.to_ms for each in cut) - min(each.from_ms for each in cut) == 240 * 60_000
