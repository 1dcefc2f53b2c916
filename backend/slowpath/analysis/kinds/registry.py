"""The registry of artifact kinds: names, file formats and functions of each."""

from typing import Annotated, Final

from slowpath.analysis.findings.build_measurements import MeasurementKind
from slowpath.analysis.kinds.artifact_kind import ArtifactKind, RegisteredNames, import_later

TIME: Final = ("takes more time", "takes less time")
CPU_PROFILE: Final = "profile.cpu"
PROFILE: Final = ArtifactKind(
    id="profile",
    section="profiles",
    summary_field="profile",
    samples_field="samples",
    noun_plural="profiles",
    command="profile",
    formats=("pprof", "unknown"),  # unknown files go to the profile reader, which has the most specific errors
    measurements={
        CPU_PROFILE: (
            MeasurementKind("profile.category", "category", TIME, "CPU in {}", "cpu", adds_up=True, steadiness=1.5),
            MeasurementKind("profile.function", "function", TIME, "CPU in {}", "cpu", has_functions=True, adds_up=True),
        ),
        "profile.heap": (
            MeasurementKind(
                "profile.heap",
                "heap",
                ("holds more memory", "holds less memory"),
                "Memory held by {}",
                "heap",
                has_functions=True,
                adds_up=True,
            ),
        ),
        "profile.allocs": (
            MeasurementKind(
                "profile.allocs",
                "allocation",
                ("allocates more", "allocates less"),
                "Memory allocated by {}",
                "allocs",
                has_functions=True,
                adds_up=True,
                needs_load=True,
                steadiness=2.0,
            ),
        ),
        # The following are not evaluated: idle waits dominate, and two runs of one binary differ.
        "profile.mutex": (
            MeasurementKind(
                "profile.mutex",
                "mutex",
                ("waits longer for locks", "waits less for locks"),
                "Waiting for locks in {}",
                has_functions=True,
                adds_up=True,
                is_evaluated=False,
            ),
        ),
        "profile.block": (
            MeasurementKind(
                "profile.block",
                "block",
                ("is blocked for longer", "is blocked for less time"),
                "Blocked in {}",
                has_functions=True,
                adds_up=True,
                is_evaluated=False,
            ),
        ),
        "profile.goroutine": (),
        "profile.threadcreate": (),
        "profile.other": (),
    },
    read_artifact=import_later("profiles.decoded.profile_artifact", "read_artifact"),
    measure_build=import_later("profiles.sets.profile_measurements", "measure_build"),
    cost_weight=5,
    findings_rank=2,
)
EXECUTION_TRACE: Final = ArtifactKind(
    id="trace",
    section="traces",
    summary_field="trace",
    samples_field="events",
    noun_plural="execution traces",
    command="trace",
    formats=("go-trace",),
    measurements={
        "trace": (
            MeasurementKind(
                "trace.sched_delay",
                "delay",
                ("waits longer for a processor", "waits less for a processor"),
                "Waiting for a processor: {}",
            ),
        )
    },
    read_artifact=import_later("exec_traces.trace_artifact", "read_artifact"),
    compare=import_later("exec_traces.compare_traces", "compare_sides"),
    measure_build=import_later("exec_traces.trace_measurements", "measure_build"),
    finding_prefix="trace",
    cost_weight=4,
    measures_cost=True,
    is_specific=True,
    findings_rank=1,
)
SPAN_SET: Final = ArtifactKind(
    id="spans",
    section="spans",
    summary_field="spans",
    samples_field="spans",
    noun_plural="spans",
    command="spans",
    formats=("spans-otlp", "spans-jaeger", "spans-zipkin"),
    measurements={"spans": ()},
    read_artifact=import_later("spans.span_artifact", "read_artifact"),
    compare=import_later("spans.compare_spans", "compare_sides"),
    finding_prefix="span",
    cost_weight=1,
    measures_cost=True,
    is_specific=True,
    findings_rank=0,
)
STACK_GROWTH: Final = ArtifactKind(
    id="growth",
    section="growth",
    summary_field="growth",
    samples_field="sampled",
    noun_plural="stack-growth logs",
    command="growth",
    formats=("growth-log",),
    measurements={
        "growth": (
            MeasurementKind(
                "growth.count",
                "growth",
                ("grows stacks more often", "grows stacks less often"),
                "Stack growths of {}",
                is_zero_if_absent=True,
                steadiness=3.0,
            ),
        )
    },
    read_artifact=import_later("growth_logs.growth_artifact", "read_artifact"),
    compare=import_later("growth_logs.compare_growth", "compare_sides"),
    measure_build=import_later("growth_logs.growth_measurements", "measure_build"),
    finding_prefix="growth",
)
BENCHMARK: Final = ArtifactKind(
    id="bench",
    section="benchmarks",
    summary_field="benchmarks",
    samples_field="results",
    noun_plural="benchmark output",
    headline_noun="benchmarks",
    command="bench",
    formats=("bench",),
    measurements={
        "bench": (
            MeasurementKind(
                "bench", "benchmark", ("takes longer", "takes less time"), "{}", has_units=True, steadiness=1.5
            ),
        )
    },
    read_artifact=import_later("benchmarks.benchmark_artifact", "read_artifact"),
    compare=import_later("benchmarks.compare_benchmarks", "compare_sides"),
    compare_command="bench-compare",
    measure_build=import_later("benchmarks.benchmark_measurements", "measure_build"),
    finding_prefix="bench",
    measures_cost=True,
)
BINARY: Final = ArtifactKind(
    id="binary",
    section="",
    summary_field="binary",
    noun_plural="Go programs",
    command="binary",
    formats=("program",),
    measurements={"binary": ()},
)
ARCHIVE: Final = ArtifactKind(
    id="archive",
    section="",
    summary_field="archive",
    noun_plural="archives",
    command="unpack",
    formats=("zip", "tar"),
    measurements={"archive": ()},
)
KINDS_WITHOUT_ORIGINAL: Final = (ARCHIVE.id,)
"""Kinds whose bytes are deleted once they are read: what was read of them is stored elsewhere."""

