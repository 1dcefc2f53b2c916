"""Throughput, overhead and shares of several processes, side by side in a table."""

import pytest

from bench.benchmark_results import BenchmarkResult, markdown_table
from bench.process_scaling import Workload, results_of
from bench.running_processes import WorkCost

WORK = Workload("work", "units", lambda _: None, lambda _: lambda: 0.0)


def cost(cpu_s: float) -> WorkCost:
    return WorkCost(100.0, 10.0, {"web": cpu_s / 4, "worker": 3 * cpu_s / 4})


def test_the_overhead_is_cpu_time_per_unit_round_by_round() -> None:
    costs = {1: [cost(10.0), cost(20.0), cost(10.0)], 3: [cost(11.0), cost(22.0), cost(14.0)]}
    found = {(result.what, result.column): result for result in results_of(WORK, costs)}
    overhead = found["work, more CPU time per unit than one process (share)", "3 processes"]
    assert overhead.value == pytest.approx(0.1)
    assert overhead.met
    assert found["work, units per CPU second", "1 process"].value == pytest.approx(10.0)
    assert found["work, share of the CPU time in worker", "3 processes"].value == pytest.approx(0.75)


def test_an_overhead_of_a_fifth_misses_the_goal() -> None:
    costs = {1: [cost(10.0)] * 3, 3: [cost(12.0)] * 3}
    assert [result.met for result in results_of(WORK, costs) if result.goal] == [False]


def test_results_that_differ_in_the_column_are_side_by_side() -> None:
    results = [
        BenchmarkResult("scale", "files per second", 1.0, column="1 process"),
        BenchmarkResult("scale", "files per second", 2_500.0, column="3 processes", goal="> 2"),
        BenchmarkResult("scale", "a|b", 0.126, column="3 processes"),
    ]
    assert markdown_table(results).splitlines() == [
        "| what | 1 process | 3 processes | goal |",
        "| --- | --- | --- | --- |",
        "| files per second | 1 | 2,500 | > 2 |",
        "| a/b | – | 0.126 | – |",
    ]
