"""Open profile sets, build their views, and export them."""

import gzip
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.sets.profile_kind_values import ProfileKindValues
from slowpath.analysis.kinds.profiles.views.diff_view_inputs import DiffViewSummary
from slowpath.analysis.kinds.profiles.views.diff_views import DiffViewBuilder, DiffViewColumns
from slowpath.analysis.kinds.profiles.views.profile_set_views import describe_conditions, list_set_kinds, measure_set
from slowpath.analysis.kinds.profiles.views.profile_view_summary import summarize_view
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BlobKey, ProfileSetId, ProfileViewId
from slowpath.core.jobs import enqueue
from slowpath.core.stored_blobs import mark_unused
from slowpath.evidence.profiles.errors import NoProfiles, ProfileSetNotFound, ViewNotFound
from slowpath.evidence.profiles.jobs import BuildProfileView, ExportProfileSet, OpenProfileSet, StoreRemainingChunks
from slowpath.evidence.profiles.rules import (
    Granularity,
    ProfileExportFormat,
    ProfileSetState,
    ProfileViewKey,
    ViewState,
)
from slowpath.evidence.profiles.service import (
    profile_exports,
    profile_sets,
    profile_views,
    stored_exports,
    stored_views,
)
from slowpath.evidence.profiles.service.stored_views import FirstViewFiles, RemainingViewFiles
from slowpath.evidence.profiles.tables import ProfileView
from slowpath_worker.job_context import JobContext, JobFailure
from slowpath_worker.pgo_checks import find_check_inputs
from slowpath_worker.profile_set_exports import ProfileExportRequest, export_profiles
from slowpath_worker.profile_set_inputs import find_set_profiles, open_profiles
from slowpath_worker.profile_stack_sizes import find_set_executable
from slowpath_worker.view_files import GZIP_LEVEL, store_first_files, store_next_files, store_remaining_files

__all__ = [
    "BuildProfileView",
    "ExportProfileSet",
    "OpenProfileSet",
    "StoreRemainingChunks",
    "build_profile_view",
    "export_profile_set",
    "open_profile_set",
    "record_export_failure",
    "record_set_failure",
    "record_view_failure",
    "store_remaining_chunks",
]


@dataclass(frozen=True)
class _BuiltView:
    """Blob keys of the chunks and of the summary of a view, and what it has; `remaining` is None if another job stores them."""

    first: FirstViewFiles
    remaining: RemainingViewFiles | None
    summary_key: BlobKey
    described: DiffViewSummary


@contextmanager
def _delete_blobs_if_deleted(context: JobContext, set_id: ProfileSetId) -> Iterator[None]:
    """If the set or an artifact of it is deleted while a job runs, delete what is stored of it, and finish the job."""
    try:
        yield
    except (ProfileSetNotFound, ViewNotFound):
        with context.finishing() as session:
            profile_sets.delete_incomplete_sets(session)
            if profile_sets.lock_if_exists(session, set_id):
                raise
            mark_unused(session, [profile_sets.blob_prefix(context.team_id, set_id)])


def open_profile_set(job: OpenProfileSet, context: JobContext) -> None:
    """Read the profiles of a set, record its kinds and conditions, and build its first view."""
    with _delete_blobs_if_deleted(context, job.set_id):
        with context.writing() as session:
            profile_sets.mark_running(session, job.set_id)
            stored = find_set_profiles(session, job.set_id)
        with open_profiles(context, stored) as artifacts:
            view_id, key = _record_contents(job.set_id, context, artifacts)
            built = _build(job.set_id, view_id, key, artifacts, context)
        _record_view(job.set_id, view_id, context, built)


