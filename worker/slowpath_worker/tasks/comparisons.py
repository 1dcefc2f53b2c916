"""Compute comparisons, build their diff views, and export them."""

import gzip
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from slowpath.analysis.comparison.benchmark_operations import with_operations
from slowpath.analysis.comparison.build_answer import make_comparison_answer
from slowpath.analysis.comparison.compare_sides import SideComparison, compare
from slowpath.analysis.comparison.comparison_document import ComparisonDocument, make_comparison_document
from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import compare_profiles
from slowpath.analysis.kinds.profiles.views.diff_views import DiffViewColumns
from slowpath.analysis.kinds.registry import BENCHMARK, PROFILE, PageSection
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BlobKey, ComparisonId, ExportId
from slowpath.core.stored_blobs import mark_unused
from slowpath.evidence.metrics.service.live_samples import gather_with_sources
from slowpath.evidence.profiles.errors import ViewNotFound
from slowpath.evidence.profiles.rules import Granularity, ViewState
from slowpath.evidence.profiles.service import stored_exports, stored_views
from slowpath.evidence.profiles.service.stored_views import FirstViewFiles, RemainingViewFiles
from slowpath.verdicts.comparisons.errors import ComparisonNotFound, NothingToCompare
from slowpath.verdicts.comparisons.jobs import BuildDiffView, ComputeComparison, ExportComparison
from slowpath.verdicts.comparisons.rules import ComparisonOrigin, ComparisonState, ExportFormat, Side
from slowpath.verdicts.comparisons.service import comparison_exports, comparison_results, comparisons, diff_views
from slowpath.verdicts.comparisons.service.comparison_results import ComparisonResult, DiffViewKey
from slowpath.verdicts.comparisons.tables import DiffView
from slowpath.verdicts.regressions.service import build_comparisons, evidence
from slowpath_worker.comparison_inputs import (
    LoadedSides,
    StoredSides,
    find_side_columns,
    open_sides,
    windows_of,
)
from slowpath_worker.compiler_evidence import compare_stored_binaries
from slowpath_worker.decode_helper import DecodeHelper
from slowpath_worker.export_files import make_file_name, select_samples
from slowpath_worker.function_csv import format_functions_csv
from slowpath_worker.job_context import JobContext, JobFailure, Postponed
from slowpath_worker.live_samples import live_reads
from slowpath_worker.view_files import GZIP_LEVEL, store_first_files, store_remaining_files

__all__ = [
    "BuildDiffView",
    "ComputeComparison",
    "ExportComparison",
    "build_diff_view",
    "compute_comparison",
    "export_comparison",
    "record_comparison_failure",
    "record_export_failure",
    "record_view_failure",
]

SHARE_OF_COMPARING = 0.6


@dataclass(frozen=True)
class _SideLabels:
    """The comparison's ID and the labels of its sides."""

    comparison_id: ComparisonId
    base: str
    candidate: str


@contextmanager
def _delete_blobs_if_deleted(context: JobContext, comparison_id: ComparisonId) -> Iterator[None]:
    """If the comparison is deleted while its job runs, delete the blobs that the job stored, and finish the job."""
    try:
        yield
    except (ComparisonNotFound, ViewNotFound):
        with context.finishing() as session:
            if comparisons.lock_if_exists(session, comparison_id):
                raise
            mark_unused(session, [comparisons.blob_prefix(context.team_id, comparison_id)])


def compute_comparison(job: ComputeComparison, context: JobContext) -> None:
    """Compute a comparison, unless it is deleted meanwhile."""
    with _delete_blobs_if_deleted(context, job.comparison_id):
        _compare_sets(job, context)


def _compare_sets(job: ComputeComparison, context: JobContext) -> None:
    """Compare both sides and record the result; then build the first diff view of each kind.

    The findings are visible while the views are being built. The views of a build's comparison are built when it is opened.
    """
    with context.writing() as session:
        started = comparison_results.mark_running(session, job.comparison_id)
        is_of_build = started.origin == ComparisonOrigin.BUILD
        labels = _SideLabels(job.comparison_id, started.base_label, started.candidate_label)
        stored = find_side_columns(session, job.comparison_id)
    live = live_reads(context, is_strict=True)
    stored.latency = gather_with_sources(
        context.reading, live, lambda session: windows_of(session, job.comparison_id, live)
    )

    with open_sides(context, stored) as sides:
        comparison = _compare(context, sides)
        document = make_comparison_document(comparison)
        compiler = compare_stored_binaries(context, job.comparison_id, stored, document)
        document = replace(document, compiler=compiler)
        result_, views = _store_documents(context, labels, comparison, document, has_first_views=not is_of_build)
        with context.writing() as session:
            if is_of_build:
                of_build = comparisons.get_comparison(session, job.comparison_id)
                build_comparisons.record_answer(
                    session, of_build, make_comparison_answer(comparison), context.clock.now()
                )
            comparison_results.record_result(session, job.comparison_id, result_)
            evidence.add_locations(session, job.comparison_id, comparison.findings)
        files_by_view = {}
        for number, name in enumerate(result_.cutting):
            share = SHARE_OF_COMPARING + (1 - SHARE_OF_COMPARING) * number / len(result_.cutting)
            context.progress(f"building the {name.kind} view", share)
            files_by_view[name] = _store_view(context, job.comparison_id, name, views[name])

    with context.finishing() as session:
        comparisons.lock_comparison(session, job.comparison_id)
        for name, files in files_by_view.items():
            row = diff_views.get_view_by_key(session, job.comparison_id, name.kind, name.sample_type, name.granularity)
            stored_views.record_view_files(row, *files)


