"""Compare two sides, cut views of a comparison, make files from it."""

import csv
import gzip
import io
import json
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from slowpath.analysis.benchmark_operations import with_operations
from slowpath.analysis.columns import read_columns
from slowpath.analysis.compare import Comparison, compare
from slowpath.analysis.document import to_json
from slowpath.analysis.profiles.compare import compare_profiles
from slowpath.analysis.profiles.stored_view import strings_of
from slowpath.analysis.profiles.thresholds import Thresholds
from slowpath.analysis.profiles.views import View
from slowpath.comparisons.errors import ComparisonNotFound, NothingToCompare, ViewNotFound
from slowpath.comparisons.jobs import CompareSets, CutView, MakeExport
from slowpath.comparisons.rules import ComparisonState, ExportFormat, Granularity, Side, ViewState
from slowpath.comparisons.service import asking, looking, recording, taking
from slowpath.comparisons.service.recording import CutFiles, Found, ViewName
from slowpath.comparisons.tables import ComparisonView
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import BlobKey, ComparisonId, ExportId
from slowpath.core.sessions import WriteSession
from slowpath.regressions.service import evidence
from slowpath_worker.context import Cancelled, Context, NotYet
from slowpath_worker.decoding import DecodeHelper
from slowpath_worker.gathering import Loaded, Stored, StoredColumns, gather, loaded, windows_of

__all__ = [
    "CompareSets",
    "CutView",
    "MakeExport",
    "compare_ended_badly",
    "compare_sets",
    "cut_view",
    "export_ended_badly",
    "make_export",
    "view_ended_badly",
]

GZIP_LEVEL = 5
"""One step below the default: a tenth larger, twice as fast, measured on diff columns."""
SHARE_OF_COMPARING = 0.6


@dataclass(frozen=True)
class _Labels:
    """Which comparison it is, and how its sides are called."""

    comparison_id: ComparisonId
    base: str
    candidate: str


@contextmanager
def _swept_if_deleted(context: Context, comparison_id: ComparisonId) -> Iterator[None]:
    """A comparison may be deleted while its job runs: then what the job stored goes the same way, and the job is done."""
    try:
        yield
    except (ComparisonNotFound, ViewNotFound):
        with context.finishing() as session:
            if asking.is_there(session, comparison_id):
                raise
            context.blobs.delete_under(asking.folder(context.team_id, comparison_id))


def compare_sets(job: CompareSets, context: Context) -> None:
    """Compare two sets, unless the comparison is deleted meanwhile."""
    with _swept_if_deleted(context, job.comparison_id):
        _compare_sets(job, context)


def _compare_sets(job: CompareSets, context: Context) -> None:
    """Compare and write down what was found; then cut the view that is looked at first of each kind.

    The findings can be read while the views are being cut.
    """
    with context.writing() as session:
        begun = recording.begin(session, job.comparison_id)
        labels = _Labels(job.comparison_id, begun.base_label, begun.candidate_label)
        stored = gather(session, job.comparison_id)
    with context.reading() as session:
        stored.latency = windows_of(session, job.comparison_id)

    with loaded(context, stored) as sides:
        comparison = _compared(context, sides)
        found, views = _found(context, labels, comparison)
        with context.writing() as session:
            recording.record(session, job.comparison_id, found)
            evidence.add_locations(session, job.comparison_id, comparison.findings)
        cut = {}
        for number, name in enumerate(found.cutting):
            share = SHARE_OF_COMPARING + (1 - SHARE_OF_COMPARING) * number / len(found.cutting)
            context.progress(f"drawing {name.kind}", share)
            cut[name] = _cut(context, job.comparison_id, name, views[name])

    with context.finishing() as session:
        asking.hold(session, job.comparison_id)
        for name, files in cut.items():
            row = looking.find_named(session, job.comparison_id, name.kind, name.sample_type, name.granularity)
            recording.record_cut(row, files)


def cut_view(job: CutView, context: Context) -> None:
    """Cut one more view, unless the comparison is deleted meanwhile."""
    with _swept_if_deleted(context, job.comparison_id):
        _cut_view(job, context)


def _cut_view(job: CutView, context: Context) -> None:
    name = ViewName(job.kind, job.sample_type, Granularity(job.granularity))
    with context.reading() as session:
        stored = gather(session, job.comparison_id)

    with loaded(context, Stored(profiles=stored.profiles, benchmarks=stored.benchmarks)) as sides:
        base, candidate, _ = with_operations(sides.base, sides.candidate)
        mine, theirs = base.of_kind(job.kind), candidate.of_kind(job.kind)
        comparison = compare_profiles(mine, theirs, Thresholds(), context.dice(), _progress(context))
        context.progress(f"drawing {name.kind} by {name.granularity}", SHARE_OF_COMPARING)
        view = next(view for view in comparison.views() if _name(view) == name)
        files = _cut(context, job.comparison_id, name, view)

    with context.finishing() as session:
        asking.hold(session, job.comparison_id)
        row = looking.find_named(session, job.comparison_id, job.kind, job.sample_type, job.granularity)
        recording.record_cut(row, files)


