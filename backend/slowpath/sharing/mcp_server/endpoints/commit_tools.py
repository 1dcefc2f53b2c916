"""Tools for commits: suspect commits of a range, and the patch of one."""

from collections.abc import Iterator
from uuid import UUID

from slowpath.analysis.findings.certainty import describe_probability
from slowpath.platform.http.caller_api import ApiRefusal
from slowpath.sharing.mcp_server.endpoints.team_api import TeamApi, wait_for
from slowpath.sharing.mcp_server.errors import InvalidToolCall
from slowpath.sharing.mcp_server.schemas.commit_answers import (
    CommitDiff,
    CommitPeople,
    CommitRange,
    ComparedCommits,
    FileDiff,
    SuspectCommit,
)
from slowpath.sharing.mcp_server.schemas.list_answers import PersonRead
from slowpath.sharing.mcp_server.schemas.regression_answers import RegressionRead
from slowpath.sharing.mcp_server.schemas.tool_arguments import CommitPatch, SuspectCommits
from slowpath.sharing.mcp_server.wording import Lines, fact, format_value, quoted

MOST_FILES = 8
READING = "reading"
UNREAD = "unread"


async def list_suspect_commits(api: TeamApi, arguments: SuspectCommits) -> Lines:
    """Return the commits of a range with their suspicion, the highest first."""
    service_id, good, bad = await _find_range(api, arguments)
    subject = {"regression_id": arguments.regression_id, "comparison_id": arguments.comparison_id}
    named = {name: str(one) for name, one in subject.items() if one is not None}
    query = {"good": good, "bad": bad, "function": arguments.function, "limit": 200, **named}
    found = await api.read(CommitRange, f"/services/{service_id}/commits", query)
    commits = sorted(found.commits, key=lambda each: -each.suspicion.probability)
    shown = commits[: arguments.limit]
    lines = [
        f"{found.total} commits after {quoted(found.good)} up to {quoted(found.bad)}",
        fact("repository", f"{quoted(found.repository.name)}, repository_id {found.repository.id}"),
    ]
    if not found.complete:
        lines.append("The parents of some commits are unknown: the range may have more commits.")
    for number, commit in enumerate(shown, 1):
        lines += _describe_suspect(api, found.repository.id, number, commit)
    if len(commits) > len(shown):
        lines.append(f"{len(commits) - len(shown)} commits are left out: set a higher limit.")
    return lines


async def _find_range(api: TeamApi, arguments: SuspectCommits) -> tuple[UUID, str, str]:
    if arguments.regression_id is not None:
        regression = await api.read(RegressionRead, f"/regressions/{arguments.regression_id}")
        if regression.good is None or regression.first_bad_build is None:
            raise InvalidToolCall("The regression has no known last good and first bad build.")
        return regression.service_id, regression.good.commit, regression.first_bad_build.commit
    if arguments.comparison_id is not None:
        sides = await api.read(ComparedCommits, f"/comparisons/{arguments.comparison_id}/commits")
        if sides.service_id is None or sides.base is None or sides.candidate is None:
            raise InvalidToolCall("The sides of the comparison are not one commit each of the same service.")
        return sides.service_id, sides.base, sides.candidate
    service, good, bad = arguments.service, arguments.good, arguments.bad
    assert service is not None
    assert good is not None
    assert bad is not None
    return await api.get_service_id(service), good, bad


def _describe_suspect(api: TeamApi, repository_id: UUID, number: int, commit: SuspectCommit) -> Iterator[str]:
    yield (
        f"{number}. {describe_probability(commit.suspicion.probability)} {quoted(commit.sha)} {quoted(commit.title)} by "
        f"{quoted(commit.author_name)}, {format_value(commit.committed_at)}"
    )
    if commit.suspicion.changes_binary is False:
        yield "  does not change the binary"
    for reason in commit.suspicion.reasons:
        yield f"  reason: {quoted(reason.sentence)}"
    if commit.files:
        total = commit.files_total or len(commit.files)
        more = f" and {total - MOST_FILES} more" if total > MOST_FILES else ""
        yield f"  files: {', '.join(quoted(each.path) for each in commit.files[:MOST_FILES])}{more}"
    yield f"  page: {api.link(f'/repositories/{repository_id}/commits/{commit.sha}')}"
    if commit.url:
        yield f"  at the code host: {quoted(commit.url)}"


async def get_commit_patch(api: TeamApi, arguments: CommitPatch) -> Lines:
    """Return author, reviewers, owners and changed lines of a commit."""
    path = f"/repositories/{arguments.repository_id}/commits/{arguments.sha}"
    lines = [fact("commit", arguments.sha), *await _describe_people(api, path)]
    diff = await api.read(CommitDiff, f"{path}/diff")
    if diff.state == UNREAD:
        diff = await api.send(CommitDiff, f"{path}/diff")
    if diff.state == READING:
        diff = await wait_for(
            lambda: api.read(CommitDiff, f"{path}/diff"), lambda each: each.state != READING, arguments.wait_seconds
        )
    if diff.problem is not None:
        lines.append(fact("problem", quoted(f"{diff.problem.title}: {diff.problem.detail}")))
    lines.append(fact("page", api.link(path)))
    if diff.state == READING:
        return [*lines, "The lines are being read: call the tool again."]
    for file in diff.files:
        lines += _describe_file(file)
    if diff.is_truncated:
        lines.append("Files or lines are omitted because the commit is large; the code host has all.")
    return lines


async def _describe_people(api: TeamApi, path: str) -> Lines:
    try:
        people = await api.read(CommitPeople, f"{path}/people")
    except ApiRefusal as refusal:
        return [fact("people", quoted(f"{refusal.title}: {refusal.detail}"))]
    lines = [fact("title", quoted(people.title)), fact("author", quoted(people.author.name or ""))]
    if people.reviewers:
        lines.append(fact("reviewers", _names(people.reviewers)))
    if people.owners:
        lines.append(fact("code owners", ", ".join(quoted(each) for each in people.owners)))
    if people.pull_request:
        url = f", {quoted(people.pull_request.url)}" if people.pull_request.url else ""
        lines.append(fact("pull request", f"{people.pull_request.number}{url}"))
    return [*lines, fact("at the code host", quoted(people.url))] if people.url else lines


def _names(people: list[PersonRead]) -> str:
    return ", ".join(quoted(each.name or "") for each in people)


def _describe_file(file: FileDiff) -> Iterator[str]:
    yield f"file {quoted(file.old_path or '(added)')} to {quoted(file.new_path or '(deleted)')}{', binary' if file.binary else ''}"
    for hunk in file.hunks:
        yield f"  hunk from old line {hunk.old_start}, new line {hunk.new_start}: {quoted(hunk.heading)}"
        for line in hunk.lines:
            yield f"  {line[:1]} {quoted(line[1:])}"
    if file.left_out:
        yield f"  {file.left_out} lines are omitted"
