"""Find the number in what a script prints: its last line, the benchmark that it ran, or the last number anywhere."""

import re
from typing import Final

from slowpath.analysis.experiments.output_measures import InvalidOutput, read_output_measures

TIME: Final = "ns/op"
NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
GO_TEST: Final = re.compile(r"(?:goos|goarch|pkg|cpu): .*|(?:ok|FAIL|\?)[ \t]+\S+[ \t].*|(?:---|===) .*|PASS|FAIL")
"""Lines that `go test` writes around benchmarks: their numbers are durations of tests, versions and processors."""


def read_number(text: str) -> float | None:
    """Return the number of an output, or None.

    A last line that is a number; else the time per operation of the benchmark that ran, the mean of repetitions; else the last
    number that `go test` did not write around benchmarks, also of a line in its format with other units.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and NUMBER.fullmatch(lines[-1]):
        return float(lines[-1])
    if len(list_benchmarks(text)) == 1:
        return _benchmark_values(text)[TIME]
    found = NUMBER.findall("\n".join(line for line in lines if not GO_TEST.fullmatch(line)))
    return float(found[-1]) if found else None


def list_benchmarks(text: str) -> list[str]:
    """Return the names of the benchmarks that an output has times per operation of, unless its last line is a number."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines and NUMBER.fullmatch(lines[-1]):
        return []
    measured = [line for line in lines if line.startswith("Benchmark") and TIME in _benchmark_values(line)]
    return list(dict.fromkeys(line.split()[0] for line in measured))


def _benchmark_values(text: str) -> dict[str, float]:
    if "Benchmark" not in text:
        return {}
    try:
        found = read_output_measures(text)
    except InvalidOutput:
        return {}
    return {name: value for name, value in found.values.items() if name != "value"}