def make_export(job: MakeExport, context: Context) -> None:
    """Make the file that was asked for."""
    with context.reading() as session:
        export = taking.find(session, job.export_id)
        wanted, kind = ExportFormat(export.format), export.kind
        comparison_id = ComparisonId(export.comparison_id)
        comparison = asking.find(session, comparison_id)
        name, result = comparison.name, comparison.result or {}
        views = looking.views(session, [comparison_id])[comparison_id]
        of_kind = [view for view in views if kind in (None, view.kind)]
        if wanted == ExportFormat.CSV and any(view.state in (ViewState.WAITING, ViewState.RUNNING) for view in of_kind):
            raise NotYet  # the table of functions comes with the view
        ready = [view for view in of_kind if view.functions_key]
        stored = gather(session, comparison_id).profiles if wanted.startswith("pprof") else []

    context.progress("making the file", 0.2)
    file_name = "".join(char if char.isalnum() or char in "-_." else "_" for char in name)[:80] or "comparison"
    with tempfile.TemporaryDirectory(dir=context.scratch, prefix="export-") as folder:
        out = Path(folder) / "file"
        if wanted == ExportFormat.JSON:
            out.write_text(json.dumps(result, indent=1, ensure_ascii=False), "utf-8")
            suffix, media_type = "json", "application/json"
        elif wanted == ExportFormat.CSV:
            out.write_text(_csv(gzip.decompress(context.blobs.read(_functions(ready, kind)))), "utf-8", newline="")
            suffix, media_type = "csv", "text/csv"
        else:
            _export_pprof(context, stored, kind or (views[0].kind if views else "cpu"), wanted, out)
            suffix, media_type = f"{wanted.removeprefix('pprof-')}.pb.gz", "application/octet-stream"
        if wanted != ExportFormat.JSON and kind and len({view.kind for view in views}) > 1:
            suffix = f"{kind}.{suffix}"  # or the heap's file would be called as the CPU's is
        size_bytes = out.stat().st_size
        key = taking.export_key(context.team_id, job.export_id)
        context.blobs.put(key, out)

    with context.finishing() as session:
        if not asking.is_there(session, comparison_id):
            context.blobs.delete([key])  # deleted meanwhile, and its exports with it
            return
        export = taking.find(session, job.export_id)
        export.state = ComparisonState.DONE
        export.problem = None
        export.blob_key, export.size_bytes = key, size_bytes
        export.file_name, export.media_type = f"{file_name}.{suffix}", media_type