ARTIFACT_KINDS: Final[dict[str, ArtifactKind]] = {
    kind.id: kind for kind in (PROFILE, EXECUTION_TRACE, SPAN_SET, STACK_GROWTH, BENCHMARK, BINARY, ARCHIVE)
}
"""By id, in the order in which comparisons list and compute them."""
LATENCY: Final = "latency"
"""Section of the metrics of a time range, which is no artifact."""
LATENCY_MEASUREMENT: Final = MeasurementKind(LATENCY, LATENCY, ("is higher", "is lower"), steadiness=0.5)
LATENCY_NOUN: Final = "latency metrics"
LATENCY_FINDING_PREFIX: Final = "metrics"
compare_latency: Final = import_later("metrics.changes.compare_latency", "compare_latency")


def compared_kinds() -> list[ArtifactKind]:
    """Return the kinds that have a comparison with a page: all that are compared except profiles."""
    return [kind for kind in ARTIFACT_KINDS.values() if kind.compare is not None]


def stored_ids() -> list[str]:
    """Return every id that artifacts are stored with."""
    return [stored for kind in ARTIFACT_KINDS.values() for stored in kind.measurements]


def compared_ids() -> list[str]:
    """Return every id of artifacts that can be compared: those whose columns are stored."""
    return [stored for kind in ARTIFACT_KINDS.values() if kind.read_artifact for stored in kind.measurements]


def name_stored_kind(stored_id: str) -> str:
    """Return what artifacts stored with an id are called: `CPU profiles`, `heap profiles`, `execution traces`."""
    kind = ARTIFACT_KINDS.get(stored_id.partition(".")[0])
    if kind is None:
        return stored_id
    part = stored_id.partition(".")[2]
    return f"{part.upper() if part == 'cpu' else part} {kind.noun_plural}".strip()


def kind_of(stored_id: str | None) -> ArtifactKind | None:
    """Return the kind of artifacts that are stored with an id."""
    return ARTIFACT_KINDS.get((stored_id or "").partition(".")[0])


def measured_kinds() -> dict[str, tuple[str, ...]]:
    """Return the measurement kinds by stored id, without ids of which nothing is measured."""
    return {
        stored: tuple(each.id for each in of_kind)
        for kind in ARTIFACT_KINDS.values()
        for stored, of_kind in kind.measurements.items()
        if of_kind
    }


def measurement_kinds() -> dict[str, MeasurementKind]:
    """Return everything that is measured of builds by id: of their artifacts, and their latency."""
    of_artifacts = (
        each for kind in ARTIFACT_KINDS.values() for of_kind in kind.measurements.values() for each in of_kind
    )
    return {each.id: each for each in (*of_artifacts, LATENCY_MEASUREMENT)}


def measurement_kind(measurement_id: str) -> MeasurementKind:
    """Return a measurement kind; one that is no longer registered has default properties."""
    return measurement_kinds().get(measurement_id) or MeasurementKind(measurement_id, "total")


def measurement_ids() -> list[str]:
    """Return the ids of everything that is measured of builds."""
    return list(measurement_kinds())


def section_of_finding(finding_kind: str, profile_kind: str) -> str:
    """Return the section that a finding belongs to, or its kind of profile."""
    prefixes = {kind.finding_prefix: kind.section for kind in compared_kinds()} | {LATENCY_FINDING_PREFIX: LATENCY}
    return next((section for prefix, section in prefixes.items() if finding_kind.startswith(prefix)), profile_kind)


def section_of_measurement(measurement_id: str) -> str:
    """Return the section that a measurement of builds belongs to, or its kind of profile."""
    kind = kind_of(measurement_id)
    if kind is None or kind is PROFILE:
        return measurement_kind(measurement_id).profile_kind or measurement_id.rpartition(".")[2]
    return kind.section


PAGE_SECTIONS: Final = RegisteredNames(lambda: [kind.section for kind in compared_kinds()])
PageSection = Annotated[str, PAGE_SECTIONS]
"""Section of a kind whose comparison has a page."""
Section = Annotated[str, RegisteredNames(lambda: [PROFILE.section, *PAGE_SECTIONS.names()])]
StoredKindId = Annotated[str, RegisteredNames(stored_ids)]
MEASUREMENT_IDS: Final = RegisteredNames(measurement_ids)
MeasurementId = Annotated[str, MEASUREMENT_IDS]
