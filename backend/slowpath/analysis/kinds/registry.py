"""The registry of artifact kinds: names, file formats and functions of each.

Functions are imported when they are first called: importing all of them takes longer than comparing two small profiles.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, Protocol

from slowpath.analysis.findings.build_measurements import KindMeasurement
from slowpath.analysis.findings.decoded_columns import DecodedColumns
from slowpath.analysis.findings.findings import Caveat, CostShift, Finding, MinimumDetectableEffect, Verdict
from slowpath.analysis.kinds.benchmarks.benchmark_page_document import BenchmarkPage
from slowpath.analysis.kinds.comparison_sides import KindSides, NamedArtifact
from slowpath.analysis.kinds.exec_traces.trace_page_document import TracePage
from slowpath.analysis.kinds.growth_logs.growth_page_document import GrowthPage
from slowpath.analysis.kinds.spans.spans_page_document import SpansPage

Progress = Callable[[str, float], None]
KindDocument = TracePage | SpansPage | GrowthPage | BenchmarkPage
"""The documents of the pages, one of each kind."""


class KindComparison(Protocol):
    """The result of comparing the artifacts of one kind, or the latency of two time ranges."""

    @property
    def verdict(self) -> Verdict:
        """The verdict of this kind alone."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, the most important first."""

    @property
    def moves(self) -> tuple[CostShift, ...]:
        """Costs that changed their place and not their size."""

    @property
    def doubts(self) -> tuple[Caveat, ...]:
        """Reasons why the result may mislead."""

    @property
    def detectable(self) -> tuple[MinimumDetectableEffect, ...]:
        """The smallest effects that would have been found."""

    @property
    def reason(self) -> str | None:
        """Why nothing was found or decided, if no finding explains it."""


class ArtifactComparison(KindComparison, Protocol):
    """The result of comparing a kind of artifact that has a page."""

    def page(self, base_label: str, candidate_label: str) -> KindDocument:
        """Build the document of the page."""


def _later(module: str, name: str) -> Callable[..., Any]:
    """Return a function that imports its implementation when it is called."""

    def call(*arguments: object) -> object:
        return getattr(importlib.import_module(f"slowpath.analysis.kinds.{module}"), name)(*arguments)

    return call


@dataclass(frozen=True)
class ArtifactKind:
    """One kind of artifact.

    `id` is stored with artifacts; profiles append their type (`profile.cpu`). `section` names the kind in comparisons, in
    URLs and for `--gate`. `summary_field` is the member of an artifact on the wire that holds its summary.
    """

    id: str
    section: str
    summary_field: str
    noun_plural: str
    command: str
    """Command of the decode helper."""
    formats: tuple[str, ...]
    """Formats that the helper's `sniff` reports."""
    measurements: Mapping[str, tuple[str, ...]]
    """What is measured of a build's artifacts, by the id they are stored with: every such id, in display order."""
    read_artifact: Callable[[DecodedColumns], NamedArtifact] | None = None
    """Read decoded columns. None: no columns are stored."""
    compare: Callable[[KindSides, Progress], ArtifactComparison] | None = None
    """Compare two sides that both have artifacts. None: profiles, which have views, and kinds that are not compared."""
    measure_build: Callable[[str, Sequence[NamedArtifact], int], Sequence[KindMeasurement]] | None = None
    """Measure artifacts that are stored with an id; the last argument is the largest number of functions."""
    compare_command: str | None = None
    """Command of the decode helper whose output about both sides' columns `compare` requires."""
    document: object | None = None
    """Type of the page's document."""
    headline_noun: str = ""
    """Noun of headlines, if it differs."""
    finding_prefix: str = ""
    """Prefix of the kinds of findings. Profiles have none: their findings name the kind of profile."""
    cost_weight: float = 0.0
    """Share of a comparison's progress, in relation to the other kinds."""
    measures_cost: bool = False
    """Whether it measures time of requests or operations."""
    is_specific: bool = False
    """Whether its findings and caveats are listed before those of profiles."""

    @property
    def verdict_noun(self) -> str:
        """Return the noun of headlines."""
        return self.headline_noun or self.noun_plural


