"""Tool for profiles without a comparison: the functions with the largest cost."""

from uuid import UUID

from slowpath.analysis.kinds.profiles.views.function_costs import FunctionCosts
from slowpath.sharing.mcp_server.endpoints.team_api import TeamApi, wait_for
from slowpath.sharing.mcp_server.errors import InvalidToolCall
from slowpath.sharing.mcp_server.schemas.comparison_answers import ArtifactRead
from slowpath.sharing.mcp_server.schemas.list_answers import ListPageRead
from slowpath.sharing.mcp_server.schemas.profile_answers import ProfileSetRead, ProfileViewRead, ProfileViewSummary
from slowpath.sharing.mcp_server.schemas.tool_arguments import TopFunctions
from slowpath.sharing.mcp_server.wording import Lines, fact, quoted

ENDED = frozenset({"done", "failed", "cancelled"})
PROFILE_KINDS = "profile."
MOST_OPENED = 50
"""Newest profiles of a build that are opened."""


async def list_top_functions(api: TeamApi, arguments: TopFunctions) -> Lines:
    """Open profiles together and return the functions with the largest self plus attributed cost."""
    ids = arguments.artifact_ids or await _list_profiles(api, arguments.build_id, arguments.kind)
    created = await api.send(ProfileSetRead, "/profile-sets", {"artifact_ids": [str(each) for each in ids]})
    path = f"/profile-sets/{created.id}"
    found = await wait_for(
        lambda: api.read(ProfileSetRead, path), lambda each: each.state in ENDED, arguments.wait_seconds
    )
    if found.state != "done":
        return [_not_ready("profile set", found.state), *_describe_problem(found)]
    view = await _wait_for_view(api, path, found, arguments)
    if view.state != "done":
        return [_not_ready("view", view.state)]
    base = f"{path}/views/{view.id}"
    table = await api.read_functions(base)
    summary = await api.read(ProfileViewSummary, f"{base}/summary")
    return [
        fact("profiles", f"{len(ids)}, {quoted(view.kind)} ({quoted(view.sample_type)}), {table.normalization}"),
        *_describe_summary(summary),
        *_describe_functions(table, arguments.limit),
        fact("page", api.link(f"/profile-sets/{found.id}")),
    ]


async def _list_profiles(api: TeamApi, build_id: UUID | None, kind: str | None) -> list[UUID]:
    query = {
        "build_id": str(build_id),
        "state": "decoded",
        "kind": f"{PROFILE_KINDS}{kind}" if kind else None,
        "limit": 200,
    }
    artifacts = await api.read(ListPageRead[ArtifactRead], "/artifacts", query)
    profiles = [each.id for each in artifacts.items if (each.kind or "").startswith(PROFILE_KINDS)]
    if not profiles:
        raise InvalidToolCall("The build has no decoded profile of this kind; explain_build lists its artifacts.")
    return profiles[:MOST_OPENED]


async def _wait_for_view(api: TeamApi, path: str, found: ProfileSetRead, arguments: TopFunctions) -> ProfileViewRead:
    kind = next((each for each in found.kinds if arguments.kind in {None, each.kind}), None)
    if kind is None:
        kinds = ", ".join(quoted(each.kind) for each in found.kinds) or "none"
        raise InvalidToolCall(f"The profiles have no such kind. Kinds: {kinds}.")
    body = {"kind": kind.kind, "sample_type": kind.default_sample_type, "granularity": "function"}
    view = await api.send(ProfileViewRead, f"{path}/views", body)
    return await wait_for(
        lambda: api.read(ProfileViewRead, f"{path}/views/{view.id}"),
        lambda each: each.state in ENDED,
        arguments.wait_seconds,
    )


def _describe_problem(found: ProfileSetRead) -> Lines:
    return [] if found.problem is None else [fact("problem", quoted(f"{found.problem.title}: {found.problem.detail}"))]


def _describe_summary(summary: ProfileViewSummary) -> Lines:
    lines = [fact("summary", quoted(summary.headline))]
    lines += [fact("category", f"{each.category}, {each.share:.1%} of the total") for each in summary.categories]
    return lines + [fact("caveat", quoted(each.sentence)) for each in summary.caveats]


def _describe_functions(table: FunctionCosts, limit: int) -> Lines:
    whole = table.total()[1]
    lines = [
        fact("total", whole, quoted(table.unit)),
        f"{min(limit, len(table))} of {len(table)} functions, largest self plus attributed cost first",
    ]
    for number, row in enumerate(table.largest(limit), 1):
        own = row.candidate.self_value + row.candidate.attributed
        share = f", {own / whole:.1%} of the total" if whole else ""
        lines.append(
            f"{number}. {quoted(row.name)}: self {row.candidate.self_value:.4g}, attributed "
            f"{row.candidate.attributed:.4g}{share}; with callees {row.candidate.total:.4g}"
        )
    if len(table) > limit:
        lines.append(f"{len(table) - limit:,} functions are left out: set a higher limit, or see the page.")
    return lines


def _not_ready(what: str, state: str) -> str:
    return f"The {what} is not ready: its state is {state}. Call the tool again with the same arguments."
