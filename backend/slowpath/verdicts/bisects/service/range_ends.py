"""Find the commits that a text may name as the good or the bad end of a bisect."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import EnvironmentId, RepositoryId, ServiceId
from slowpath.evidence.artifacts.service.build_evidence import count_evidence
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.service import BuildFilter
from slowpath.inventory.repositories.service import commit_graph, repositories
from slowpath.inventory.repositories.tables import Repository
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.rules.range_ends import (
    LAST_GOOD,
    LEAST_DIGITS,
    RangeEnd,
    order_names,
    parse_date,
    strip_ref_prefix,
)

MOST_ENVIRONMENTS = 50
MOST_DEPLOYMENTS = 100
HEXADECIMAL = frozenset("0123456789abcdef")


def search_range_ends(
    session: ReadSession,
    repository_id: RepositoryId,
    service_id: ServiceId | None,
    text: str,
    *,
    limit: int,
    now: datetime,
) -> list[RangeEnd]:
    """Return at most `limit` commits that a text may name, exact names first. Raises `NotFound`."""
    repository = repositories.get_repository(session, repository_id)
    searched = text.strip()
    found = [
        *_find_commits(session, repository_id, searched),
        *_find_date(session, repository, searched),
        *_find_last_good_build(session, service_id, searched),
        *_find_deployments(session, service_id, searched, now),
        *_find_refs(repository, strip_ref_prefix(searched)),
        *_find_builds(session, service_id, searched, limit),
    ]
    found.sort(key=lambda end: not end.is_exact)
    return _with_metadata(session, repository_id, service_id, _resolved(session, repository_id, found)[:limit])


def _find_commits(session: ReadSession, repository_id: RepositoryId, text: str) -> list[RangeEnd]:
    digits = text.lower()
    if not LEAST_DIGITS <= len(digits) <= 40 or not set(digits) <= HEXADECIMAL:
        return []
    shas = queries.select_commits_by_prefix(session, repository_id, digits)
    return [RangeEnd("commit", short_commit(one), one, "", is_exact=len(shas) == 1) for one in shas]


def _find_date(session: ReadSession, repository: Repository, text: str) -> list[RangeEnd]:
    at, branch = parse_date(text), repository.default_branch or ""
    head = repository.branch_heads.get(branch)
    if at is None or head is None:
        return []
    sha = commit_graph.find_commit_at(session, RepositoryId(repository.id), str(head), at)
    return [] if sha is None else [RangeEnd("date", text, sha, f"newest commit of {branch} then", is_exact=True)]


def _find_last_good_build(session: ReadSession, service_id: ServiceId | None, text: str) -> list[RangeEnd]:
    if service_id is None or text.lower() not in LAST_GOOD:
        return []
    commit = queries.select_last_good_commit(session, service_id)
    exact = text.lower() == LAST_GOOD
    return [] if commit is None else [RangeEnd("last-good", LAST_GOOD, commit, "passed", is_exact=exact)]


def _find_deployments(session: ReadSession, service_id: ServiceId | None, text: str, now: datetime) -> list[RangeEnd]:
    """Return what runs in each environment, then earlier deployments whose label contains the text."""
    if service_id is None:
        return []
    names = {row.id: row.name for row in catalog.environments(session, None, MOST_ENVIRONMENTS)}
    found, wanted = [], text.lower()
    for environment_id, name in names.items():
        row = catalog.list_active_deployments(session, EnvironmentId(environment_id), now).get(service_id)
        title = f"in {name}"
        if row is not None and row.commit and wanted in title.lower():
            found.append(
                RangeEnd("deployment", title, row.commit, row.label or "deployed now", wanted == title.lower())
            )
    if not wanted:
        return found
    for row in catalog.deploys(session, None, MOST_DEPLOYMENTS, service_id=service_id):
        if row.label and row.commit and wanted in row.label.lower():
            place = names.get(row.environment_id, "")
            found.append(RangeEnd("deployment", row.label, row.commit, f"deployed to {place}", row.label == text))
    return found


def _find_refs(repository: Repository, text: str) -> list[RangeEnd]:
    """Return the default branch, tags from the newest version on, then other branches."""
    wanted = text.lower()
    tags = [
        RangeEnd("tag", name, str(repository.tags[name]), "", name == text)
        for name in sorted(repository.tags, key=order_names)
        if wanted in name.lower()
    ]
    branches = [
        RangeEnd("branch", name, str(sha), "default branch" if name == repository.default_branch else "", name == text)
        for name, sha in sorted(repository.branch_heads.items(), key=lambda one: one[0] != repository.default_branch)
        if wanted in name.lower()
    ]
    return [*branches[:1], *tags, *branches[1:]]


def _find_builds(session: ReadSession, service_id: ServiceId | None, text: str, limit: int) -> list[RangeEnd]:
    if service_id is None:
        return []
    rows = catalog.builds(session, None, limit, BuildFilter(service_id=service_id, search=text or None))
    return [
        RangeEnd(
            "build",
            row.display_name or short_commit(row.commit),
            row.commit,
            row.branch or "",
            row.display_name == text,
        )
        for row in rows
        if row.commit
    ]


def _resolved(session: ReadSession, repository_id: RepositoryId, found: Sequence[RangeEnd]) -> list[RangeEnd]:
    """Return the ends with whole SHAs, once per type and name. Builds and deployments of unknown commits are left out."""
    whole = commit_graph.resolve_commits(session, repository_id, {one.sha for one in found})
    refs = {"tag", "branch"}
    known = [replace(one, sha=whole.get(one.sha, one.sha)) for one in found if one.type in refs or one.sha in whole]
    return list({(one.type, one.name, one.sha): one for one in known}.values())


def _with_metadata(
    session: ReadSession, repository_id: RepositoryId, service_id: ServiceId | None, found: Sequence[RangeEnd]
) -> list[RangeEnd]:
    commits = commit_graph.list_known_commits(session, repository_id, {one.sha for one in found})
    measured = _measured_commits(session, service_id, {one.sha for one in found})
    out = []
    for one in found:
        row = commits.get(one.sha)
        if row is not None:
            one = replace(one, title=row.title, author=row.author_name, at=row.committed_at)  # noqa: PLW2901 - completed
        out.append(replace(one, is_measured=one.sha in measured))
    return out


def _measured_commits(session: ReadSession, service_id: ServiceId | None, shas: Iterable[str]) -> set[str]:
    if service_id is None:
        return set()
    builds: dict[UUID, str] = {
        row.id: sha for sha in shas for row in catalog.builds_of_commit(session, service_id, sha)
    }
    counts = count_evidence(session, list(builds))
    return {sha for build_id, sha in builds.items() if counts[build_id].kinds}
