"""Record and read what the worker computed: results, views, documents, failures."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pydantic import TypeAdapter
from sqlalchemy import func

from slowpath.analysis.comparison.comparison_document import ComparisonDocument
from slowpath.analysis.comparison.comparison_versions import upgrade_comparison
from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.profiles.views.diff_view_inputs import DiffViewSummary
from slowpath.analysis.kinds.registry import PageSection
from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BlobKey, ComparisonId, TeamId, new_id
from slowpath.core.jobs import enqueue
from slowpath.evidence.profiles.rules import Granularity, ViewState
from slowpath.verdicts.comparisons import queries
from slowpath.verdicts.comparisons.errors import ArtifactKindNotCompared
from slowpath.verdicts.comparisons.jobs import BuildDiffView
from slowpath.verdicts.comparisons.rules import ComparisonState
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.comparisons.tables import Comparison, DiffView

_DOCUMENTS: Final = TypeAdapter(ComparisonDocument)


def find_document(row: Comparison) -> ComparisonDocument | None:
    """Return the result of a comparison, whichever version of the format is stored.

    None before it is computed.
    """
    return None if row.result is None else _DOCUMENTS.validate_python(upgrade_comparison(row.result))


def list_findings(row: Comparison) -> tuple[Finding, ...]:
    """Return the findings of a comparison; none before it is computed."""
    document = find_document(row)
    return () if document is None else document.findings


@dataclass(frozen=True)
class DiffViewKey:
    """A view: a sample type of a kind at a granularity."""

    kind: str
    sample_type: str
    granularity: Granularity


def make_view_key(team_id: TeamId, comparison_id: ComparisonId, name: DiffViewKey, part: str) -> BlobKey:
    """Return the blob key of a part of a view.

    It contains a hash of the sample type, whose name can be any text.
    """
    digest = hashlib.sha256(name.sample_type.encode("utf-8", "replace")).hexdigest()[:16]
    return BlobKey(f"{team_id}/comparisons/{comparison_id}/{name.kind}-{digest}-{name.granularity}/{part}")


def make_document_key(team_id: TeamId, comparison_id: ComparisonId, part: PageSection) -> BlobKey:
    """Return the blob key of the document of a part."""
    return BlobKey(f"{team_id}/comparisons/{comparison_id}/{part}")


def get_document_key(row: Comparison, part: PageSection) -> BlobKey:
    """Return the stored blob key of the document of a part. Raises `ArtifactKindNotCompared`."""
    key = row.artifact_kinds.get(part)
    if key is None:
        raise ArtifactKindNotCompared(
            f"The comparison has no result of {part}.", remedy="Use one of the kinds listed in `parts`."
        )
    return BlobKey(key)


def mark_running(session: WriteSession, comparison_id: ComparisonId) -> Comparison:
    """Mark a comparison as running; an earlier result stays readable. Raises `ComparisonNotFound`."""
    comparisons.lock_comparison(session, comparison_id)
    row = comparisons.get_comparison(session, comparison_id)
    if row.state != ComparisonState.DONE:
        row.state = ComparisonState.RUNNING
        row.problem = None
    return row


@dataclass(frozen=True)
class ComparisonResult:
    """What the worker computed: the result, all views, which of them are being built, keys of documents."""

    result: ComparisonDocument
    views: Sequence[tuple[DiffViewKey, DiffViewSummary]]
    cutting: Sequence[DiffViewKey] = ()
    documents: Mapping[PageSection, BlobKey] = field(default_factory=dict)


def record_result(session: WriteSession, comparison_id: ComparisonId, found: ComparisonResult) -> None:
    """Record the result and all its views: those being built, and the others, which are built on request."""
    row = comparisons.get_comparison(session, comparison_id)
    result = found.result
    row.result = json.loads(dump_document(result))
    row.artifact_kinds = dict(found.documents.items())
    row.verdict = result.verdict
    row.headline = result.headline.sentence
    row.state = ComparisonState.DONE
    row.problem = None
    row.finished_at = func.clock_timestamp()
    known = {_name(view): view for view in queries.select_views(session, [comparison_id])}
    for position, (name, described) in enumerate(found.views):
        view = known.get(name)
        if view is None:
            view = DiffView(
                team_id=session.team_id,
                id=new_id(),
                comparison_id=comparison_id,
                kind=name.kind,
                sample_type=name.sample_type,
                unit=described.unit,
                granularity=name.granularity,
                position=position,
            )
            session.add(view)
        view.normalizations = list(described.normalizations)
        view.default_normalization = described.default_normalization
        if name in found.cutting:
            view.state = ViewState.RUNNING
            view.problem = None


def enqueue_view(session: WriteSession, view: DiffView) -> None:
    """Enqueue the job that builds a view."""
    view.state = ViewState.WAITING
    view.problem = None
    job = BuildDiffView(ComparisonId(view.comparison_id), view.kind, view.sample_type, view.granularity)
    view.job_id = enqueue(session, job)


def _name(view: DiffView) -> DiffViewKey:
    return DiffViewKey(view.kind, view.sample_type, Granularity(view.granularity))
