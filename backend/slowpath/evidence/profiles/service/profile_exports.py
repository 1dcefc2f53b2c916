"""Export a profile set as a file."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from slowpath.analysis.kinds.profiles.label_values import LabelMatcher
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BlobKey, ProfileExportId, ProfileSetId, TeamId, new_id
from slowpath.core.jobs import JobRow, enqueue
from slowpath.evidence.profiles import queries
from slowpath.evidence.profiles.errors import ExportNotFound, ExportNotReady
from slowpath.evidence.profiles.jobs import ExportProfileSet
from slowpath.evidence.profiles.rules import ProfileExportFormat, ProfileSetState
from slowpath.evidence.profiles.service import profile_sets, profile_views
from slowpath.evidence.profiles.tables import ProfileExport

RETRYABLE: Final = (ProfileSetState.FAILED, ProfileSetState.CANCELLED)


def create_export(
    session: WriteSession,
    set_id: ProfileSetId,
    export_format: ProfileExportFormat,
    kind: str,
    labels: Sequence[LabelMatcher],
) -> ProfileExport:
    """Create an export and enqueue its job. Raises `ProfileSetNotFound`, `ProfileSetNotReady`, `NoProfiles`."""
    profile_views.get_default_sample_type(session, set_id, kind)
    export = ProfileExport(
        team_id=session.team_id,
        id=new_id(),
        set_id=set_id,
        format=export_format,
        kind=kind,
        labels=[asdict(matcher) for matcher in labels],
        state=ProfileSetState.WAITING,
        created_by=session.scope.user_id,
    )
    session.add(export)
    export.job_id = enqueue(session, ExportProfileSet(ProfileExportId(export.id)))
    session.flush()  # the response needs the timestamp set by the database
    return export


def get_export(session: ReadSession, export_id: ProfileExportId) -> ProfileExport:
    """Return the export. Raises `ExportNotFound`."""
    row = queries.select_export(session, export_id)
    if row is None:
        raise ExportNotFound("The team has no export with this ID.")
    return row


def get_export_of_set(session: ReadSession, set_id: ProfileSetId, export_id: ProfileExportId) -> ProfileExport:
    """Return an export of a set. Raises `ProfileSetNotFound`, `ExportNotFound`."""
    profile_sets.get_set(session, set_id)
    row = get_export(session, export_id)
    if row.set_id != set_id:
        raise ExportNotFound("The profile set has no export with this ID.")
    return row


def get_content_key(row: ProfileExport) -> BlobKey:
    """Return the blob key of a finished export. Raises `ExportNotReady`."""
    if row.state != ProfileSetState.DONE or row.blob_key is None:
        raise ExportNotReady(f"The export is not finished: its state is {row.state}.", remedy="Wait until it is done.")
    return BlobKey(row.blob_key)


def make_export_key(team_id: TeamId, set_id: ProfileSetId, export_id: ProfileExportId) -> BlobKey:
    """Return the blob key of an export."""
    return BlobKey(f"{profile_sets.blob_prefix(team_id, set_id)}/exports/{export_id}")


def reset_export(session: WriteSession, job: JobRow) -> None:
    """Mark the failed export of a job as waiting."""
    row = queries.select_export(session, ProfileExportId(job.subject_id))
    if row is not None and row.state in RETRYABLE:
        row.state, row.problem = ProfileSetState.WAITING, None
