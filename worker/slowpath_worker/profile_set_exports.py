"""Write the export files of profile sets: merged pprof, default.pgo, stack sizes, Speedscope, Firefox Profiler, CSV."""

import gzip
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher
from slowpath.analysis.kinds.profiles.exports.export_tree import ExportTree
from slowpath.analysis.kinds.profiles.exports.firefox_profiler_file import write_firefox_profile
from slowpath.analysis.kinds.profiles.exports.speedscope_file import write_speedscope
from slowpath.analysis.kinds.profiles.sets.profile_kind_values import ProfileKindValues
from slowpath.analysis.kinds.profiles.views.diff_views import DiffViewBuilder
from slowpath.analysis.kinds.profiles.views.profile_set_views import measure_set
from slowpath.evidence.profiles.errors import NoProfiles
from slowpath.evidence.profiles.rules import ProfileExportFormat
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.export_files import make_file_name, select_samples
from slowpath_worker.function_csv import format_profile_csv
from slowpath_worker.job_context import JobContext
from slowpath_worker.pgo_checks import PgoCheckInputs, write_pgo_check
from slowpath_worker.profile_set_inputs import StoredProfile, open_profiles
from slowpath_worker.profile_stack_sizes import SetExecutable, write_stack_sizes

NANOSECONDS_PER_MS: Final = 1_000_000
CPU: Final = "cpu"


@dataclass(frozen=True)
class ProfileExportRequest:
    """What to export: one kind by a sample type, of the samples that match the labels.

    `executable`: the program that the profiles are of, for stack sizes.
    """

    format: ProfileExportFormat
    kind: str
    sample_type: str
    labels: tuple[LabelMatcher, ...]
    executable: SetExecutable | None = None
    pgo_check: PgoCheckInputs | None = None
    """What `pgo-check` checks against."""


@dataclass(frozen=True)
class ExportFile:
    """Name and media type of a file."""

    name: str
    media_type: str


def export_profiles(
    context: JobContext, stored: Sequence[StoredProfile], asked: ProfileExportRequest, out: Path
) -> ExportFile:
    """Write a file; raises `NoProfiles` if no sample of that kind matches the labels."""
    name = _file_name(stored, asked.kind)
    if asked.format == ProfileExportFormat.STACK_SIZES:
        with _selected(context, stored, asked, out) as columns:
            write_stack_sizes(context, asked.executable, columns, asked.kind, out)
        return ExportFile(f"{name}.stack-sizes.json", "application/json")
    if asked.format == ProfileExportFormat.PGO_CHECK:
        with _selected(context, stored, asked, out) as columns:
            write_pgo_check(context, asked.pgo_check, columns, asked.kind, out)
        return ExportFile("default.pgo-check.json", "application/json")
    if asked.format in (ProfileExportFormat.PPROF, ProfileExportFormat.PGO):
        is_pgo = asked.format == ProfileExportFormat.PGO
        if is_pgo and asked.kind != CPU:
            raise NoProfiles("Go optimizes by CPU profiles only.", remedy="Choose the kind cpu.")
        with _selected(context, stored, asked, out) as columns:
            DecodeHelper(context.settings, context.check).export(out, columns, [])
        return ExportFile("default.pgo" if is_pgo else f"{name}.pb.gz", "application/octet-stream")
    with open_profiles(context, stored) as artifacts:
        values = measure_set(artifacts, asked.kind, asked.sample_type, asked.labels)
        if values is None:
            raise _nothing(asked)
        context.progress("writing the file", 0.4)
        if asked.format == ProfileExportFormat.CSV:
            view = DiffViewBuilder(values).view(values.sets.sample_type, "function")
            out.write_text(format_profile_csv(view.function_columns()), "utf-8", newline="")
            return ExportFile(f"{name}.csv", "text/csv")
        suffix = "speedscope" if asked.format == ProfileExportFormat.SPEEDSCOPE else "firefox-profiler"
        _write_packed(context, _pieces(values, asked.format, name), out)
    return ExportFile(f"{name}.{suffix}.json.gz", "application/gzip")


def _pieces(values: ProfileKindValues, export_format: ProfileExportFormat, name: str) -> Iterator[str]:
    tree = ExportTree(values)
    if export_format == ProfileExportFormat.SPEEDSCOPE:
        return write_speedscope(tree, name)
    started_ns = min(artifact.table.time_ns for artifact in values.sets.artifacts)
    return write_firefox_profile(tree, name, max(0, started_ns) // NANOSECONDS_PER_MS)


def _write_packed(context: JobContext, pieces: Iterator[str], out: Path) -> None:
    """Write text as gzip, which both programs read; the file is never in memory as a whole."""
    with gzip.open(out, "wt", encoding="utf-8", compresslevel=5) as file:
        for number, piece in enumerate(pieces):
            file.write(piece)
            if number % 10_000 == 0:
                context.check()


@contextmanager
def _selected(
    context: JobContext, stored: Sequence[StoredProfile], asked: ProfileExportRequest, out: Path
) -> Iterator[list[Path]]:
    """Yield the columns of the profiles that have samples of the kind with the labels. Raises `NoProfiles` without any."""
    with ExitStack() as stack:
        paths = []
        for number, each in enumerate(stored):
            path = stack.enter_context(context.blobs.local(each.key))
            selected = select_samples(path, asked.kind, asked.labels, out.with_name(f"selected-{number}"))
            paths += [selected] if selected is not None else []
        if not paths:
            raise _nothing(asked)
        yield paths


def _nothing(asked: ProfileExportRequest) -> NoProfiles:
    what = (
        f"No sample of the {asked.kind} profiles matches the labels."
        if asked.labels
        else f"There is no {asked.kind} profile."
    )
    return NoProfiles(what, remedy="Choose other labels or another kind.")


def _file_name(stored: Sequence[StoredProfile], kind: str) -> str:
    """Return the name of the first artifact in characters that every file system takes, and the kind."""
    others = f"-and-{len(stored) - 1}-more" if len(stored) > 1 else ""
    return f"{make_file_name(stored[0].name, 'profile')}{others}.{kind}"
