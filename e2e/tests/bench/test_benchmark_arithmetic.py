"""The arithmetic of the benchmarks."""

import gzip
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench import linear_scaling, page_latency, process_cost
from bench.benchmark_results import BenchmarkResult
from bench.compare_speed import cost
from bench.generated_profiles import generated, sides


def test_growth_is_one_where_cost_grows_with_work() -> None:
    assert linear_scaling.growth(2.0, 20.0, 10) == pytest.approx(1.0)
    assert linear_scaling.growth(2.0, 30.0, 10) == pytest.approx(1.5)


def test_lazy_scripts_are_not_part_of_the_shell() -> None:
    script = (
        'import{a as b}from"./one-X1.js";import"./two.js";const c=()=>import("./later.js");export*from\'./three.js\';'
    )
    assert page_latency.imported(script, "/assets/index.js") == [
        "/assets/one-X1.js",
        "/assets/two.js",
        "/assets/three.js",
    ]


def test_the_shell_is_the_document_and_what_it_needs_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "index.html": '<script src="/a.js"></script><link href="/s.css"><link href="/icon.svg">',
        "a.js": 'import"./b.js";import("./later.js")',
        "b.js": "let b",
        "s.css": "p{}",
        "later.js": "x" * 1000,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(page_latency, "DIST", tmp_path)
    expected = sum(len(gzip.compress(files[name].encode(), 6)) for name in ("index.html", "a.js", "b.js", "s.css"))
    assert page_latency._shell().value == pytest.approx(expected / 1e3)


def test_a_tree_of_processes_leaves_out_a_branch() -> None:
    parent_of = {1: 0, 2: 1, 3: 2, 4: 2, 5: 4, 6: 1, 7: 0}
    assert process_cost.tree(1, parent_of) == {1, 2, 3, 4, 5, 6}
    assert process_cost.tree(1, parent_of, without=4) == {1, 2, 3, 6}


def test_our_own_process_has_a_parent_memory_and_cpu() -> None:
    me = os.getpid()
    assert process_cost.parents()[me] == os.getppid()
    assert process_cost.proportional_bytes(me) > 1_000_000
    before = process_cost.cpu_seconds({me})
    while process_cost.cpu_seconds({me}) < before + 0.05:
        sum(range(10_000))
    assert process_cost.cpu_seconds({me}) - before < 10


def test_a_process_that_has_gone_costs_nothing() -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    assert process_cost.proportional_bytes(gone.pid) == 0
    assert process_cost.cpu_seconds({gone.pid}) == 0


def test_children_count() -> None:
    spinning = "import time\nend=time.process_time()+0.2\nwhile time.process_time()<end: pass"
    own = cost([sys.executable, "-c", spinning])
    child = cost(
        [sys.executable, "-c", f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {spinning!r}])"]
    )
    assert own.cpu_s >= 0.2
    assert child.cpu_s >= 0.2
    assert own.peak_bytes > 1_000_000


def test_generated_files_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.generated_profiles.FOLDER", tmp_path)
    path = generated(50, 1, pooled=True)
    made = path.stat().st_mtime_ns
    time.sleep(0.01)
    assert generated(50, 1, pooled=True).stat().st_mtime_ns == made
    base, candidate = sides(50, 2, pooled=True)
    assert base[0] == path
    assert len({*base, *candidate}) == 4
    assert len({each.read_bytes() for each in (*base, *candidate)}) == 4


def test_a_result_that_missed_its_goal_is_marked() -> None:
    assert "MISSED" in BenchmarkResult("stored", "s", 3.0, 20.0, 6.7, ">= 10x", met=False).format()
    assert "MISSED" not in BenchmarkResult("stored", "s", 3.0).format()
