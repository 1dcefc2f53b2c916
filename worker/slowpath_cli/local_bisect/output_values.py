"""The value of a signature in the files of SLOWPATH_OUT, by the same measurements as for builds on the server."""

import tempfile
from pathlib import Path
from typing import Final

from slowpath.analysis.builds.build_measurements import KindMeasurement
from slowpath.analysis.builds.non_profile_measurements import (
    measure_benchmarks,
    measure_growth,
    measure_trace_artifacts,
)
from slowpath.analysis.builds.profile_measurements import WEAK, measure_profile_totals, measure_profiles
from slowpath.analysis.builds.signature_value import NotMeasured, signature_value
from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.kinds.comparison_sides import of_type
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath_cli.core.input_files import LoadedSide, read_side

MOST_FUNCTIONS: Final = 4096
MOST_TOLD: Final = 8
KINDS: Final = ("profile.category", "profile.function", *WEAK, "trace.sched_delay", "growth.count", "bench")


def read_signature_value(folder: Path, kind: str, subject: str, helper: Path) -> float:
    """Return the value of a subject in the files of a folder. Raises `NotMeasured`, `BadInput`, `HelperFailed`."""
    with tempfile.TemporaryDirectory(prefix="slowpath-bisect-") as scratch:
        read = read_side([str(folder)], None, Path(scratch), helper)
        measures = _measured(read, kind)
    if not measures and read.unread:
        first = next((one for one in read.unread if one.kind != "unknown"), read.unread[0])
        raise NotMeasured(f"Nothing of the kind {kind} could be read ({first.name}: {first.reason}).")
    try:
        return signature_value(measures, kind, subject, "")[0]
    except NotMeasured as error:
        there = [name for one in measures if one.kind == kind for name in one.subjects][:MOST_TOLD]
        raise NotMeasured(f"{error} There are: {', '.join(there)}." if there else str(error)) from error


def _measured(read: LoadedSide, kind: str) -> list[KindMeasurement]:
    side = read.side
    if kind in {"profile.category", "profile.function"}:
        cpu = [one for one in side.profiles if one.table.kind == "cpu"]
        return list(measure_profiles(cpu, MOST_FUNCTIONS))
    weak = next((one for one in WEAK if one == kind), None)
    if weak is not None:
        waits = kind in {"profile.mutex", "profile.block"}  # both have the same sample types
        some = [one for one in side.profiles if not waits or f"profile.{one.table.kind}" == kind]
        return list(measure_profile_totals(some, weak, MOST_FUNCTIONS))
    if kind == "trace.sched_delay":
        return list(measure_trace_artifacts(of_type(TraceArtifact, side.traces)))
    if kind == "growth.count":
        return list(measure_growth(of_type(GrowthArtifact, side.growth)))
    return list(measure_benchmarks([read_columns(one.read_bytes(), "slowpath.bench") for one in read.benchmarks]))
