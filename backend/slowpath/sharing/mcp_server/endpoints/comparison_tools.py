"""Tools for comparisons: create and wait, findings, one function on both sides."""

from collections.abc import Iterator
from uuid import UUID

from slowpath.analysis.kinds.profiles.views.function_costs import FunctionCost
from slowpath.platform.http.caller_api import ApiRefusal
from slowpath.sharing.mcp_server.endpoints.team_api import TeamApi, wait_for
from slowpath.sharing.mcp_server.errors import InvalidToolCall
from slowpath.sharing.mcp_server.schemas.comparison_answers import (
    ComparisonRead,
    ComparisonResult,
    Effect,
    Finding,
    FunctionSource,
    FunctionSources,
    ViewRead,
)
from slowpath.sharing.mcp_server.schemas.tool_arguments import Compare, FunctionDiff, GetComparison, SideArgument
from slowpath.sharing.mcp_server.wording import Lines, fact, format_interval, format_ratio, quoted

ENDED = frozenset({"done", "failed", "cancelled"})
MOST_MATCHES = 10
MOST_CONTRIBUTIONS = 5


async def compare(api: TeamApi, arguments: Compare) -> Lines:
    """Create a comparison and wait for its findings."""
    sides = {"base": _source(arguments.base), "candidate": _source(arguments.candidate)}
    created = await api.send(ComparisonRead, "/comparisons", sides)
    return await _wait_and_describe(api, created.id, arguments.wait_seconds)


async def get_comparison(api: TeamApi, arguments: GetComparison) -> Lines:
    """Return the findings of a comparison."""
    return await _wait_and_describe(api, arguments.comparison_id, arguments.wait_seconds)


def _source(side: SideArgument) -> dict[str, object]:
    if side.build_id is not None:
        return {"source": {"type": "build", "build_id": str(side.build_id)}}
    if side.deployment_id is not None:
        return {"source": {"type": "deployment", "deployment_id": str(side.deployment_id)}}
    return {"artifact_ids": [str(each) for each in side.artifact_ids or ()]}


async def _wait_and_describe(api: TeamApi, comparison_id: UUID, wait_seconds: float) -> Lines:
    found = await wait_for(
        lambda: api.read(ComparisonRead, f"/comparisons/{comparison_id}"),
        lambda each: each.result is not None or each.state in ENDED,
        wait_seconds,
    )
    lines = [f"Comparison {quoted(found.name)}", fact("state", found.state), fact("comparison_id", str(found.id))]
    for name, side in (("base", found.base), ("candidate", found.candidate)):
        build = f", build_id {side.build_id}" if side.build_id else ""
        lines.append(fact(name, f"{quoted(side.label)}, {side.artifacts} artifacts{build}"))
        if side.left_out:
            lines.append(fact(f"left out of {name}", quoted(side.left_out)))
    if found.problem is not None:
        lines.append(fact("problem", f"{quoted(found.problem.title)}: {quoted(found.problem.detail)}"))
    if found.result is not None:
        lines += _describe_result(found.result)
    elif found.state not in ENDED:
        lines.append("The result is not ready yet: call get_comparison with this comparison_id and wait_seconds 20.")
    lines.append(fact("page", api.link(f"/comparisons/{found.id}")))
    return lines


def _describe_result(result: ComparisonResult) -> Iterator[str]:
    yield fact("verdict", f"{result.verdict}: {quoted(result.headline.sentence)}")
    if result.headline.minimum_detectable_effect:
        yield fact("minimum detectable effect", quoted(result.headline.minimum_detectable_effect))
    for condition in result.headline.conditions:
        yield fact("condition", quoted(condition))
    for caveat in result.caveats:
        yield fact("caveat", quoted(caveat.sentence))
    yield fact("findings", len(result.findings))
    for number, finding in enumerate(result.findings, 1):
        yield from _describe_finding(number, finding)
    for shift in result.cost_shifts:
        yield fact("cost shift", quoted(shift.sentence))


def _describe_finding(number: int, finding: Finding) -> Iterator[str]:
    certainty, unit = "significant" if finding.is_significant else "tentative", quoted(finding.unit)
    yield (
        f"finding {number}: {certainty}, {finding.direction}, {finding.kind} {quoted(finding.subject)}: "
        f"{quoted(finding.sentence)}"
    )
    yield (
        f"  {quoted(finding.profile_kind)}: {finding.base:.4g} to {finding.candidate:.4g} {unit} "
        f"({finding.normalization}), {_describe_effect(finding.change)}"
    )
    for caller in finding.attributed_callers[:MOST_CONTRIBUTIONS]:
        yield f"  attributed to {quoted(caller.function)}: {caller.difference:+.4g} {unit}"
    for part in finding.contributions[:MOST_CONTRIBUTIONS]:
        yield f"  contribution of {quoted(part.subject)}: {part.share:.1%}"
    if finding.mechanism:
        yield f"  mechanism: {quoted(finding.mechanism)}"


