"""Sorts of artifacts beside profiles: what the comparison of each offers, and which module makes it.

A module is imported when both sides have its sort: importing all of them takes longer than comparing two small profiles.
"""

import importlib
from collections.abc import Callable
from typing import Final, Literal, Protocol

from slowpath.analysis.findings.findings import Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.benchmarks.benchmark_page_document import BenchmarkPage
from slowpath.analysis.kinds.comparison_sides import Sides
from slowpath.analysis.kinds.exec_traces.trace_page_document import TracePage
from slowpath.analysis.kinds.growth_logs.growth_page_document import GrowthPage
from slowpath.analysis.kinds.spans.spans_page_document import SpansPage

PartName = Literal["traces", "spans", "growth", "benchmarks"]
Progress = Callable[[str, float], None]
KindDocument = TracePage | SpansPage | GrowthPage | BenchmarkPage
"""The documents of the pages, one of each sort."""

_MODULES: Final = {
    "traces": "slowpath.analysis.kinds.exec_traces.compare_traces",
    "spans": "slowpath.analysis.kinds.spans.compare_spans",
    "growth": "slowpath.analysis.kinds.growth_logs.compare_growth",
    "benchmarks": "slowpath.analysis.kinds.benchmarks.compare_benchmarks",
    "latency": "slowpath.analysis.kinds.metrics.compare_latency",
}
"""Each has `compare_sides(sides: Sides, progress: Progress)`."""


class Answer(Protocol):
    """What comparing one sort of artifacts gives."""

    @property
    def verdict(self) -> Verdict:
        """The verdict of this sort alone."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was found, the most important first."""

    @property
    def moves(self) -> tuple[CostShift, ...]:
        """Costs that changed their place and not their size."""

    @property
    def doubts(self) -> tuple[Caveat, ...]:
        """What may mislead."""

    @property
    def detectable(self) -> tuple[MinimumDetectableEffect, ...]:
        """The smallest effects that would have been found."""

    @property
    def reason(self) -> str | None:
        """Why nothing was found or decided, where no finding says it."""


class Part(Answer, Protocol):
    """The answer of a sort that has a page of its own."""

    def page(self, base_label: str, candidate_label: str) -> KindDocument:
        """Build the document of the page."""


def compare_part(name: PartName, sides: Sides, progress: Progress) -> Part:
    """Compare one sort that both sides have."""
    part: Part = importlib.import_module(_MODULES[name]).compare_sides(sides, progress)
    return part


def compare_windows(sides: Sides, progress: Progress) -> Answer:
    """Compare the windows of metrics that both sides have."""
    answer: Answer = importlib.import_module(_MODULES["latency"]).compare_sides(sides, progress)
    return answer