def build_diff_view(job: BuildDiffView, context: JobContext) -> None:
    """Build a diff view, unless the comparison is deleted meanwhile."""
    with _delete_blobs_if_deleted(context, job.comparison_id):
        _build_view(job, context)


def _build_view(job: BuildDiffView, context: JobContext) -> None:
    name = DiffViewKey(job.kind, job.sample_type, Granularity(job.granularity))
    with context.reading() as session:
        stored = find_side_columns(session, job.comparison_id)

    with open_sides(context, _columns_of_views(stored)) as sides:
        base, candidate, _ = with_operations(sides.base, sides.candidate)
        base_profiles, candidate_profiles = base.of_kind(job.kind), candidate.of_kind(job.kind)
        comparison = compare_profiles(
            base_profiles, candidate_profiles, ProfileThresholds(), context.rng(), _progress(context)
        )
        context.progress(f"building the {name.kind} view by {name.granularity}", SHARE_OF_COMPARING)
        view = next(view for view in comparison.views() if _name(view) == name)
        files = _store_view(context, job.comparison_id, name, view)

    with context.finishing() as session:
        comparisons.lock_comparison(session, job.comparison_id)
        row = diff_views.get_view_by_key(session, job.comparison_id, job.kind, job.sample_type, job.granularity)
        stored_views.record_view_files(row, *files)


def _columns_of_views(stored: StoredSides) -> StoredSides:
    """Return what views are made of: profiles, and benchmark output, which has the operations behind them."""
    return StoredSides({kind.id: stored.columns[kind.id] for kind in (PROFILE, BENCHMARK)}, labels=stored.labels)


def export_comparison(job: ExportComparison, context: JobContext) -> None:
    """Create an export file."""
    with context.reading() as session:
        export = comparison_exports.get_export(session, job.export_id)
        export_format, kind = ExportFormat(export.format), export.kind
        comparison_id = ComparisonId(export.comparison_id)
        comparison = comparisons.get_comparison(session, comparison_id)
        name, result = comparison.name, comparison_results.find_document(comparison)
        views = diff_views.list_views(session, [comparison_id])[comparison_id]
        of_kind = [view for view in views if kind in (None, view.kind)]
        if export_format == ExportFormat.CSV and any(
            view.state in (ViewState.WAITING, ViewState.RUNNING) for view in of_kind
        ):
            raise Postponed  # the table of functions is part of the view
        ready = [view for view in of_kind if view.functions_key]
        stored = find_side_columns(session, comparison_id) if export_format.startswith("pprof") else StoredSides()

    context.progress("creating the file", 0.2)
    file_name = make_file_name(name, "comparison")
    with tempfile.TemporaryDirectory(dir=context.scratch, prefix="export-") as folder:
        out = Path(folder) / "file"
        if export_format == ExportFormat.JSON:
            out.write_text(dump_document(result or {}, indent=1), "utf-8")
            suffix, media_type = "json", "application/json"
        elif export_format == ExportFormat.CSV:
            out.write_text(
                format_functions_csv(gzip.decompress(context.blobs.read(_functions(ready, kind)))), "utf-8", newline=""
            )
            suffix, media_type = "csv", "text/csv"
        else:
            _export_pprof(context, stored, kind or (views[0].kind if views else "cpu"), export_format, out)
            suffix, media_type = f"{export_format.removeprefix('pprof-')}.pb.gz", "application/octet-stream"
        if export_format != ExportFormat.JSON and kind and len({view.kind for view in views}) > 1:
            suffix = f"{kind}.{suffix}"  # otherwise files of different kinds would have the same name
        size_bytes = out.stat().st_size
        key = comparisons.make_export_key(context.team_id, job.export_id)
        context.blobs.put(key, out)

    with context.finishing() as session:
        if not comparisons.lock_if_exists(session, comparison_id):
            mark_unused(session, [key])  # deleted meanwhile, with its exports
            return
        export = comparison_exports.get_export(session, job.export_id)
        stored_exports.record_file(export, key, size_bytes, f"{file_name}.{suffix}", media_type)