PROFILE: Final = ArtifactKind(
    id="profile",
    section="profiles",
    summary_field="profile",
    noun_plural="profiles",
    command="profile",
    formats=("pprof", "unknown"),  # unknown files go to the profile reader, which has the most specific errors
    measurements={
        "profile.cpu": ("profile.category", "profile.function"),
        "profile.heap": ("profile.heap",),
        "profile.allocs": ("profile.allocs",),
        "profile.mutex": ("profile.mutex",),
        "profile.block": ("profile.block",),
        "profile.goroutine": (),
        "profile.threadcreate": (),
        "profile.other": (),
    },
    read_artifact=_later("profiles.profile_artifact", "read_artifact"),
    measure_build=_later("profiles.profile_measurements", "measure_build"),
    cost_weight=5,
)
EXECUTION_TRACE: Final = ArtifactKind(
    id="trace",
    section="traces",
    summary_field="trace",
    noun_plural="execution traces",
    command="trace",
    formats=("go-trace",),
    measurements={"trace": ("trace.sched_delay",)},
    read_artifact=_later("exec_traces.trace_artifact", "read_artifact"),
    compare=_later("exec_traces.compare_traces", "compare_sides"),
    measure_build=_later("exec_traces.trace_measurements", "measure_build"),
    document=TracePage,
    finding_prefix="trace",
    cost_weight=4,
    measures_cost=True,
    is_specific=True,
)
SPAN_SET: Final = ArtifactKind(
    id="spans",
    section="spans",
    summary_field="spans",
    noun_plural="spans",
    command="spans",
    formats=("spans-otlp", "spans-jaeger", "spans-zipkin"),
    measurements={"spans": ()},
    read_artifact=_later("spans.span_artifact", "read_artifact"),
    compare=_later("spans.compare_spans", "compare_sides"),
    document=SpansPage,
    finding_prefix="span",
    cost_weight=1,
    measures_cost=True,
    is_specific=True,
)
STACK_GROWTH: Final = ArtifactKind(
    id="growth",
    section="growth",
    summary_field="growth",
    noun_plural="stack-growth logs",
    command="growth",
    formats=("growth-log",),
    measurements={"growth": ("growth.count",)},
    read_artifact=_later("growth_logs.growth_artifact", "read_artifact"),
    compare=_later("growth_logs.compare_growth", "compare_sides"),
    measure_build=_later("growth_logs.growth_measurements", "measure_build"),
    document=GrowthPage,
    finding_prefix="growth",
)
BENCHMARK: Final = ArtifactKind(
    id="bench",
    section="benchmarks",
    summary_field="benchmarks",
    noun_plural="benchmark output",
    headline_noun="benchmarks",
    command="bench",
    formats=("bench",),
    measurements={"bench": ("bench",)},
    read_artifact=_later("benchmarks.benchmark_artifact", "read_artifact"),
    compare=_later("benchmarks.compare_benchmarks", "compare_sides"),
    compare_command="bench-compare",
    measure_build=_later("benchmarks.benchmark_measurements", "measure_build"),
    document=BenchmarkPage,
    finding_prefix="bench",
    measures_cost=True,
)
BINARY: Final = ArtifactKind(
    id="binary",
    section="",
    summary_field="binary",
    noun_plural="Go programs",
    command="buildinfo",
    formats=("program",),
    measurements={"binary": ()},
)

ARTIFACT_KINDS: Final[dict[str, ArtifactKind]] = {
    kind.id: kind for kind in (PROFILE, EXECUTION_TRACE, SPAN_SET, STACK_GROWTH, BENCHMARK, BINARY)
}
"""By id, in the order in which comparisons list and compute them."""
LATENCY: Final = "latency"
"""Section of the metrics of a time range, which is no artifact."""
LATENCY_NOUN: Final = "latency metrics"
LATENCY_FINDING_PREFIX: Final = "metrics"
compare_latency: Final = _later("metrics.compare_latency", "compare_latency")


def compared_kinds() -> list[ArtifactKind]:
    """Return the kinds that have a comparison with a page: all that are compared except profiles."""
    return [kind for kind in ARTIFACT_KINDS.values() if kind.compare is not None]


def stored_ids() -> list[str]:
    """Return every id that artifacts are stored with."""
    return [stored for kind in ARTIFACT_KINDS.values() for stored in kind.measurements]


def kind_of(stored_id: str | None) -> ArtifactKind | None:
    """Return the kind of artifacts that are stored with an id."""
    return ARTIFACT_KINDS.get((stored_id or "").partition(".")[0])


def measured_kinds() -> dict[str, tuple[str, ...]]:
    """Return the measurement kinds by stored id, without ids of which nothing is measured."""
    return {stored: names for kind in ARTIFACT_KINDS.values() for stored, names in kind.measurements.items() if names}


def measurement_ids() -> list[str]:
    """Return everything that is measured of builds: of their artifacts, and their latency."""
    return [*(name for names in measured_kinds().values() for name in names), LATENCY]


def section_of_finding(finding_kind: str, profile_kind: str) -> str:
    """Return the section that a finding belongs to, or its kind of profile."""
    prefixes = {kind.finding_prefix: kind.section for kind in compared_kinds()} | {LATENCY_FINDING_PREFIX: LATENCY}
    return next((section for prefix, section in prefixes.items() if finding_kind.startswith(prefix)), profile_kind)


@dataclass(frozen=True)
class RegisteredNames:
    """Annotation of a text: the JSON schema lists the names that are registered."""

    names: Callable[[], Sequence[str]] = field(repr=False)

    def __get_pydantic_json_schema__(
        self, schema: object, handler: Callable[[object], dict[str, Any]]
    ) -> dict[str, Any]:
        """Add the names to the schema."""
        return {**handler(schema), "enum": list(self.names())}

    def check(self, name: str) -> str:
        """Return the name. Raises `ValueError` if it is not registered."""
        if name not in self.names():
            raise ValueError(f"use one of {', '.join(self.names())}")
        return name


PAGE_SECTIONS: Final = RegisteredNames(lambda: [kind.section for kind in compared_kinds()])
PageSection = Annotated[str, PAGE_SECTIONS]
"""Section of a kind whose comparison has a page."""
Section = Annotated[str, RegisteredNames(lambda: [PROFILE.section, *PAGE_SECTIONS.names()])]
StoredKindId = Annotated[str, RegisteredNames(stored_ids)]
MEASUREMENT_IDS: Final = RegisteredNames(measurement_ids)
MeasurementId = Annotated[str, MEASUREMENT_IDS]
