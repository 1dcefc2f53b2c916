"""Find the regression of another branch that was merged to this one; it is not notified twice.

It is identified by commits: those merged contain the first bad commit; or, where a code host rewrote them, one with the same
title and author (rebase), or one that names the same pull request (squash).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from slowpath.analysis.builds.regression_groups import RegressionGroup
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.repositories.errors import CommitNotFound, RepositoryNotLinked
from slowpath.inventory.repositories.service.commit_graph import list_commits_in_range
from slowpath.verdicts.regressions import queries
from slowpath.verdicts.regressions.rules import STILL_TRUE
from slowpath.verdicts.regressions.service.evaluation_inputs import EvaluationInputs
from slowpath.verdicts.regressions.tables import Regression

LEAST_SHA = 7


@dataclass(frozen=True)
class _MergedCommits:
    """Commits of a range: SHAs, authors with titles, and titles."""

    commits: frozenset[str]
    written: frozenset[tuple[str, str]]
    titles: tuple[str, ...]


def find_merged_regression(session: ReadSession, inputs: EvaluationInputs, group: RegressionGroup) -> Regression | None:
    """Return the regression of another branch that was merged to this one with the change of a group."""
    keys = {member.key for member in group.members}
    rows = queries.select_regressions_on_other_branches(session, inputs.service_id, inputs.branch, STILL_TRUE)
    alike = [row for row in rows if (row.kind, row.subject) in keys or _named(row) & {group.lead.key}]
    if not alike:
        return None
    change = group.lead.change
    first, last = max(change.low_index - 1, 0), change.high_index
    came = _came(session, inputs, first, last)
    return next((row for row in alike if _is_among(session, inputs, row, came)), None)


def _named(row: Regression) -> set[tuple[str, str]]:
    return {(str(member["kind"]), str(member["subject"])) for member in row.related_series}


def _came(session: ReadSession, inputs: EvaluationInputs, first: int, last: int) -> _MergedCommits:
    builds = [place.build for place in inputs.places[first + 1 : last + 1]]
    between = _between(session, inputs, inputs.commit(first), inputs.commit(last))
    titles = (*between.titles, *(build.title for build in builds if build.title))
    return _MergedCommits(between.commits | {build.commit for build in builds}, between.written, titles)


def _between(session: ReadSession, inputs: EvaluationInputs, good: str, bad: str) -> _MergedCommits:
    """Return the commits between two, as far as the mirror has them."""
    try:
        rows = list_commits_in_range(session, inputs.service_id, good, bad).commits
    except (RepositoryNotLinked, CommitNotFound):
        return _MergedCommits(frozenset(), frozenset(), ())
    written = frozenset((row.title, row.author_email) for row in rows if row.title and row.author_email)
    return _MergedCommits(frozenset(row.sha for row in rows), written, tuple(row.title for row in rows))


def _is_among(session: ReadSession, inputs: EvaluationInputs, row: Regression, came: _MergedCommits) -> bool:
    since = row.last_commit or row.since_commit
    if since is None:
        return False
    if any(_same(since, commit) for commit in came.commits):
        return True
    if row.good_commit is not None and _between(session, inputs, row.good_commit, since).written & came.written:
        return True
    number = _pull_request(session, row.since_build_id)
    return number is not None and _names(came.titles, number)


def _same(one: str, other: str) -> bool:
    short = min(len(one), len(other))
    return short >= LEAST_SHA and one[:short] == other[:short]


def _pull_request(session: ReadSession, build_id: UUID | None) -> int | None:
    if build_id is None:
        return None
    number = (catalog.build(session, BuildId(build_id)).pull_request or {}).get("number")
    return number if isinstance(number, int) else None


def _names(titles: Sequence[str] | Collection[str], number: int) -> bool:
    """Return whether a title is one that GitHub (`...

    (#7)`, `Merge pull request #7 from ...`) gives to merges.
    """
    return any(title.endswith(f"(#{number})") or title.startswith(f"Merge pull request #{number} ") for title in titles)
