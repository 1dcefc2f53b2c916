"""People of a commit and of a deployment: authors, reviewers, and owners by the CODEOWNERS file at the commit.

Reviewers are those whom trailers of commits name, and those who reviewed the pull request at the code host.
"""

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
from slowpath.inventory.repositories.service import (
    commit_graph,
    mirror_files,
    pull_requests,
    repositories,
    suspect_commits,
)
from slowpath.inventory.repositories.tables import Commit, PullRequest, Repository
from slowpath.platform.accounts import service as accounts

MOST_MEMBERS: Final = 5_000
MOST_PATHS: Final = 100
"""Changed files whose owners are looked up: the first."""
MOST_OWNERS: Final = 20
MOST_AUTHORS: Final = 20
"""Authors of a deployment, and as many reviewers."""


def get_people(session: ReadSession, mirrors: GitMirrors, repository_id: RepositoryId, sha: str) -> CommitPeople:
    """Return the people of a commit. Raises `RepositoryNotFound`, `CommitNotFound`."""
    row = suspect_commits.get_commit(session, repository_id, sha)
    repository = repositories.get_repository(session, repository_id)
    members = _list_members(session)
    owners, reason = _find_owners(mirrors, repository, row.sha, _list_paths([row]))
    pull = pull_requests.find_pull_request(session, repository_id, row)
    built = queries.select_built_pull_request(session, repository_id, sha)

    return CommitPeople(
        repository=repository,
        commit=row,
        author=_of(Person(row.author_name, row.author_email), members),
        reviewers=_list_reviewers(row, pull, members),
        owners=owners,
        owner_members=list(dict.fromkeys(filter(None, (find_owner(one, members) for one in owners or ())))),
        owners_reason=reason,
        pull_request=built if pull is None else {"number": pull.number, "url": pull.url},
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
    pulls = pull_requests.list_pull_requests(session, RepositoryId(found.repository.id), found.commits)
    reviews = Counter(one for row in found.commits for one in _list_reviewers(row, pulls.get(row.sha), members))
    owners, reason = _find_owners(mirrors, found.repository, found.bad, _list_paths(found.commits))
    authors = [(_of(person, members), n) for person, n in counts.most_common(MOST_AUTHORS)]
    return DeploymentPeople(
        found.good, found.total, found.complete, authors, reviews.most_common(MOST_AUTHORS), owners, reason
    )


def _of(person: Person, members: Sequence[TeamMember]) -> PersonOfCommit:
    return PersonOfCommit(person, find_member(person, members))


def _list_reviewers(row: Commit, pull: PullRequest | None, members: Sequence[TeamMember]) -> list[PersonOfCommit]:
    """Return the reviewers of a commit, each once: a member may have several names."""
    reviewed = [] if pull is None else pull_requests.list_reviewers(pull)
    persons = [
        *parse_reviewers(row.message),
        *(Person(one.name or one.login, one.email, one.login) for one in reviewed),
    ]
    found: dict[object, PersonOfCommit] = {}
    for each in (_of(person, members) for person in persons):
        found.setdefault(each.member or each.person.name.casefold(), each)
    return list(found.values())


def _list_members(session: ReadSession) -> list[TeamMember]:
    rows = accounts.members(session, after=None, limit=MOST_MEMBERS)
    return [TeamMember(user.id, user.name, user.email, tuple(user.code_host_logins)) for _, user, _ in rows]


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
