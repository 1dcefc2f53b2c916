"""People of a commit: author, reviewers, and owners by the CODEOWNERS file at the commit."""

from collections.abc import Sequence
from typing import Final

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import TooLarge
from slowpath.core.git_ports import GitMirrors, GitObjectReader
from slowpath.core.ids import RepositoryId
from slowpath.inventory.repositories import queries
from slowpath.inventory.repositories.read_models import CommitPeople, OwnersReason, PersonOfCommit
from slowpath.inventory.repositories.rules.code_owners import (
    GITHUB_PATHS,
    GITLAB_PATHS,
    MOST_FILE_BYTES,
    find_owners,
    parse_code_owners,
)
from slowpath.inventory.repositories.rules.commit_people import Person, TeamMember, find_member, parse_reviewers
from slowpath.inventory.repositories.service import mirror_files, repositories, suspect_commits
from slowpath.inventory.repositories.tables import Commit, Repository
from slowpath.platform.accounts import service as accounts

MOST_MEMBERS: Final = 5_000
MOST_PATHS: Final = 100
"""Changed files whose owners are looked up: the first."""
MOST_OWNERS: Final = 20


def get_people(session: ReadSession, mirrors: GitMirrors, repository_id: RepositoryId, sha: str) -> CommitPeople:
    """Return the people of a commit. Raises `RepositoryNotFound`, `CommitNotFound`."""
    row = suspect_commits.get_commit(session, repository_id, sha)
    repository = repositories.get_repository(session, repository_id)
    members = [
        TeamMember(user.id, user.name, user.email)
        for _, user in accounts.members(session, after=None, limit=MOST_MEMBERS)
    ]
    owners, reason = _find_owners(mirrors, repository, row)

    def of(person: Person) -> PersonOfCommit:
        return PersonOfCommit(person, find_member(person, members))

    return CommitPeople(
        repository=repository,
        commit=row,
        author=of(Person(row.author_name, row.author_email)),
        reviewers=[of(one) for one in parse_reviewers(row.message)],
        owners=owners,
        owners_reason=reason,
        pull_request=queries.select_pull_request(session, repository_id, sha),
    )


def _find_owners(
    mirrors: GitMirrors, repository: Repository, row: Commit
) -> tuple[Sequence[str] | None, OwnersReason | None]:
    paths = [str(file["path"]) for file in (row.files or ())[:MOST_PATHS]]
    if not paths:
        return None, "no-files"
    with mirror_files.open_commit(mirrors, repository, row.sha) as objects:
        if objects is None:
            return None, "no-mirror"
        return _read_owners(objects, row.sha, paths, is_gitlab=repository.kind == "gitlab")


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
