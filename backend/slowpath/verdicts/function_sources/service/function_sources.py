"""Read the source text of a function on both sides of a comparison from the mirrors of repositories."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import NotFound, TooLarge
from slowpath.core.git_ports import GitMirrors, GitObjectReader
from slowpath.core.ids import ComparisonId
from slowpath.core.ports import BlobStore
from slowpath.evidence.profiles.service import stored_views
from slowpath.inventory.repositories.read_models import code_host_of
from slowpath.inventory.repositories.rules.code_host_links import make_comparison_link, make_file_link
from slowpath.inventory.repositories.rules.source_paths import (
    BuiltModule,
    SourcePlace,
    find_public_host,
    is_safe_path,
    list_module_directories,
    make_module_ref,
    module_root,
    place_source_file,
)
from slowpath.inventory.repositories.service import mirror_files, service_sources
from slowpath.inventory.repositories.service.service_sources import ServiceSourceTree
from slowpath.inventory.repositories.tables import Repository
from slowpath.verdicts.comparisons.rules import Side
from slowpath.verdicts.comparisons.service import diff_views
from slowpath.verdicts.function_sources.read_models import FunctionSource, FunctionSources, SideCommit, TextLine
from slowpath.verdicts.function_sources.rules import find_changed_lines, find_function_lines, split_lines
from slowpath.verdicts.function_sources.service.side_commits import get_side_commits


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
    sides = get_side_commits(session, comparison_id, takes_newest=True)
    file = stored_views.find_function_file(view, blobs, function)
    if file is None:
        return FunctionSources(FunctionSource(reason="no-file"), FunctionSource(reason="no-file"), None)
    costs = stored_views.list_source_lines(view, blobs, function)
    read = partial(_read_side, session, mirrors, file, function)
    base = read(
        side=sides[Side.BASE],
        costs=[
            TextLine(one.line, "", one.base_self, one.base_total, one.base_attributed, one.base_inlined)
            for one in costs
        ],
    )
    candidate = read(
        side=sides[Side.CANDIDATE],
        costs=[
            TextLine(
                one.line,
                "",
                one.candidate_self,
                one.candidate_total,
                one.candidate_attributed,
                one.candidate_inlined,
            )
            for one in costs
        ],
    )
    return _mark(
        replace(base, commits=sides[Side.BASE].commits), replace(candidate, commits=sides[Side.CANDIDATE].commits)
    )


def _mark(base: FunctionSource, candidate: FunctionSource) -> FunctionSources:
    """Mark the changed lines if both texts are known, and link the difference of two commits of one repository."""
    if base.lines and candidate.lines:
        changed = find_changed_lines([one.text for one in base.lines], [one.text for one in candidate.lines])
        base, candidate = (
            replace(side, lines=[replace(one, is_changed=at in marked) for at, one in enumerate(side.lines)])
            for side, marked in zip((base, candidate), changed, strict=True)
        )
    url, one, other = None, base.repository, candidate.repository
    if one is not None and other is not None and one.id == other.id and base.commit and candidate.commit:
        url = make_comparison_link(code_host_of(one), base.commit, candidate.commit)
    return FunctionSources(base, candidate, url)


Costs = Sequence[TextLine]
"""The measured lines, without their text."""


def _read_side(
    session: ReadSession, mirrors: GitMirrors, file: str, function: str, *, side: SideCommit, costs: Costs
) -> FunctionSource:
    tree = service_sources.find_service_tree(session, mirrors, side.service_id, side.commit)
    built = BuiltModule(tree.module, tree.directory, tree.main_package, side.dependencies, side.go_version)
    place = place_source_file(file, function, built)
    if place is None and side.commit is None and tree.module is None:
        return FunctionSource(reason=side.reason)
    if place is None:
        known = tree.has_go_mod or tree.repository is None or not is_safe_path(file.removeprefix("/"))
        return FunctionSource(tree.repository, commit=tree.sha, reason="unknown-file" if known else "no-mirror")
    if place.origin == "service":
        return _read_service_file(mirrors, side, tree, place, costs)
    version = side.dependencies.get(place.module, place.version)
    if " => " not in (version or ""):  # the file name may be of the other side
        place = replace(place, version=version)
    if place.version is None:
        return FunctionSource(place=place, reason="no-version")
    return _read_module_file(session, mirrors, place, place.version, costs)


def _read_service_file(
    mirrors: GitMirrors, side: SideCommit, tree: ServiceSourceTree, place: SourcePlace, costs: Costs
) -> FunctionSource:
    found = FunctionSource(tree.repository, place, tree.sha, place.path)
    if side.commit is None:
        return replace(found, reason=side.reason)
    if tree.repository is None:
        return replace(found, reason="no-repository")
    if tree.sha is None:
        return replace(found, reason="unknown-commit")
    found = _with_link(found, tree.repository, tree.sha, costs)
    with mirror_files.open_commit(mirrors, tree.repository, tree.sha) as objects:
        return _with_text(found, objects, [place.path], costs)


def _read_module_file(
    session: ReadSession, mirrors: GitMirrors, place: SourcePlace, version: str, costs: Costs
) -> FunctionSource:
    module = "github.com/golang/go" if place.origin == "standard-library" else place.module
    repository = mirror_files.find_module_repository(session, module)
    root = module_root((repository.url or "") if repository else "") or "/".join(module.split("/")[:3])
    directories = list_module_directories(module, root)
    paths = [f"{directory}/{place.path}".lstrip("/") for directory in directories]
    if repository is None:
        host, ref = find_public_host(module), make_module_ref(version, directories[0])
        url = None if host is None else make_file_link(host, ref, paths[0], *_extent(costs))
        return FunctionSource(None, place, None, paths[0], url, reason="no-repository")
    try:
        sha = mirror_files.open_history(mirrors, repository).version(version, module)
    except NotFound:
        found = FunctionSource(repository, place, None, paths[0], reason="no-version")
        return _with_link(found, repository, make_module_ref(version, directories[0]), costs)
    found = _with_link(FunctionSource(repository, place, sha, paths[0]), repository, sha, costs)
    with mirror_files.open_commit(mirrors, repository, sha) as objects:
        return _with_text(found, objects, paths, costs)


def _with_link(found: FunctionSource, repository: Repository, ref: str, costs: Costs) -> FunctionSource:
    return replace(found, url=make_file_link(code_host_of(repository), ref, found.path or "", *_extent(costs)))


def _with_text(
    found: FunctionSource, objects: GitObjectReader | None, paths: Sequence[str], costs: Costs
) -> FunctionSource:
    repository, commit = found.repository, found.commit
    if objects is None or commit is None or repository is None:
        pushed = repository is not None and repository.url is None
        return replace(found, reason="not-fetched" if pushed else "no-mirror")
    try:
        read = ((path, mirror_files.read_file(objects, commit, path)) for path in paths)
        path, text = next(((path, text) for path, text in read if text is not None), (None, None))
    except TooLarge:
        return replace(found, reason="too-large")
    if path is None or text is None:
        return replace(found, reason="not-in-repository")
    lines = split_lines(text)
    measured = [one.number for one in costs if one.total_value != 0]
    extent = find_function_lines(lines, measured or [one.number for one in costs])
    if extent is None:
        return replace(found, path=path, reason="no-lines")
    values = {one.number: one for one in costs}
    unmeasured = TextLine(0, "", 0.0, 0.0, None if any(one.attributed_value is None for one in costs) else 0.0)
    shown = [
        replace(values.get(number, unmeasured), number=number, text=lines[number - 1])
        for number in range(extent.first, extent.last + 1)
    ]
    found = replace(found, path=path, lines=shown, is_truncated=extent.is_truncated)
    url = make_file_link(code_host_of(repository), commit, path, extent.first, extent.last)
    return replace(found, url=url)


def _extent(costs: Costs) -> tuple[int | None, int | None]:
    numbers = [one.number for one in costs if one.number > 0]
    return (min(numbers), max(numbers)) if numbers else (None, None)
