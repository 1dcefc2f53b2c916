"""Read the source of a function on both sides of a comparison, also if it is in another file on one of them."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final
from uuid import UUID

from slowpath.analysis.formats.go_declarations import parse_declared_function
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import InvalidRequest, NotFound, TooLarge, UpstreamUnavailable
from slowpath.core.git_ports import GitMirrors
from slowpath.core.ids import ComparisonId
from slowpath.core.ports import BlobStore
from slowpath.evidence.profiles.service import stored_views
from slowpath.evidence.profiles.tables import StoredView
from slowpath.inventory.repositories.read_models import code_host_of
from slowpath.inventory.repositories.rules.code_host_links import make_comparison_link
from slowpath.inventory.repositories.service import mirror_files
from slowpath.verdicts.comparisons.rules import Side
from slowpath.verdicts.comparisons.service import diff_views
from slowpath.verdicts.function_sources.read_models import (
    FunctionMove,
    FunctionSource,
    FunctionSources,
    SourceReason,
    TextLine,
)
from slowpath.verdicts.function_sources.rules import find_changed_lines, name_moved_function
from slowpath.verdicts.function_sources.service.moved_functions import MovedText, find_moved_text
from slowpath.verdicts.function_sources.service.side_commits import get_side_commits
from slowpath.verdicts.function_sources.service.source_texts import Costs, cut_function, read_function_source

MOVED_REASONS: Final[frozenset[SourceReason | None]] = frozenset(
    {None, "not-in-repository", "not-declared", "no-lines"}
)
"""What is found of a function in the file of the other side, if it is in another one."""


def get_function_sources(
    session: ReadSession,
    mirrors: GitMirrors,
    blobs: BlobStore,
    comparison_id: ComparisonId,
    *,
    view_id: UUID,
    function: str,
) -> FunctionSources:
    """Return the source of a function on both sides. Raises `ComparisonNotFound`, `ViewNotFound`, `ViewNotReady`."""
    view = diff_views.get_view(session, comparison_id, view_id)
    commits = get_side_commits(session, comparison_id, takes="newest")
    file = stored_views.find_function_file(view, blobs, function)
    if file is None:
        return FunctionSources(FunctionSource(reason="no-file"), FunctionSource(reason="no-file"))
    costs = _list_costs(view, blobs, function)
    read = {
        side: replace(
            read_function_source(session, mirrors, file, function, side=commits[side], costs=costs[side]),
            commits=commits[side].commits,
        )
        for side in Side
    }
    missing = _find_missing_side(read)
    if missing is None:
        return _mark(read[Side.BASE], read[Side.CANDIDATE])
    known = read[Side.BASE if missing is Side.CANDIDATE else Side.CANDIDATE]
    moved = _find_move(mirrors, known, read[missing], function)
    if moved is None:
        return _mark(read[Side.BASE], read[Side.CANDIDATE])
    name = _name_moved(known, moved, function)
    found = replace(read[missing], path=moved.path, place=read[missing].place or known.place, reason=None)
    read[missing] = cut_function(
        found, moved.text, moved.declaration, _list_costs(view, blobs, name or function)[missing]
    )
    names = {side: name if side is missing else function for side in Side}
    return replace(
        _mark(read[Side.BASE], read[Side.CANDIDATE]),
        move=FunctionMove(
            read[Side.BASE].path or "", read[Side.CANDIDATE].path or "", names[Side.BASE], names[Side.CANDIDATE]
        ),
    )


def _list_costs(view: StoredView, blobs: BlobStore, function: str) -> dict[Side, Costs]:
    """Return the measured lines of a function by side."""
    lines = stored_views.list_source_lines(view, blobs, function)
    return {
        Side.BASE: [
            TextLine(one.line, "", one.base_self, one.base_total, one.base_attributed, one.base_inlined)
            for one in lines
        ],
        Side.CANDIDATE: [
            TextLine(
                one.line, "", one.candidate_self, one.candidate_total, one.candidate_attributed, one.candidate_inlined
            )
            for one in lines
        ],
    }


def _find_missing_side(read: Mapping[Side, FunctionSource]) -> Side | None:
    """Return the side whose file does not declare the function, while that of the other side does."""
    missing = [side for side in Side if not read[side].is_declared]
    if len(missing) != 1 or read[missing[0]].reason not in MOVED_REASONS:
        return None
    return missing[0] if _are_commits_of_one_repository(read[Side.BASE], read[Side.CANDIDATE]) else None


def _find_move(mirrors: GitMirrors, known: FunctionSource, other: FunctionSource, function: str) -> MovedText | None:
    """Return the file of the function at the commit of the other side; None if no file that differs declares it."""
    declared, repository = parse_declared_function(function), other.repository
    if declared is None or repository is None or known.commit is None or other.commit is None:
        return None
    try:
        changes = mirror_files.open_history(mirrors, repository).list_changed_files(known.commit, other.commit)
    except (NotFound, InvalidRequest, TooLarge, UpstreamUnavailable):
        return None
    with mirror_files.open_commit(mirrors, repository, other.commit) as objects:
        lines = [one.text for one in known.lines]
        return None if objects is None else find_moved_text(objects, changes, declared, known.path or "", lines)


def _name_moved(known: FunctionSource, moved: MovedText, function: str) -> str | None:
    """Return the name of the function in its other file: that of its package follows from the directory."""
    place = known.place
    if place is None or (place.module == "main" and moved.declaration.package != "main"):
        return None  # the path of the module is unknown
    module = "" if place.origin == "standard-library" else place.module
    return name_moved_function(function, moved.declaration.package, module, known.module_directory, moved.path)


def _mark(base: FunctionSource, candidate: FunctionSource) -> FunctionSources:
    """Mark the changed lines if both texts are known, and link the difference of two commits of one repository."""
    if base.lines and candidate.lines:
        changed = find_changed_lines([one.text for one in base.lines], [one.text for one in candidate.lines])
        base, candidate = (
            replace(side, lines=[replace(one, is_changed=at in marked) for at, one in enumerate(side.lines)])
            for side, marked in zip((base, candidate), changed, strict=True)
        )
    url = None
    if _are_commits_of_one_repository(base, candidate) and base.repository is not None:
        url = make_comparison_link(code_host_of(base.repository), base.commit or "", candidate.commit or "")
    return FunctionSources(base, candidate, url)


def _are_commits_of_one_repository(base: FunctionSource, candidate: FunctionSource) -> bool:
    one, other = base.repository, candidate.repository
    return bool(one is not None and other is not None and one.id == other.id and base.commit and candidate.commit)
