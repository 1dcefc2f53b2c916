"""Find the repository, commit and module of a service's source."""

from dataclasses import dataclass

from slowpath.core.db_sessions import ReadSession
from slowpath.core.git_ports import GitMirrors
from slowpath.core.ids import RepositoryId, ServiceId
from slowpath.inventory.repositories import queries
from slowpath.inventory.repositories.rules import SHA
from slowpath.inventory.repositories.rules.source_paths import module_root
from slowpath.inventory.repositories.service import commit_graph, mirror_files
from slowpath.inventory.repositories.tables import Repository


@dataclass(frozen=True)
class ServiceSourceTree:
    """Where a service's source is at a commit; what is unknown is None.

    `sha` has 40 digits. `module` is the path in its go.mod, without a mirror the path that the URL suggests; `directory` the module's directory in the repository and
    `main_package` the directory of package main below it.
    """

    repository: Repository | None = None
    sha: str | None = None
    module: str | None = None
    directory: str = ""
    main_package: str = ""
    has_go_mod: bool = False


def find_service_tree(
    session: ReadSession, mirrors: GitMirrors, service_id: ServiceId | None, commit: str | None
) -> ServiceSourceTree:
    """Return the source of a service at a commit; without a service, of the only repository with the commit."""
    link = None if service_id is None else queries.service_repository(session, service_id)
    if link is None:
        having = queries.select_repositories_with_commit(session, commit) if commit and SHA.fullmatch(commit) else ()
        if len(having) != 1:
            return ServiceSourceTree()
        repository, directory, main_package = having[0], "", ""
    else:
        found = queries.repository(session, RepositoryId(link.repository_id))
        assert found is not None  # the link refers to it
        repository, directory, main_package = found, link.directory, link.main_package
    sha = _resolve(session, repository, commit)
    module = None
    if sha is not None:
        with mirror_files.open_commit(mirrors, repository, sha) as objects:
            module = None if objects is None else mirror_files.read_module_path(objects, sha, directory)
    is_read = module is not None
    if module is None and repository.url is not None and (root := module_root(repository.url)) is not None:
        module = f"{root}/{directory}".rstrip("/")
    return ServiceSourceTree(repository, sha, module, directory, main_package, has_go_mod=is_read)


def _resolve(session: ReadSession, repository: Repository, commit: str | None) -> str | None:
    """Return the full SHA of a commit: a known one, or any full one, which the code host may know."""
    if commit is None:
        return None
    known = commit_graph.resolve_commits(session, RepositoryId(repository.id), [commit])
    return known.get(commit) or (commit.lower() if SHA.fullmatch(commit.lower()) else None)
