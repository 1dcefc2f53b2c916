"""Read the measures that a command prints: lines of the Go benchmark format, or else its last number.

The format is that of `go test -bench`: a name that starts with `Benchmark`, a count, and pairs of value and unit. A load script
can print such a line with any units: `BenchmarkServe 1 812 p99-ms 3.1 cpu-ms/req 240 rss-MB`.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

BENCHMARK: Final = re.compile(r"^Benchmark(\S*)\s+(\d+)\s+(\S.*)$")
BETTER: Final = re.compile(r"^Unit\s+(\S+)\s.*?\bbetter=(higher|lower)\b")
NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
VALUE: Final = "value"
MAX_MEASURES: Final = 24
MAX_NAME: Final = 120


class InvalidOutput(ValueError):
    """The output has no measures, or too many; the message gives the reason."""


@dataclass(frozen=True)
class OutputMeasures:
    """Values of one run by measure, in order, and the measures of which larger values are better."""

    values: dict[str, float] = field(default_factory=dict)
    larger_is_better: frozenset[str] = frozenset()


def read_output_measures(text: str, *, is_value_better_larger: bool = False) -> OutputMeasures:
    """Read what a command printed. Repetitions of one benchmark are averaged. Raises `InvalidOutput`."""
    lines = text.splitlines()
    collected: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for line in lines:
        found = BENCHMARK.match(line.strip())
        if found is not None:
            _collect_pairs(found[1], found[3].split(), collected)
    if not collected:
        return _last_number(text, is_value_better_larger=is_value_better_larger)
    if len(collected) > MAX_MEASURES:
        raise InvalidOutput(
            f"The command printed {len(collected)} measures; the limit is {MAX_MEASURES}. "
            "Run fewer benchmarks: every measure widens the intervals of all."
        )
    stated = {found[1]: found[2] == "higher" for line in lines if (found := BETTER.match(line.strip()))}
    has_several = len({name for name, _ in collected}) > 1
    values = {_measure_name(*key, has_several=has_several): sum(some) / len(some) for key, some in collected.items()}
    larger = frozenset(
        _measure_name(*key, has_several=has_several) for key in collected if stated.get(key[1], key[1].endswith("/s"))
    )
    return OutputMeasures(values, larger)


def _collect_pairs(name: str, words: list[str], collected: defaultdict[tuple[str, str], list[float]]) -> None:
    for value, unit in zip(words[::2], words[1::2], strict=False):
        if NUMBER.fullmatch(value) and unit.isprintable() and len(name) + len(unit) < MAX_NAME:
            collected[name, unit].append(float(value))


def _measure_name(name: str, unit: str, *, has_several: bool) -> str:
    return f"{name} {unit}" if has_several else unit


def _last_number(text: str, *, is_value_better_larger: bool) -> OutputMeasures:
    numbers = NUMBER.findall(text)
    if not numbers:
        raise InvalidOutput("The command printed no number and no line of the Go benchmark format.")
    return OutputMeasures({VALUE: float(numbers[-1])}, frozenset({VALUE}) if is_value_better_larger else frozenset())