def _record_contents(
    set_id: ProfileSetId, context: JobContext, artifacts: Sequence[ProfileArtifact]
) -> tuple[ProfileViewId, ProfileViewKey]:
    """Record what a set contains, so that the page shows it while the first view is built; return that view."""
    kinds = list_set_kinds(artifacts)
    first = kinds[0]
    key = ProfileViewKey(first.kind, first.default_sample_type, Granularity.FUNCTION)
    unit = next(each.unit for each in first.sample_types if each.type == first.default_sample_type)
    with context.writing() as session:
        profile_sets.record_contents(
            session, set_id, [asdict(kind) for kind in kinds], asdict(describe_conditions(artifacts))
        )
        view = profile_views.get_or_insert_view(session, set_id, key, unit)
        view.state, view.problem = ViewState.RUNNING, None
        view.job_id = context.claim.job_id
        return ProfileViewId(view.id), key


def build_profile_view(job: BuildProfileView, context: JobContext) -> None:
    """Build a view of a set, unless the set is deleted meanwhile."""
    with _delete_blobs_if_deleted(context, job.set_id):
        with context.writing() as session:
            row = profile_views.get_view(session, job.set_id, job.view_id)
            row.state = ViewState.RUNNING
            key = profile_views.get_view_key(row)
            stored = find_set_profiles(session, job.set_id)
        with open_profiles(context, stored) as artifacts:
            built = _build(job.set_id, job.view_id, key, artifacts, context)
        _record_view(job.set_id, job.view_id, context, built)


def store_remaining_chunks(job: StoreRemainingChunks, context: JobContext) -> None:
    """Store the chunks of a view after the first ones, each of which is readable at once.

    Before each, the job gives way to any other of the team that waits. Unless the set is deleted meanwhile.
    """
    with _delete_blobs_if_deleted(context, job.set_id):
        with context.writing() as session:
            row = profile_views.get_view(session, job.set_id, job.view_id)
            row.state, key = ViewState.RUNNING, profile_views.get_view_key(row)
            stored, artifacts_of_set = stored_views.get_remaining_files(row), find_set_profiles(session, job.set_id)
        context.give_way()
        with open_profiles(context, artifacts_of_set) as artifacts:
            _, view = _open_view(artifacts, key, context)
            for files in store_next_files(view, stored, _make_keys(context, job.set_id, job.view_id), context):
                with context.writing() as session:
                    stored_views.record_remaining_files(profile_views.get_view(session, job.set_id, job.view_id), files)
                if files.lines_key is None:
                    context.give_way()
        with context.finishing() as session:
            if not profile_sets.lock_if_exists(session, job.set_id):
                raise ProfileSetNotFound("The profile set was deleted.")
            stored_views.mark_done(profile_views.get_view(session, job.set_id, job.view_id))


def _make_keys(context: JobContext, set_id: ProfileSetId, view_id: ProfileViewId) -> Callable[[str], BlobKey]:
    """Return the function that makes the blob key of a part of a view."""
    return lambda part: profile_views.make_view_key(context.team_id, set_id, view_id, part)


def _open_view(
    artifacts: Sequence[ProfileArtifact], key: ProfileViewKey, context: JobContext
) -> tuple[ProfileKindValues, DiffViewColumns]:
    """Return a view and the values that it is made of. Raises `NoProfiles`."""
    context.progress(f"building the {key.kind} view by {key.granularity}", 0.2)
    values = measure_set(artifacts, key.kind, key.sample_type, key.labels)
    if values is None:
        raise NoProfiles(
            f"No artifact of the set has {key.kind} profiles with {key.sample_type}.", remedy="Choose another kind."
        )
    return values, DiffViewBuilder(values).view(values.sets.sample_type, key.granularity.value)


def _build(
    set_id: ProfileSetId,
    view_id: ProfileViewId,
    key: ProfileViewKey,
    artifacts: Sequence[ProfileArtifact],
    context: JobContext,
) -> _BuiltView:
    """Compute and store the summary and the first chunks of a view, and all others of a small one. Raises `NoProfiles`."""
    make_key = _make_keys(context, set_id, view_id)
    values, view = _open_view(artifacts, key, context)
    summary_key = make_key("summary")
    summary = dump_document(summarize_view(values, key.labels)).encode()
    context.blobs.put(summary_key, gzip.compress(summary, GZIP_LEVEL, mtime=0))
    first = store_first_files(context, view, make_key)
    remaining = None if view.has_rest else store_remaining_files(view, make_key, context)
    return _BuiltView(first, remaining, summary_key, view.describe())