def compare_ended_badly(
    session: WriteSession, job: CompareSets, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Write on the comparison why it has no result; on its views, if only they came to nothing."""
    comparison = asking.find(session, job.comparison_id)
    if comparison.state != ComparisonState.DONE:
        recording.end_badly(comparison, _state(error), problem)
        return
    for view in looking.views(session, [job.comparison_id])[job.comparison_id]:
        if view.state == ViewState.RUNNING:
            recording.end_badly(view, _state(error), problem)


def view_ended_badly(
    session: WriteSession, job: CutView, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Write on the view why it was not cut."""
    row = looking.find_named(session, job.comparison_id, job.kind, job.sample_type, job.granularity)
    recording.end_badly(row, _state(error), problem)


def export_ended_badly(
    session: WriteSession, job: MakeExport, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Write on the export why there is no file."""
    recording.end_badly(taking.find(session, ExportId(job.export_id)), _state(error), problem)


def _state(error: SlowpathError | Cancelled) -> ComparisonState:
    return ComparisonState.CANCELLED if isinstance(error, Cancelled) else ComparisonState.FAILED


def _compared(context: Context, sides: Loaded) -> Comparison:
    comparison = compare(sides.base, sides.candidate, sides.benchmark_rows, context.dice(), _progress(context))
    if not comparison.kind_verdicts:
        raise NothingToCompare(
            "The two sides have no kind of artifact in common.",
            remedy="Put artifacts of the same kind (CPU profiles, heap profiles, traces, ...) on both sides.",
        )
    return comparison


def _progress(context: Context) -> Callable[[str, float], None]:
    def progress(step: str, fraction: float) -> None:
        context.progress(step, 0.1 + (SHARE_OF_COMPARING - 0.1) * fraction)

    return progress


def _found(context: Context, labels: _Labels, comparison: Comparison) -> tuple[Found, dict[ViewName, View]]:
    """Store the documents of the parts; return what is to be written down, and the views by name."""
    views = {_name(view): view for view in comparison.profiles.views()} if comparison.profiles else {}
    documents: dict[recording.Part, BlobKey] = {}
    for part, document in comparison.documents(labels.base, labels.candidate).items():
        key = recording.document_key(context.team_id, labels.comparison_id, part)
        content = json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
        context.blobs.put(key, gzip.compress(content, GZIP_LEVEL, mtime=0))
        documents[part] = key
    found = Found(
        result=to_json(comparison),
        views=[(name, view.describe()) for name, view in views.items()],
        cutting=[name for name in views if _is_first(name, list(views))],
        documents=documents,
    )
    return found, views


def _name(view: View) -> ViewName:
    return ViewName(view.kind, view.sample_type.type, Granularity(view.granularity))


def _is_first(name: ViewName, names: Sequence[ViewName]) -> bool:
    """The first view of each kind by function is cut at once; the others when somebody looks."""
    first = next(each for each in names if each.kind == name.kind and each.granularity == Granularity.FUNCTION)
    return name == first


def _cut(context: Context, comparison_id: ComparisonId, name: ViewName, view: View) -> CutFiles:
    def put(part: str, content: bytes, *, packed: bool = True) -> BlobKey:
        key = recording.view_key(context.team_id, comparison_id, name, part)
        context.blobs.put(key, gzip.compress(content, GZIP_LEVEL, mtime=0) if packed else content)
        return key

    everything = view.diff_columns("all")
    header = read_columns(everything, "slowpath.diff").header
    functions = view.function_columns()
    first = view.diff_columns("first")
    sent = read_columns(first, "slowpath.diff").header["nodes_sent"]
    nodes = header["nodes_total"]
    context.check()
    return CutFiles(
        all_key=put("all", everything, packed=False),
        first_key=put("first", first),
        rest_key=put("rest", view.diff_columns("rest")) if sent < nodes else None,
        functions_key=put("functions", functions),
        lines_key=put("lines", view.line_columns(), packed=False),
        nodes=nodes,
        functions=len(read_columns(functions, "slowpath.functions").arrays["name"]),
    )


def _export_pprof(
    context: Context, stored: Sequence[StoredColumns], kind: str, wanted: ExportFormat, out: Path
) -> None:
    helper = DecodeHelper(context.settings, context.check)
    with ExitStack() as stack:
        sides: dict[Side, list[Path]] = {side: [] for side in Side}
        for each in stored:
            path = stack.enter_context(context.blobs.local(each.key))
            if read_columns(path.read_bytes(), "slowpath.profile").header["kind"] == kind:
                sides[each.side].append(path)
        base = sides[Side.BASE] if wanted != ExportFormat.PPROF_CANDIDATE else []
        candidate = sides[Side.CANDIDATE] if wanted != ExportFormat.PPROF_BASE else []
        if not base and not candidate:
            raise NothingToCompare(f"There is no {kind} profile to take away.", remedy="Choose another kind.")
        helper.export(out, base, candidate)


def _functions(ready: Sequence[ComparisonView], kind: str | None) -> BlobKey:
    if not ready:
        what = f"There is no {kind} view to take away." if kind else "No view is cut yet."
        raise NothingToCompare(what, remedy="Choose another kind, or look at the view first.")
    return BlobKey(ready[0].functions_key or "")


def _csv(content: bytes) -> str:
    """Return the table of functions as CSV; what a spreadsheet would run as a formula is made a plain text."""
    columns = read_columns(content, "slowpath.functions")
    names = strings_of(columns)
    categories = columns.header["categories"]
    numbers = ("base_self", "base_total", "candidate_self", "candidate_total")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    unit, basis = columns.header["sample_type"]["unit"], columns.header["default_basis"]
    judged = {"low": "ratio low", "high": "ratio high", "q": "q"}
    told = [*(f"{name} ({unit})" for name in numbers), *(f"{name} ({basis})" for name in judged.values())]
    writer.writerow(["function", "file", "category", *told])
    values = [columns.column(name, "f64").tolist() for name in numbers]
    values += [[_number(each) for each in columns.column(f"{name}_{basis}", "f32").tolist()] for name in judged]
    rows = zip(
        columns.column("name", "u32").tolist(),
        columns.column("file", "u32").tolist(),
        columns.column("category", "u8").tolist(),
        *values,
        strict=True,
    )
    for name, file, category, *costs in rows:
        writer.writerow([_plain(names[name]), _plain(names[file]), categories[category], *costs])
    return text.getvalue()


def _number(value: float) -> float | str:
    """Four digits of single precision; nothing where there is none."""
    return float(f"{value:.4g}") if math.isfinite(value) else ""


def _plain(cell: str) -> str:
    cleaned = cell.replace("\x00", "�")
    return f"'{cleaned}" if cleaned[:1] in {"=", "+", "-", "@", "\t", "\r"} else cleaned
