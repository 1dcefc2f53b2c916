"""Tools for builds."""

from collections.abc import Iterator

from slowpath.platform.http.caller_api import ApiRefusal
from slowpath.sharing.mcp_server.endpoints.regression_tools import describe_required, next_page
from slowpath.sharing.mcp_server.endpoints.team_api import TeamApi
from slowpath.sharing.mcp_server.schemas.build_answers import BuildComparison, BuildRead, BuildVerdictRead, ListedBuild
from slowpath.sharing.mcp_server.schemas.comparison_answers import ArtifactRead
from slowpath.sharing.mcp_server.schemas.list_answers import ListPageRead
from slowpath.sharing.mcp_server.schemas.tool_arguments import ExplainBuild, ListBuilds
from slowpath.sharing.mcp_server.wording import Lines, fact, format_value, quoted

MOST_ARTIFACTS = 100
NOT_FOUND = 404


async def list_builds(api: TeamApi, arguments: ListBuilds) -> Lines:
    """List builds with their verdicts, newest first."""
    service_id = await api.get_service_id(arguments.service) if arguments.service else None
    query = {
        "service_id": str(service_id) if service_id else None,
        "branch": arguments.branch,
        "search": arguments.search,
        "limit": arguments.limit,
        "cursor": arguments.cursor,
    }
    page = await api.read(ListPageRead[ListedBuild], "/builds", query)
    names = await api.get_service_names()
    lines = [f"{len(page.items)} builds, newest first"]
    for each in page.items:
        counts = ", ".join(f"{one.count} {one.kind}" for one in each.evidence) or "no decoded artifacts"
        branch = f" on {quoted(each.branch)}" if each.branch else ""
        verdict = f"verdict {each.verdict.state}" if each.verdict else "not evaluated"
        lines.append(
            f"- {quoted(names.get(each.service_id, ''))} {quoted(each.commit)}{branch}, {verdict}, {counts}, "
            f"created {format_value(each.created_at)}, build_id {each.id}, {api.link(f'/builds/{each.id}')}"
        )
    return [*lines, *next_page(page.next_cursor)]


async def explain_build(api: TeamApi, arguments: ExplainBuild) -> Lines:
    """Return a build, its verdict with the reasons, and its artifacts."""
    build = await api.read(BuildRead, f"/builds/{arguments.build_id}")
    names = await api.get_service_names()
    artifacts = await api.read(
        ListPageRead[ArtifactRead], "/artifacts", {"build_id": str(build.id), "limit": MOST_ARTIFACTS}
    )
    lines = [*_describe(build, names.get(build.service_id, ""))]
    try:
        lines += _describe_verdict(api, await api.read(BuildVerdictRead, f"/builds/{build.id}/verdict"))
    except ApiRefusal as refusal:
        if refusal.status != NOT_FOUND:
            raise
        lines.append("verdict: not evaluated")
    lines.append(fact("page", api.link(f"/builds/{build.id}")))
    lines += [
        fact("artifact", f"{each.kind or 'unknown kind'} {quoted(each.name)}, {each.state}, artifact_id {each.id}")
        for each in artifacts.items
    ]
    if artifacts.next_cursor:
        lines.append(f"Only the newest {MOST_ARTIFACTS} artifacts are listed; all are on the page.")
    return lines


def _describe(build: BuildRead, service: str) -> Iterator[str]:
    yield f"Build of {quoted(service)}, commit {quoted(build.commit)}"
    for name, text in (
        ("title", build.title), ("author", build.author), ("branch", build.branch), ("name", build.display_name)
    ):  # fmt: skip
        if text:
            yield fact(name, quoted(text))
    yield fact("toolchain", quoted(f"{build.go_version} {build.goos}/{build.goarch}"))
    if build.pull_request:
        url = f", {quoted(build.pull_request.url)}" if build.pull_request.url else ""
        yield fact("pull request", f"{build.pull_request.number}{url}")
    yield fact("committed", build.committed_at)
    yield fact("created", build.created_at)


def _describe_verdict(api: TeamApi, verdict: BuildVerdictRead) -> Iterator[str]:
    yield fact("verdict", f"{verdict.state}: {quoted(verdict.sentence)}")
    for kind in verdict.kinds:
        announced = ", announced" if kind.is_announced else ""
        yield fact("verdict on", f"{kind.kind}: {kind.verdict}{announced}")
    yield from describe_required(verdict.required_evidence)
    if verdict.comparison is not None:
        yield from _describe_comparison(api, verdict.comparison)
    for regression_id in verdict.regression_ids:
        yield fact("regression_id", f"{regression_id}, {api.link(f'/regressions/{regression_id}')}")


def _describe_comparison(api: TeamApi, comparison: BuildComparison) -> Iterator[str]:
    base = f" with commit {quoted(comparison.base.commit)}" if comparison.base else ""
    direction = f", {comparison.direction}" if comparison.direction else ""
    yield fact("compared", f"{comparison.state}{direction}{base}")
    if comparison.profiles_needed:
        yield fact("more profiles needed", comparison.profiles_needed)
    if comparison.comparison_id is not None:
        yield fact("comparison_id", str(comparison.comparison_id))
        yield fact("comparison page", api.link(f"/comparisons/{comparison.comparison_id}"))
