"""The tools of the MCP server by name, and how one is called."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from mcp_types import Tool, ToolAnnotations
from pydantic import ValidationError

from slowpath.platform.http.caller_api import ApiRefusal
from slowpath.sharing.mcp_server.endpoints.bisect_tools import follow_bisect, start_bisect
from slowpath.sharing.mcp_server.endpoints.build_tools import explain_build, list_builds
from slowpath.sharing.mcp_server.endpoints.commit_tools import get_commit_patch, list_suspect_commits
from slowpath.sharing.mcp_server.endpoints.comparison_tools import compare, diff_function, get_comparison
from slowpath.sharing.mcp_server.endpoints.event_tools import explain_event, list_events, search
from slowpath.sharing.mcp_server.endpoints.profile_tools import list_top_functions
from slowpath.sharing.mcp_server.endpoints.regression_tools import (
    explain_regression,
    list_regressions,
    list_services,
)
from slowpath.sharing.mcp_server.endpoints.team_api import TeamApi
from slowpath.sharing.mcp_server.endpoints.trace_tools import list_longest_waits
from slowpath.sharing.mcp_server.errors import InvalidToolCall
from slowpath.sharing.mcp_server.schemas import tool_arguments as arguments
from slowpath.sharing.mcp_server.schemas.tool_arguments import ToolArguments
from slowpath.sharing.mcp_server.wording import Lines, format_answer, quoted

Arguments = TypeVar("Arguments", bound=ToolArguments)
MOST_FAULTS: Final = 5


@dataclass(frozen=True)
class ToolAnswer:
    """The text of an answer; an error is what the tool or the API refused."""

    text: str
    is_error: bool = False


@dataclass(frozen=True)
class RegisteredTool:
    """A tool: how clients see it, and its call. One that changes data is listed only for callers that may write."""

    described: Tool
    is_read_only: bool
    call: Callable[[TeamApi, Mapping[str, object]], Awaitable[ToolAnswer]]


def _register(
    name: str,
    title: str,
    description: str,
    taken: type[Arguments],
    run: Callable[[TeamApi, Arguments], Awaitable[Lines]],
    *,
    is_read_only: bool = True,
) -> RegisteredTool:
    async def call(api: TeamApi, given: Mapping[str, object]) -> ToolAnswer:
        try:
            parsed = taken.model_validate(given)
        except ValidationError as error:
            return ToolAnswer(_describe_faults(name, error), is_error=True)
        try:
            return ToolAnswer(format_answer(await run(api, parsed), parsed.from_line))
        except InvalidToolCall as error:
            return ToolAnswer(format_answer([str(error)], 1), is_error=True)
        except ApiRefusal as refusal:
            remedy = f" {quoted(refusal.remedy)}" if refusal.remedy else ""
            return ToolAnswer(
                f"Status {refusal.status}, {quoted(refusal.title)}: {quoted(refusal.detail)}{remedy}", is_error=True
            )

    hints = ToolAnnotations(
        title=title,
        read_only_hint=is_read_only,
        destructive_hint=False,
        idempotent_hint=is_read_only,
        open_world_hint=False,
    )
    described = Tool(
        name=name, title=title, description=description, input_schema=taken.model_json_schema(), annotations=hints
    )
    return RegisteredTool(described, is_read_only, call)


def _describe_faults(name: str, error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_input=False, include_context=False)
    listed = "; ".join(
        f"{quoted('.'.join(str(each) for each in fault['loc']) or 'arguments')}: {quoted(fault['msg'])}"
        for fault in faults[:MOST_FAULTS]
    )
    more = f"; and {len(faults) - MOST_FAULTS} more" if len(faults) > MOST_FAULTS else ""
    return f"The arguments of {name} are invalid: {listed}{more}."


_ALL: Final = (
    _register(
        "list_services",
        "List services",
        "List the services of the team with their slugs.",
        ToolArguments,
        list_services,
    ),
    _register(
        "search",
        "Search",
        "Find services, regressions, builds, commits, comparisons, bisects, reports, functions and artifacts by words.",
        arguments.Search,
        search,
    ),
    _register(
        "list_events",
        "List events",
        "List what needs an action, the most severe first: production events, regressions, bisects, failing channels.",
        arguments.ListEvents,
        list_events,
    ),
    _register(
        "explain_event",
        "Explain a production event",
        "Return a production event: sentence, proof, changed signals, comparison of before and after, suspect commits.",
        arguments.ExplainEvent,
        explain_event,
    ),
    _register(
        "list_regressions",
        "List regressions",
        "List regressions of builds, newest first: title, state, ratio with confidence interval, regression_id.",
        arguments.ListRegressions,
        list_regressions,
    ),
    _register(
        "explain_regression",
        "Explain a regression",
        "Return what got slower, by how much and how certain, since which commit, and the comparison with the evidence.",
        arguments.ExplainRegression,
        explain_regression,
    ),
    _register(
        "list_builds",
        "List builds",
        "List builds with verdict and evidence, newest first.",
        arguments.ListBuilds,
        list_builds,
    ),
    _register(
        "explain_build",
        "Explain a build",
        "Return the verdict on a build with its reasons, regressions and comparison, and the ids of its artifacts.",
        arguments.ExplainBuild,
        explain_build,
    ),
    _register(
        "compare",
        "Compare two sides",
        "Compare two builds, deployments or sets of artifacts, wait for the result, and return verdict and findings.",
        arguments.Compare,
        compare,
        is_read_only=False,
    ),
    _register(
        "get_comparison",
        "Get a comparison",
        "Return verdict, findings and caveats of a comparison.",
        arguments.GetComparison,
        get_comparison,
    ),
    _register(
        "function_diff",
        "Compare a function",
        "Return the cost of a function on both sides of a comparison, and its source lines with costs.",
        arguments.FunctionDiff,
        diff_function,
    ),
    _register(
        "top_functions",
        "Top functions",
        "Open profiles together and return the functions with the largest self plus attributed cost.",
        arguments.TopFunctions,
        list_top_functions,
    ),
    _register(
        "longest_waits",
        "Longest waits",
        "Return the longest scheduler latencies of an execution trace: who waited, who woke it, what ran meanwhile.",
        arguments.LongestWaits,
        list_longest_waits,
    ),
    _register(
        "suspect_commits",
        "Suspect commits",
        "Return the commits between a good and a bad build with their suspicion and its reasons, the highest first.",
        arguments.SuspectCommits,
        list_suspect_commits,
    ),
    _register(
        "commit_patch",
        "Patch of a commit",
        "Return author, reviewers, code owners and changed lines of a commit.",
        arguments.CommitPatch,
        get_commit_patch,
    ),
    _register(
        "start_bisect",
        "Start a bisect",
        "Start a bisect for a regression or a comparison with the proposed settings; a runner deploys its probes.",
        arguments.StartBisect,
        start_bisect,
        is_read_only=False,
    ),
    _register(
        "follow_bisect",
        "Follow a bisect",
        "Return state, top suspect, candidates and events of a bisect; wait for a change if asked to.",
        arguments.FollowBisect,
        follow_bisect,
    ),
)
TOOLS: Final[Mapping[str, RegisteredTool]] = {tool.described.name: tool for tool in _ALL}
