"""Tool for execution traces: the longest waits."""

from collections.abc import Iterator

from slowpath.sharing.mcp_server.endpoints.team_api import TeamApi
from slowpath.sharing.mcp_server.schemas.tool_arguments import LongestWaits
from slowpath.sharing.mcp_server.schemas.trace_answers import LongestWait, TraceRead
from slowpath.sharing.mcp_server.wording import Lines, fact, quoted

MOST_FRAMES = 12
MOST_OCCUPANTS = 5
MS = 1e6


async def list_longest_waits(api: TeamApi, arguments: LongestWaits) -> Lines:
    """Return the longest waits of a trace: who waited, who woke it, and what ran meanwhile."""
    trace = await api.read(TraceRead, f"/execution-traces/{arguments.artifact_id}")
    waits = sorted(trace.worst, key=lambda each: -each.duration_ns)
    lines = [f"{min(len(waits), arguments.limit)} of the {len(waits)} longest recorded waits, longest first"]
    for number, wait in enumerate(waits[: arguments.limit], 1):
        lines += _describe(number, wait)
    return [*lines, fact("page", api.link(f"/execution-traces/{arguments.artifact_id}"))]


def _describe(number: int, wait: LongestWait) -> Iterator[str]:
    yield (
        f"{number}. {quoted(wait.waiter)} (goroutine {wait.goroutine}) waited {wait.duration_ns / MS:.4g} ms for a P, "
        f"from {wait.start_ns / MS:.4g} ms of the trace"
    )
    yield f"  cause: {quoted(wait.verdict)}; {wait.queue_ahead} goroutines ahead in the queue, overtaken {wait.overtakes} times"
    if wait.waker:
        yield f"  made runnable by {quoted(wait.waker)}"
    for each in sorted(wait.occupancy, key=lambda one: -one.ns)[:MOST_OCCUPANTS]:
        group = f" {quoted(each.group)}" if each.group else ""
        yield f"  meanwhile on the Ps: {quoted(each.kind)}{group}, {each.ns / MS:.4g} ms"
    for name, stack in (("blocked at", wait.block_stack), ("woken at", wait.waker_stack)):
        if stack:
            more = f" and {len(stack) - MOST_FRAMES} more frames" if len(stack) > MOST_FRAMES else ""
            yield f"  {name}: {', '.join(quoted(frame) for frame in stack[:MOST_FRAMES])}{more}"
