"""Tools for services and regressions."""

from collections.abc import Iterator, Mapping
from uuid import UUID

from slowpath.sharing.mcp_server.endpoints.team_api import TeamApi
from slowpath.sharing.mcp_server.schemas.list_answers import EvidenceNeeded, ListPageRead
from slowpath.sharing.mcp_server.schemas.regression_answers import RegressionRead
from slowpath.sharing.mcp_server.schemas.tool_arguments import ExplainRegression, ListRegressions, ToolArguments
from slowpath.sharing.mcp_server.wording import Lines, describe_ratio, fact, format_value, quoted


async def list_services(api: TeamApi, _arguments: ToolArguments) -> Lines:
    """List the services of the team."""
    services = await api.list_services()
    lines = [f"{len(services)} services"]
    for each in services:
        described = f", description {quoted(each.description)}" if each.description else ""
        lines.append(f"- {quoted(each.slug)}, name {quoted(each.name)}{described}, {api.link(f'/services/{each.id}')}")
    return lines


async def list_regressions(api: TeamApi, arguments: ListRegressions) -> Lines:
    """List regressions, newest first."""
    service_id = await api.get_service_id(arguments.service) if arguments.service else None
    query = {
        "service_id": str(service_id) if service_id else None,
        "state": arguments.state,
        "search": arguments.search,
        "limit": arguments.limit,
        "cursor": arguments.cursor,
    }
    page = await api.read(ListPageRead[RegressionRead], "/regressions", query)
    names = await api.get_service_names()
    rows = [
        f"- {_name(each)} of {quoted(names.get(each.service_id, ''))}: {quoted(each.title)}, state {each.state}, "
        f"{describe_ratio(each.ratio, each.ratio_low, each.ratio_high)}, since {format_value(each.created_at)}, "
        f"regression_id {each.id}, {api.link(f'/regressions/{each.id}')}"
        for each in page.items
    ]
    return [f"{len(rows)} regressions, newest first", *rows, *next_page(page.next_cursor)]


def next_page(cursor: str | None) -> Lines:
    """Return how to get the next page of a list."""
    return [f"More rows: call the tool again with cursor {quoted(cursor)}."] if cursor else []


async def explain_regression(api: TeamApi, arguments: ExplainRegression) -> Lines:
    """Return what is known of a regression."""
    found = await api.read(RegressionRead, f"/regressions/{arguments.regression_id}")
    names = await api.get_service_names()
    return [*_describe(found, names), *_relate(api, found)]


def _name(found: RegressionRead) -> str:
    return f"Regression {found.number}" if found.number is not None else "Unconfirmed regression"


def _describe(found: RegressionRead, names: Mapping[UUID, str]) -> Iterator[str]:
    yield f"{_name(found)}: {quoted(found.title)}"
    yield fact("sentence", quoted(found.sentence))
    yield fact("service", quoted(names.get(found.service_id, "")))
    yield fact("branch", quoted(found.branch))
    yield fact("state", found.state)
    yield fact("confirmed", found.is_confirmed)
    yield fact("measured", f"{quoted(found.kind)} of {quoted(found.subject)}, {found.direction}")
    yield fact("before", found.before, quoted(found.unit))
    yield fact("after", found.after, quoted(found.unit))
    yield fact("ratio", describe_ratio(found.ratio, found.ratio_low, found.ratio_high))
    yield fact("detected", found.created_at)
    if found.closed_at:
        yield fact("closed", found.closed_at)
    yield fact("assignee", quoted(found.assignee.name) if found.assignee and found.assignee.name else "none")


def _relate(api: TeamApi, found: RegressionRead) -> Iterator[str]:
    for name, build in (("last good build", found.good), ("first bad build", found.first_bad_build)):
        if build is not None:
            known = f", build_id {build.build_id}" if build.build_id else ""
            yield fact(name, f"commit {quoted(build.commit)}{known}")
    if found.range is not None:
        yield fact(
            "first bad build is between", f"{quoted(found.range.first_commit)} and {quoted(found.range.last_commit)}"
        )
    if found.fixed_by is not None:
        yield fact("fixed by", f"commit {quoted(found.fixed_by.commit)}")
    yield from describe_required(found.required_evidence)
    for series in found.related_series:
        shifted = ", a cost shift" if series.is_cost_shift else ""
        yield fact("related series", f"{quoted(series.name)}, {describe_ratio(series.ratio, None, None)}{shifted}")
    if found.comparison_id is not None:
        yield fact("comparison_id", str(found.comparison_id))
        yield fact("comparison page", api.link(f"/comparisons/{found.comparison_id}"))
    yield fact("page", api.link(f"/regressions/{found.id}"))


def describe_required(needed: EvidenceNeeded | None) -> Iterator[str]:
    """Return the evidence that is still required."""
    if needed is not None and (needed.builds or needed.profiles):
        parts = [
            f"{count} more {name}"
            for count, name in ((needed.builds, "builds"), (needed.profiles, "profiles"))
            if count
        ]
        yield fact("required to confirm", " or ".join(parts))
