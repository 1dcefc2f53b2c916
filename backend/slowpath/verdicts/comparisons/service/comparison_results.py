"""Write down what the worker found: the result, the views, the exports, and how they ended badly."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import func

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BlobKey, ComparisonId, TeamId, new_id
from slowpath.core.jobs import enqueue
from slowpath.verdicts.comparisons import queries
from slowpath.verdicts.comparisons.errors import ArtifactKindNotCompared
from slowpath.verdicts.comparisons.jobs import BuildDiffView
from slowpath.verdicts.comparisons.rules import ComparisonState, DiffViewState, Granularity
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.comparisons.tables import Comparison, DiffView


@dataclass(frozen=True)
class DiffViewFiles:
    """Where the parts of a view lie, and how much they hold."""

    all_key: BlobKey
    first_key: BlobKey
    rest_key: BlobKey | None
    functions_key: BlobKey
    lines_key: BlobKey
    nodes: int
    functions: int


Part = Literal["traces", "spans", "growth", "benchmarks"]
"""What is compared beside profiles; each has a document of its own for the page."""


@dataclass(frozen=True)
class DiffViewKey:
    """Which view: a kind's sample type at a granularity."""

    kind: str
    sample_type: str
    granularity: Granularity


def view_key(team_id: TeamId, comparison_id: ComparisonId, name: DiffViewKey, part: str) -> BlobKey:
    """Return where a part of a view lies. A sample type may be called anything, so its hash stands for it."""
    digest = hashlib.sha256(name.sample_type.encode("utf-8", "replace")).hexdigest()[:16]
    return BlobKey(f"{team_id}/comparisons/{comparison_id}/{name.kind}-{digest}-{name.granularity}/{part}")


def document_key(team_id: TeamId, comparison_id: ComparisonId, part: Part) -> BlobKey:
    """Return where the document of a part lies."""
    return BlobKey(f"{team_id}/comparisons/{comparison_id}/{part}")


def part_key_of(row: Comparison, part: Part) -> BlobKey:
    """Return where the document of a part lies. Raises `ArtifactKindNotCompared`."""
    key = row.artifact_kinds.get(part)
    if key is None:
        raise ArtifactKindNotCompared(f"The comparison has no {part}.", remedy="Its parts are listed in `parts`.")
    return BlobKey(key)


def mark_running(session: WriteSession, comparison_id: ComparisonId) -> Comparison:
    """Mark a comparison as being worked on; what was found already stays readable."""
    row = comparisons.get_comparison(session, comparison_id)
    if row.state != ComparisonState.DONE:
        row.state = ComparisonState.RUNNING
        row.problem = None
    return row


@dataclass(frozen=True)
class ComparisonResult:
    """What a comparison found: its result, all views it has, which of them are being cut, and where documents lie."""

    result: dict[str, Any]
    views: Sequence[tuple[DiffViewKey, Mapping[str, Any]]]
    cutting: Sequence[DiffViewKey] = ()
    documents: Mapping[Part, BlobKey] = field(default_factory=dict)


def record_result(session: WriteSession, comparison_id: ComparisonId, found: ComparisonResult) -> None:
    """Write down the result and all its views: those being cut, and the others that are cut when asked for."""
    row = comparisons.get_comparison(session, comparison_id)
    result = found.result
    row.result = result
    row.artifact_kinds = dict(found.documents.items())
    row.verdict = result["verdict"]
    row.headline = result["headline"]["sentence"]
    row.state = ComparisonState.DONE
    row.problem = None
    row.finished_at = func.clock_timestamp()
    known = {_name(view): view for view in queries.views(session, [comparison_id])}
    for position, (name, described) in enumerate(found.views):
        view = known.get(name)
        if view is None:
            view = DiffView(
                team_id=session.team_id,
                id=new_id(),
                comparison_id=comparison_id,
                kind=name.kind,
                sample_type=name.sample_type,
                unit=described["unit"],
                granularity=name.granularity,
                position=position,
            )
            session.add(view)
        view.normalizations = list(described["bases"])
        view.default_normalization = described["default_basis"]
        if name in found.cutting:
            view.state = DiffViewState.RUNNING
            view.problem = None


def record_view_files(view: DiffView, files: DiffViewFiles) -> None:
    """Write down where the parts of a view lie."""
    view.state = DiffViewState.DONE
    view.problem = None
    view.full_blob_key = files.all_key
    view.head_blob_key = files.first_key
    view.tail_blob_key = files.rest_key
    view.functions_key = files.functions_key
    view.lines_key = files.lines_key
    view.nodes = files.nodes
    view.functions = files.functions


def enqueue_view(session: WriteSession, view: DiffView) -> None:
    """Have a view cut, unless that is under way."""
    view.state = DiffViewState.WAITING
    view.problem = None
    job = BuildDiffView(ComparisonId(view.comparison_id), view.kind, view.sample_type, view.granularity)
    view.job_id = enqueue(session, job)


def record_failure(row: Any, state: ComparisonState, problem: dict[str, Any]) -> None:  # noqa: ANN401 - comparison, view or export
    """Write on a comparison, view or export why it did not come about."""
    row.state = state
    row.problem = problem


def _name(view: DiffView) -> DiffViewKey:
    return DiffViewKey(view.kind, view.sample_type, Granularity(view.granularity))