def _describe_effect(change: Effect) -> str:
    if change.ci_of == "ratio":
        return f"ratio {format_ratio(change.ratio, change.ci_low, change.ci_high)}"
    return f"difference {change.difference:+.4g}{format_interval(change.ci_low, change.ci_high)}"


async def diff_function(api: TeamApi, arguments: FunctionDiff) -> Lines:
    """Return the cost of a function on both sides, and its source lines that changed or cost most."""
    base = f"/comparisons/{arguments.comparison_id}"
    chosen = _choose_view(await api.read(ComparisonRead, base), arguments.kind)
    key = {"kind": chosen.kind, "sample_type": chosen.sample_type, "granularity": chosen.granularity}
    await api.send(ViewRead, f"{base}/views", key)
    found = await wait_for(
        lambda: api.read(ComparisonRead, base),
        lambda each: _view_of(each, chosen.id).state in ENDED,
        arguments.wait_seconds,
    )
    state = _view_of(found, chosen.id).state
    if state != "done":
        return [f"The view of {quoted(chosen.kind)} is not ready: its state is {state}. Call the tool again."]
    table = await api.read_functions(f"{base}/views/{chosen.id}")
    exact = table.find(arguments.function)
    rows = [exact] if exact is not None else table.matching(arguments.function, MOST_MATCHES)
    if not rows:
        return [f"No function of {quoted(chosen.kind)} has {quoted(arguments.function)} in its name."]
    lines = [f"{quoted(chosen.kind)} ({quoted(chosen.sample_type)}), {table.normalization}"]
    for row in rows:
        lines += _describe_function(row, table.unit)
    if len(rows) == 1:
        lines += await _describe_source(api, f"{base}/views/{chosen.id}/source", rows[0].name)
    return [*lines, fact("page", api.link(f"/comparisons/{arguments.comparison_id}"))]


def _choose_view(found: ComparisonRead, kind: str | None) -> ViewRead:
    views = [each for each in found.views if each.granularity == "function"]
    chosen = next((each for each in views if kind is None or each.kind == kind), None)
    if chosen is None:
        kinds = (
            ", ".join(sorted({quoted(each.kind) for each in views})) or "none: it compares no profiles, or is not done"
        )
        raise InvalidToolCall(f"The comparison has no such kind of profile. Kinds: {kinds}.")
    return chosen


def _view_of(found: ComparisonRead, view_id: UUID) -> ViewRead:
    return next(each for each in found.views if each.id == view_id)


def _describe_function(row: FunctionCost, unit: str) -> Iterator[str]:
    yield fact("function", quoted(row.name, 1000))
    if row.file:
        yield fact("  file", quoted(row.file))
    for side, cost in (("base", row.base), ("candidate", row.candidate)):
        yield (
            f"  {side}: self {cost.self_value:.4g}, attributed {cost.attributed:.4g}, total {cost.total:.4g} {quoted(unit)}"
        )
    ratio = row.candidate.total / row.base.total if row.base.total else None
    yield fact("  ratio of the total", format_ratio(ratio, row.low, row.high))


async def _describe_source(api: TeamApi, path: str, function: str) -> Lines:
    try:
        sources = await api.read(FunctionSources, path, {"function": function})
    except ApiRefusal as refusal:
        return [fact("source", quoted(f"{refusal.title}: {refusal.detail}"))]
    lines = [fact("difference of both commits", quoted(sources.comparison_url))] if sources.comparison_url else []
    for side, source in (("base", sources.base), ("candidate", sources.candidate)):
        lines += _describe_side_source(side, source)
    return lines


def _describe_side_source(side: str, source: FunctionSource) -> Iterator[str]:
    place = f"{quoted(source.path or 'unknown')} at {quoted(source.commit or 'unknown')}"
    yield fact(f"{side} source", f"{place}{f', {quoted(source.url)}' if source.url else ''}")
    if source.reason is not None:
        yield fact("  no lines", source.reason)
    for line in source.lines:
        if line.is_changed or line.total_value:
            mark = ", changed" if line.is_changed else ""
            attributed = "" if line.attributed_value is None else f"attributed {line.attributed_value:.4g}, "
            inlined = f", inlined {', '.join(map(quoted, line.inlined))}" if line.inlined else ""
            cost = f"self {line.self_value:.4g}, {attributed}total {line.total_value:.4g}"
            yield f"  line {line.number}{mark}, {cost}{inlined}: {quoted(line.text)}"
