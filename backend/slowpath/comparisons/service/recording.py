"""Write down what the worker found: the result, the views, the exports, and how they ended badly."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import func

from slowpath.comparisons import queries
from slowpath.comparisons.errors import PartNotFound
from slowpath.comparisons.jobs import CutView
from slowpath.comparisons.rules import ComparisonState, Granularity, ViewState
from slowpath.comparisons.service import asking
from slowpath.comparisons.tables import Comparison, ComparisonView
from slowpath.core.ids import BlobKey, ComparisonId, TeamId, new_id
from slowpath.core.jobs import enqueue
from slowpath.core.sessions import WriteSession


@dataclass(frozen=True)
class CutFiles:
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
class ViewName:
    """Which view: a kind's sample type at a granularity."""

    kind: str
    sample_type: str
    granularity: Granularity


def view_key(team_id: TeamId, comparison_id: ComparisonId, name: ViewName, part: str) -> BlobKey:
    """Return where a part of a view lies. A sample type may be called anything, so its hash stands for it."""
    digest = hashlib.sha256(name.sample_type.encode("utf-8", "replace")).hexdigest()[:16]
    return BlobKey(f"{team_id}/comparisons/{comparison_id}/{name.kind}-{digest}-{name.granularity}/{part}")


def document_key(team_id: TeamId, comparison_id: ComparisonId, part: Part) -> BlobKey:
    """Return where the document of a part lies."""
    return BlobKey(f"{team_id}/comparisons/{comparison_id}/{part}")


def part_key_of(row: Comparison, part: Part) -> BlobKey:
    """Return where the document of a part lies. Raises `PartNotFound`."""
    key = row.parts.get(part)
    if key is None:
        raise PartNotFound(f"The comparison has no {part}.", remedy="Its parts are listed in `parts`.")
    return BlobKey(key)


def begin(session: WriteSession, comparison_id: ComparisonId) -> Comparison:
    """Mark a comparison as being worked on; what was found already stays readable."""
    row = asking.find(session, comparison_id)
    if row.state != ComparisonState.DONE:
        row.state = ComparisonState.RUNNING
        row.problem = None
    return row


@dataclass(frozen=True)
class Found:
    """What a comparison found: its result, all views it has, which of them are being cut, and where documents lie."""

    result: dict[str, Any]
    views: Sequence[tuple[ViewName, Mapping[str, Any]]]
    cutting: Sequence[ViewName] = ()
    documents: Mapping[Part, BlobKey] = field(default_factory=dict)


def record(session: WriteSession, comparison_id: ComparisonId, found: Found) -> None:
    """Write down the result and all its views: those being cut, and the others that are cut when asked for."""
    row = asking.find(session, comparison_id)
    result = found.result
    row.result = result
    row.parts = dict(found.documents.items())
    row.verdict = result["verdict"]
    row.headline = result["headline"]["sentence"]
    row.state = ComparisonState.DONE
    row.problem = None
    row.finished_at = func.clock_timestamp()
    known = {_name(view): view for view in queries.views(session, [comparison_id])}
    for position, (name, described) in enumerate(found.views):
        view = known.get(name)
        if view is None:
            view = ComparisonView(
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
        view.bases = list(described["bases"])
        view.default_basis = described["default_basis"]
        if name in found.cutting:
            view.state = ViewState.RUNNING
            view.problem = None


def record_cut(view: ComparisonView, files: CutFiles) -> None:
    """Write down where the parts of a view lie."""
    view.state = ViewState.DONE
    view.problem = None
    view.all_key = files.all_key
    view.first_key = files.first_key
    view.rest_key = files.rest_key
    view.functions_key = files.functions_key
    view.lines_key = files.lines_key
    view.nodes = files.nodes
    view.functions = files.functions


def ask_for_view(session: WriteSession, view: ComparisonView) -> None:
    """Have a view cut, unless that is under way."""
    view.state = ViewState.WAITING
    view.problem = None
    job = CutView(ComparisonId(view.comparison_id), view.kind, view.sample_type, view.granularity)
    view.job_id = enqueue(session, job)


def end_badly(row: Any, state: ComparisonState, problem: dict[str, Any]) -> None:  # noqa: ANN401 - comparison, view or export
    """Write on a comparison, view or export why it did not come about."""
    row.state = state
    row.problem = problem


def _name(view: ComparisonView) -> ViewName:
    return ViewName(view.kind, view.sample_type, Granularity(view.granularity))