def _describe(row: ProfileView, summary_key: BlobKey, described: DiffViewSummary) -> None:
    row.summary_key = summary_key
    row.normalizations = list(described.normalizations)
    row.default_normalization = described.default_normalization


def _record_view(set_id: ProfileSetId, view_id: ProfileViewId, context: JobContext, built: _BuiltView) -> None:
    with context.finishing() as session:
        if not profile_sets.lock_if_exists(session, set_id):
            raise ProfileSetNotFound("The profile set was deleted.")
        row = profile_views.get_view(session, set_id, view_id)
        _describe(row, built.summary_key, built.described)
        if built.remaining is not None:
            stored_views.record_view_files(row, built.first, built.remaining)
            return
        stored_views.record_first_files(row, built.first)
        stored_views.record_remaining_files(row, RemainingViewFiles())
        row.job_id = enqueue(session, StoreRemainingChunks(set_id, view_id))


def export_profile_set(job: ExportProfileSet, context: JobContext) -> None:
    """Create an export file of a set, unless the set is deleted meanwhile."""
    with context.reading() as session:
        export = profile_exports.get_export(session, job.export_id)
        set_id, labels = ProfileSetId(export.set_id), profile_views.parse_labels(export.labels)
        export_format, kind, wanted = ProfileExportFormat(export.format), export.kind, export.sample_type
    with _delete_blobs_if_deleted(context, set_id):
        with context.reading() as session:
            stored = find_set_profiles(session, set_id)
            sample_type = profile_views.get_sample_type(session, set_id, kind, wanted)
            needs_executable = export_format == ProfileExportFormat.STACK_SIZES
            executable = find_set_executable(session, set_id) if needs_executable else None
            is_check = export_format == ProfileExportFormat.PGO_CHECK
            pgo_check = find_check_inputs(session, set_id) if is_check else None
        context.progress("creating the file", 0.2)
        with tempfile.TemporaryDirectory(dir=context.scratch, prefix="export-") as folder:
            out = Path(folder) / "file"
            asked = ProfileExportRequest(export_format, kind, sample_type, labels, executable, pgo_check)
            file = export_profiles(context, stored, asked, out)
            size_bytes = out.stat().st_size
            key = profile_exports.make_export_key(context.team_id, set_id, job.export_id)
            context.blobs.put(key, out)
        with context.finishing() as session:
            if not profile_sets.lock_if_exists(session, set_id):
                raise ProfileSetNotFound("The profile set was deleted.")
            export = profile_exports.get_export(session, job.export_id)
            stored_exports.record_file(export, key, size_bytes, file.name, file.media_type)


def record_set_failure(session: WriteSession, job: OpenProfileSet, failure: JobFailure) -> None:
    """Record on the set why it could not be opened, or on its first view if only that failed."""
    row = profile_sets.get_set(session, job.set_id)
    if row.state != ProfileSetState.DONE:
        failure.record_on(row)
        return
    for view in profile_views.list_views(session, job.set_id):
        if view.state == ViewState.RUNNING and view.job_id == row.job_id:
            failure.record_on(view)


def record_view_failure(
    session: WriteSession, job: BuildProfileView | StoreRemainingChunks, failure: JobFailure
) -> None:
    """Record on the view why it was not built."""
    failure.record_on(profile_views.get_view(session, job.set_id, job.view_id))


def record_export_failure(session: WriteSession, job: ExportProfileSet, failure: JobFailure) -> None:
    """Record on the export why it failed."""
    failure.record_on(profile_exports.get_export(session, job.export_id))
