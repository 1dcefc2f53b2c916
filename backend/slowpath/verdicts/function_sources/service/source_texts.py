"""Read the text of a function at one commit from the mirrors of repositories, with the cost of each line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from slowpath.analysis.formats.go_declarations import Declaration, find_declaration, parse_declared_function
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import NotFound, TooLarge
from slowpath.core.git_ports import GitMirrors, GitObjectReader
from slowpath.inventory.repositories.read_models import code_host_of
from slowpath.inventory.repositories.rules.code_host_links import make_file_link
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
from slowpath.verdicts.function_sources.read_models import FunctionSource, SideCommit, TextLine
from slowpath.verdicts.function_sources.rules import (
    LineRange,
    find_declared_lines,
    find_function_lines,
    split_lines,
)

Costs = Sequence[TextLine]
"""The measured lines, without their text."""


@dataclass(frozen=True)
class _FunctionCosts:
    """A function and its measured lines."""

    function: str
    costs: Costs


def read_function_source(
    session: ReadSession, mirrors: GitMirrors, file: str, function: str, *, side: SideCommit, costs: Costs
) -> FunctionSource:
    """Return the source of a function at the commit of a side; `file` is its file as profiles name it."""
    tree = service_sources.find_service_tree(session, mirrors, side.service_id, side.commit)
    built = BuiltModule(tree.module, tree.directory, tree.main_package, side.dependencies, side.go_version)
    place = place_source_file(file, function, built)
    if place is None and side.commit is None and tree.module is None:
        return FunctionSource(reason=side.reason)
    if place is None:
        known = tree.has_go_mod or tree.repository is None or not is_safe_path(file.removeprefix("/"))
        return FunctionSource(tree.repository, commit=tree.sha, reason="unknown-file" if known else "no-mirror")
    if place.origin == "service":
        return _read_service_file(mirrors, side, tree, place, _FunctionCosts(function, costs))
    version = side.dependencies.get(place.module, place.version)
    if " => " not in (version or ""):  # the file name may be of the other side
        place = replace(place, version=version)
    if place.version is None:
        return FunctionSource(place=place, reason="no-version")
    return _read_module_file(session, mirrors, place, place.version, _FunctionCosts(function, costs))


def _read_service_file(
    mirrors: GitMirrors, side: SideCommit, tree: ServiceSourceTree, place: SourcePlace, measured: _FunctionCosts
) -> FunctionSource:
    found = FunctionSource(tree.repository, place, tree.sha, place.path, tree.directory)
    if side.commit is None:
        return replace(found, reason=side.reason)
    if tree.repository is None:
        return replace(found, reason="no-repository")
    if tree.sha is None:
        return replace(found, reason="unknown-commit")
    found = _with_link(found, tree.repository, tree.sha, measured.costs)
    with mirror_files.open_commit(mirrors, tree.repository, tree.sha) as objects:
        return _with_text(found, objects, [place.path], measured)


def _read_module_file(
    session: ReadSession, mirrors: GitMirrors, place: SourcePlace, version: str, measured: _FunctionCosts
) -> FunctionSource:
    module = "github.com/golang/go" if place.origin == "standard-library" else place.module
    repository = mirror_files.find_module_repository(session, module)
    root = module_root((repository.url or "") if repository else "") or "/".join(module.split("/")[:3])
    directories = list_module_directories(module, root)
    paths = [f"{directory}/{place.path}".lstrip("/") for directory in directories]
    if repository is None:
        host, ref = find_public_host(module), make_module_ref(version, directories[0])
        url = None if host is None else make_file_link(host, ref, paths[0], *_extent(measured.costs))
        return FunctionSource(None, place, None, paths[0], url=url, reason="no-repository")
    try:
        sha = mirror_files.open_history(mirrors, repository).version(version, module)
    except NotFound:
        found = FunctionSource(repository, place, None, paths[0], reason="no-version")
        return _with_link(found, repository, make_module_ref(version, directories[0]), measured.costs)
    found = _with_link(FunctionSource(repository, place, sha, paths[0]), repository, sha, measured.costs)
    with mirror_files.open_commit(mirrors, repository, sha) as objects:
        found = _with_text(found, objects, paths, measured)
    below = "src" if place.origin == "standard-library" else (found.path or "").removesuffix(place.path).rstrip("/")
    return replace(found, module_directory=below)


def _with_link(found: FunctionSource, repository: Repository, ref: str, costs: Costs) -> FunctionSource:
    return replace(found, url=make_file_link(code_host_of(repository), ref, found.path or "", *_extent(costs)))


def _with_text(
    found: FunctionSource, objects: GitObjectReader | None, paths: Sequence[str], measured: _FunctionCosts
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
    found, declared = replace(found, path=path), parse_declared_function(measured.function)
    if declared is None or not path.endswith(".go"):
        return cut_function(found, text, None, measured.costs)
    declaration = find_declaration(text, declared)
    if declaration is None and all(one.total_value == 0 for one in measured.costs):
        return replace(found, url=None, reason="not-declared")  # the numbers of lines are of the other side
    return cut_function(found, text, declaration, measured.costs)


def cut_function(found: FunctionSource, text: str, declaration: Declaration | None, costs: Costs) -> FunctionSource:
    """Return a source with the lines of the function and their costs: those of its declaration, else around measured ones."""
    lines = split_lines(text)
    measured = [one.number for one in costs if one.total_value != 0] or [one.number for one in costs]
    if declaration is not None:
        extent: LineRange | None = find_declared_lines(lines, declaration.first, declaration.last, measured)
    else:
        extent = find_function_lines(lines, measured)
    if extent is None:
        return replace(found, reason="no-lines")
    values = {one.number: one for one in costs}
    unmeasured = TextLine(0, "", 0.0, 0.0, None if any(one.attributed_value is None for one in costs) else 0.0)
    shown = [
        replace(values.get(number, unmeasured), number=number, text=lines[number - 1])
        for number in range(extent.first, extent.last + 1)
    ]
    assert found.repository is not None  # the text was read from its mirror
    host, commit, path = code_host_of(found.repository), found.commit or "", found.path or ""
    url = make_file_link(host, commit, path, extent.first, extent.last)
    is_declared = declaration is not None
    return replace(found, url=url, lines=shown, is_truncated=extent.is_truncated, is_declared=is_declared)


def _extent(costs: Costs) -> tuple[int | None, int | None]:
    numbers = [one.number for one in costs if one.number > 0]
    return (min(numbers), max(numbers)) if numbers else (None, None)
