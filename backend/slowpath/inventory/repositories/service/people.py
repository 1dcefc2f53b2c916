"""People of a commit and of a deployment: authors, reviewers, and owners by the CODEOWNERS file at the commit."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import TooLarge
from slowpath.core.git_ports import GitMirrors, GitObjectReader
from slowpath.core.ids import DeployId, RepositoryId, ServiceId
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.repositories import queries
from slowpath.inventory.repositories.errors import NoFormerDeployment
from slowpath.inventory.repositories.read_models import CommitPeople, DeploymentPeople, OwnersReason, PersonOfCommit
from slowpath.inventory.repositories.rules.code_owners import (
    GITHUB_PATHS,
    GITLAB_PATHS,
    MOST_FILE_BYTES,
    find_owners,
    parse_code_owners,
)
from slowpath.inventory.repositories.rules.commit_people import (
    Person,
    TeamMember,
    find_member,
    find_owner,
    parse_reviewers,
)
from slowpath.inventory.repositories.service import commit_graph, mirror_files, repositories, suspect_commits
from slowpath.inventory.repositories.tables import Commit, Repository
from slowpath.platform.accounts import service as accounts

MOST_MEMBERS: Final = 5_000
MOST_PATHS: Final = 100
"""Changed files whose owners are looked up: the first."""
MOST_OWNERS: Final = 20
MOST_AUTHORS: Final = 20


def get_people(session: ReadSession, mirrors: GitMirrors, repository_id: RepositoryId, sha: str) -> CommitPeople:
    """Return the people of a commit. Raises `RepositoryNotFound`, `CommitNotFound`."""
    row = suspect_commits.get_commit(session, repository_id, sha)
    repository = repositories.get_repository(session, repository_id)
    members = _list_members(session)
    owners, reason = _find_owners(mirrors, repository, row.sha, _list_paths([row]))

    def of(person: Person) -> PersonOfCommit:
        return PersonOfCommit(person, find_member(person, members))

    return CommitPeople(
        repository=repository,
        commit=row,
        author=of(Person(row.author_name, row.author_email)),
        reviewers=[of(one) for one in parse_reviewers(row.message)],
        owners=owners,
        owner_members=list(dict.fromkeys(filter(None, (find_owner(one, members) for one in owners or ())))),
        owners_reason=reason,
        pull_request=queries.select_pull_request(session, repository_id, sha),
    )


def get_deployment_people(session: ReadSession, mirrors: GitMirrors, deployment_id: DeployId) -> DeploymentPeople:
    """Return who changed what a deployment brought.

    Raises `DeploymentNotFound`, `NoFormerDeployment`, `RepositoryNotLinked`, `CommitNotFound`.
    """
    deployment = catalog.deploy(session, deployment_id)
    former = catalog.find_former_deployment(session, deployment)
    if former is None or not former.commit or not deployment.commit:
        raise NoFormerDeployment("The commits of this deployment and of the one before are not both known.")
    found = commit_graph.list_commits_in_range(
        session, ServiceId(deployment.service_id), former.commit, deployment.commit
    )
    counts = Counter(Person(row.author_name, row.author_email) for row in found.commits)
    members = _list_members(session)
    owners, reason = _find_owners(mirrors, found.repository, found.bad, _list_paths(found.commits))
    authors = [
        (PersonOfCommit(person, find_member(person, members)), n) for person, n in counts.most_common(MOST_AUTHORS)
    ]
    return DeploymentPeople(found.good, found.total, found.complete, authors, owners, reason)


def _list_members(session: ReadSession) -> list[TeamMember]:
    rows = accounts.members(session, after=None, limit=MOST_MEMBERS)
    return [TeamMember(user.id, user.name, user.email, tuple(user.code_host_logins)) for _, user in rows]


def _list_paths(rows: Sequence[Commit]) -> list[str]:
    """Return the first changed files of commits, each once."""
    return list(dict.fromkeys(str(file["path"]) for row in rows for file in row.files or ()))[:MOST_PATHS]


def _find_owners(
    mirrors: GitMirrors, repository: Repository, sha: str, paths: Sequence[str]
) -> tuple[Sequence[str] | None, OwnersReason | None]:
    if not paths:
        return None, "no-files"
    with mirror_files.open_commit(mirrors, repository, sha) as objects:
        if objects is None:
            return None, "no-mirror"
        return _read_owners(objects, sha, paths, is_gitlab=repository.kind == "gitlab")


def _read_owners(
    objects: GitObjectReader, sha: str, paths: Sequence[str], *, is_gitlab: bool
) -> tuple[Sequence[str] | None, OwnersReason | None]:
    for place in GITLAB_PATHS if is_gitlab else GITHUB_PATHS:
        try:
            text = mirror_files.read_file(objects, sha, place, max_bytes=MOST_FILE_BYTES)
        except TooLarge:
            return None, "too-large"
        if text is not None:
            rules = parse_code_owners(text, with_sections=is_gitlab)
            owners = [owner for path in paths for owner in find_owners(rules, path)]
            return list(dict.fromkeys(owners))[:MOST_OWNERS], None
    return None, "no-code-owners"
