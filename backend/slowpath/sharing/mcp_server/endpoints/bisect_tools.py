"""Tools for bisects: start one, follow one."""

from collections.abc import Iterator

from slowpath.analysis.findings.certainty import describe_probability
from slowpath.platform.http.caller_api import ApiRefusal
from slowpath.sharing.mcp_server.endpoints.team_api import TeamApi, wait_for
from slowpath.sharing.mcp_server.errors import InvalidToolCall
from slowpath.sharing.mcp_server.schemas.bisect_answers import BisectProposal, BisectRead
from slowpath.sharing.mcp_server.schemas.tool_arguments import FollowBisect, StartBisect
from slowpath.sharing.mcp_server.wording import Lines, fact, quoted

MOST_CANDIDATES = 5
MOST_EVENTS = 20
UNPROCESSABLE = 422


async def start_bisect(api: TeamApi, arguments: StartBisect) -> Lines:
    """Create a bisect for a regression or a comparison with the proposed settings."""
    name, subject = (
        ("regression_id", arguments.regression_id)
        if arguments.regression_id is not None
        else ("comparison_id", arguments.comparison_id)
    )
    try:
        created = await api.send(BisectRead, "/bisects", {name: str(subject)})
    except ApiRefusal as refusal:
        if refusal.status != UNPROCESSABLE:
            raise
        proposal = await api.read(BisectProposal, "/bisect-proposals", {name: str(subject)})
        missing = " ".join(quoted(each) for each in proposal.missing_inputs)
        raise InvalidToolCall(
            f"The bisect cannot start: {quoted(refusal.detail)}{f' Missing: {missing}' if missing else ''}"
        ) from refusal
    return [*_describe(api, created)]


async def follow_bisect(api: TeamApi, arguments: FollowBisect) -> Lines:
    """Return the state of a bisect, after waiting for a change if asked to."""
    after = arguments.after_revision
    found = await wait_for(
        lambda: api.read(BisectRead, f"/bisects/{arguments.bisect_id}"),
        lambda each: each.finished_at is not None or after is None or each.revision > after,
        arguments.wait_seconds,
    )
    return [*_describe(api, found)]


def _describe(api: TeamApi, found: BisectRead) -> Iterator[str]:
    yield f"Bisect {found.number}: {quoted(found.title)}"
    yield fact("bisect_id", str(found.id))
    yield fact("state", found.state)
    yield fact("sentence", quoted(found.sentence))
    yield fact("revision", found.revision)
    expected = f" of about {found.expected_deployments:.3g} expected" if found.expected_deployments else ""
    yield fact("deployments", f"{found.deployments}{expected}")
    if found.needs_approval:
        yield "A round of probes waits for the approval of a user on the page."
    if found.culprit is not None:
        name = "culprit" if found.finished_at else "top suspect"
        yield fact(
            name, f"{quoted(found.culprit.sha)} {quoted(found.culprit.title)} in {quoted(found.culprit.repository)}"
        )
        yield fact("probability", describe_probability(found.posterior))
    if found.problem is not None:
        yield fact("problem", quoted(f"{found.problem.title}: {found.problem.detail}"))
    for level in found.levels:
        yield fact("level", f"{quoted(level.repository)}: {level.commits} commits, {level.candidate_count} candidates")
        for each in sorted(level.candidates, key=lambda one: -one.posterior)[:MOST_CANDIDATES]:
            verdict = f", {each.verdict}" if each.verdict else ""
            yield f"  candidate {quoted(each.sha)} {quoted(each.title)}: {describe_probability(each.posterior)}{verdict}"
    for event in found.events[:MOST_EVENTS]:
        yield fact("event", f"{event.occurred_at:%Y-%m-%dT%H:%M:%SZ} {quoted(event.sentence)}")
    yield fact("page", api.link(f"/bisects/{found.id}"))