def record_comparison_failure(session: WriteSession, job: ComputeComparison, failure: JobFailure) -> None:
    """Record on the comparison why it has no result, or on its views if only these failed."""
    comparison = comparisons.get_comparison(session, job.comparison_id)
    if comparison.state != ComparisonState.DONE:
        reason = str(failure.problem.get("detail") or failure.error)
        build_comparisons.record_failed_comparison(session, comparison, reason, failure.at)
        failure.record_on(comparison)
        return
    for view in diff_views.list_views(session, [job.comparison_id])[job.comparison_id]:
        if view.state == ViewState.RUNNING:
            failure.record_on(view)


def record_view_failure(session: WriteSession, job: BuildDiffView, failure: JobFailure) -> None:
    """Record on the view why it was not built."""
    row = diff_views.get_view_by_key(session, job.comparison_id, job.kind, job.sample_type, job.granularity)
    failure.record_on(row)


def record_export_failure(session: WriteSession, job: ExportComparison, failure: JobFailure) -> None:
    """Record on the export why it failed."""
    failure.record_on(comparison_exports.get_export(session, ExportId(job.export_id)))


def _compare(context: JobContext, sides: LoadedSides) -> SideComparison:
    comparison = compare(sides.base, sides.candidate, sides.helper_outputs, context.rng(), _progress(context))
    if not comparison.kind_verdicts:
        raise NothingToCompare(
            "The two sides have no common artifact kind.",
            remedy="Add artifacts of the same kind (CPU profiles, heap profiles, traces, ...) to both sides.",
        )
    return comparison


def _progress(context: JobContext) -> Callable[[str, float], None]:
    def progress(step: str, fraction: float) -> None:
        context.progress(step, 0.1 + (SHARE_OF_COMPARING - 0.1) * fraction)

    return progress


def _store_documents(
    context: JobContext,
    labels: _SideLabels,
    comparison: SideComparison,
    document: ComparisonDocument,
    *,
    has_first_views: bool,
) -> tuple[ComparisonResult, dict[DiffViewKey, DiffViewColumns]]:
    """Store the documents of the comparison's parts; return the result to record, and the views by key."""
    views = {_name(view): view for view in comparison.profiles.views()} if comparison.profiles else {}
    documents: dict[PageSection, BlobKey] = {}
    for part, page in comparison.documents(labels.base, labels.candidate).items():
        key = comparison_results.make_document_key(context.team_id, labels.comparison_id, part)
        content = dump_document(page).encode()
        context.blobs.put(key, gzip.compress(content, GZIP_LEVEL, mtime=0))
        documents[part] = key
    result_ = ComparisonResult(
        result=document,
        views=[(name, view.describe()) for name, view in views.items()],
        cutting=[name for name in views if has_first_views and _is_first(name, list(views))],
        documents=documents,
    )
    return result_, views


def _name(view: DiffViewColumns) -> DiffViewKey:
    return DiffViewKey(view.kind, view.sample_type.type, Granularity(view.granularity))


def _is_first(name: DiffViewKey, names: Sequence[DiffViewKey]) -> bool:
    """Return whether a view is the first of its kind by function, which is built immediately, not on request."""
    first = next(each for each in names if each.kind == name.kind and each.granularity == Granularity.FUNCTION)
    return name == first


def _store_view(
    context: JobContext, comparison_id: ComparisonId, name: DiffViewKey, view: DiffViewColumns
) -> tuple[FirstViewFiles, RemainingViewFiles]:
    def make_key(part: str) -> BlobKey:
        return comparison_results.make_view_key(context.team_id, comparison_id, name, part)

    first = store_first_files(context, view, make_key)
    with context.writing() as session:
        row = diff_views.get_view_by_key(session, comparison_id, name.kind, name.sample_type, name.granularity)
        row.state, row.problem = ViewState.RUNNING, None
        stored_views.record_first_files(row, first)
    return first, store_remaining_files(view, make_key, context)


def _export_pprof(context: JobContext, stored: StoredSides, kind: str, export_format: ExportFormat, out: Path) -> None:
    helper = DecodeHelper(context.settings, context.check)
    with ExitStack() as stack:
        sides: dict[Side, list[Path]] = {side: [] for side in Side}
        for number, each in enumerate(stored.columns[PROFILE.id]):
            path = stack.enter_context(context.blobs.local(each.key))
            selected = select_samples(path, kind, stored.labels.get(each.side, ()), out.with_name(f"selected-{number}"))
            sides[each.side] += [selected] if selected is not None else []
        base = sides[Side.BASE] if export_format != ExportFormat.PPROF_CANDIDATE else []
        candidate = sides[Side.CANDIDATE] if export_format != ExportFormat.PPROF_BASE else []
        if not base and not candidate:
            raise NothingToCompare(f"The comparison has no {kind} profile to export.", remedy="Choose another kind.")
        helper.export(out, base, candidate)


def _functions(ready: Sequence[DiffView], kind: str | None) -> BlobKey:
    if not ready:
        what = f"The comparison has no {kind} view to export." if kind else "The comparison has no view yet."
        raise NothingToCompare(what, remedy="Choose another kind, or open the view first.")
    return BlobKey(ready[0].functions_key or "")
