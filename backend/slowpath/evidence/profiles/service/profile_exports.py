"""Export a profile set as a file."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BlobKey, ProfileExportId, ProfileSetId, TeamId, new_id
from slowpath.core.jobs import JobRow
from slowpath.evidence.profiles.errors import ExportNotFound
from slowpath.evidence.profiles.jobs import ExportProfileSet
from slowpath.evidence.profiles.rules import ProfileExportFormat
from slowpath.evidence.profiles.service import profile_sets, profile_views, stored_exports
from slowpath.evidence.profiles.tables import ProfileExport


@dataclass(frozen=True)
class ExportedSamples:
    """What is exported: a kind and a sample type (None: the default one), of the samples that match the labels."""

    kind: str
    sample_type: str | None
    labels: Sequence[LabelMatcher]


def create_export(
    session: WriteSession, set_id: ProfileSetId, export_format: ProfileExportFormat, samples: ExportedSamples
) -> ProfileExport:
    """Create an export and enqueue its job. Raises `ProfileSetNotFound`, `ProfileSetNotReady`, `NoProfiles`."""
    profile_views.get_sample_type(session, set_id, samples.kind, samples.sample_type)
    export = ProfileExport(
        team_id=session.team_id,
        id=new_id(),
        set_id=set_id,
        format=export_format,
        kind=samples.kind,
        sample_type=samples.sample_type,
        labels=[asdict(matcher) for matcher in samples.labels],
    )
    return stored_exports.create_export(session, export, ExportProfileSet(ProfileExportId(export.id)))


def get_export(session: ReadSession, export_id: ProfileExportId) -> ProfileExport:
    """Return the export. Raises `ExportNotFound`."""
    return stored_exports.get_export(session, ProfileExport, export_id)


def get_export_of_set(session: ReadSession, set_id: ProfileSetId, export_id: ProfileExportId) -> ProfileExport:
    """Return an export of a set. Raises `ProfileSetNotFound`, `ExportNotFound`."""
    profile_sets.get_set(session, set_id)
    row = get_export(session, export_id)
    if row.set_id != set_id:
        raise ExportNotFound("The profile set has no export with this ID.")
    return row


def make_export_key(team_id: TeamId, set_id: ProfileSetId, export_id: ProfileExportId) -> BlobKey:
    """Return the blob key of an export."""
    return BlobKey(f"{profile_sets.blob_prefix(team_id, set_id)}/exports/{export_id}")


def reset_export(session: WriteSession, job: JobRow) -> None:
    """Mark the failed export of a job as waiting."""
    stored_exports.reset(session.get(ProfileExport, (session.team_id, job.subject_id)))
