"""Tools for the inbox, production events and the search."""

from collections.abc import Iterator

from slowpath.analysis.findings.certainty import describe_probability
from slowpath.sharing.mcp_server.endpoints.regression_tools import next_page
from slowpath.sharing.mcp_server.endpoints.team_api import TeamApi
from slowpath.sharing.mcp_server.schemas.inbox_answers import (
    EventComparisonRead,
    EventSuspectRead,
    InboxItemRead,
    InboxRead,
    ProductionEventRead,
)
from slowpath.sharing.mcp_server.schemas.search_answers import SearchRead
from slowpath.sharing.mcp_server.schemas.tool_arguments import ExplainEvent, ListEvents, Search
from slowpath.sharing.mcp_server.wording import Lines, describe_ratio, fact, quoted

PAGES = {
    "production-event": "/events/{}",
    "regression": "/regressions/{}",
    "bisect": "/bisects/{}",
    "channel": "/settings?tab=notifications",
    "metric-source": "/settings?tab=metrics",
}
MOST_HISTORY = 20


async def list_events(api: TeamApi, arguments: ListEvents) -> Lines:
    """List what needs an action, the most severe first."""
    service_id = await api.get_service_id(arguments.service) if arguments.service else None
    query = {
        "view": arguments.view,
        "service_id": str(service_id) if service_id else None,
        "severity": arguments.severity,
        "q": arguments.search,
        "limit": arguments.limit,
        "cursor": arguments.cursor,
    }
    page = await api.read(InboxRead, "/inbox", query)
    lines = [quoted(page.headline), f"{len(page.items)} items, the most severe first"]
    lines += [f"- {_describe_item(each)}, {api.link(PAGES[each.kind].format(each.id))}" for each in page.items]
    return [*lines, *next_page(page.next_cursor)]


def _describe_item(item: InboxItemRead) -> str:
    number = f" {item.number}" if item.number is not None else ""
    place = f" of {quoted(item.service.slug)}" if item.service else ""
    where = f" in {quoted(item.environment.name)}" if item.environment else ""
    added = item.added_seconds_per_second
    cost = f" ({added:.3g} s added per second)" if added is not None else ""
    since = f", since {item.since_at:%Y-%m-%dT%H:%M:%SZ}" if item.since_at else ""
    ratio = f", {describe_ratio(item.change.ratio, item.change.low, item.change.high)}" if item.change else ""
    return (
        f"{item.kind}{number}{place}{where}: {quoted(item.title)}, severity {item.severity}{cost}, state {item.state}"
        f"{ratio}{since}, id {item.id}"
    )


async def explain_event(api: TeamApi, arguments: ExplainEvent) -> Lines:
    """Return a production event with its evidence."""
    found = await api.read(ProductionEventRead, f"/production-events/{arguments.event_id}")
    return [*_describe_event(api, found)]


def _describe_event(api: TeamApi, found: ProductionEventRead) -> Iterator[str]:
    yield _describe_item(found.item)
    yield fact("sentence", quoted(found.sentence))
    if found.requests_affected is not None:
        yield fact("requests affected", found.requests_affected)
    if found.item.since_commit:
        yield fact("since commit", quoted(found.item.since_commit))
    if found.item.closed:
        closed = found.item.closed
        yield fact("closed", f"{closed.at:%Y-%m-%dT%H:%M:%SZ}, {closed.reason}: {quoted(closed.sentence)}")
    for proof in found.proof:
        yield fact("proof", f"{proof.state}: {quoted(proof.sentence)}")
    for signal in found.signals:
        yield fact(signal.role, quoted(signal.sentence))
    if found.comparison is not None:
        yield from _describe_comparison(api, found.comparison)
    for suspect in found.suspects:
        yield from _describe_suspect(suspect)
    for entry in found.history[:MOST_HISTORY]:
        yield fact("history", f"{entry.at:%Y-%m-%dT%H:%M:%SZ} {quoted(entry.sentence)}")
    yield fact("page", api.link(f"/events/{found.item.id}"))


def _describe_comparison(api: TeamApi, comparison: EventComparisonRead) -> Iterator[str]:
    verdict = f", {comparison.verdict}" if comparison.verdict else ""
    headline = f": {quoted(comparison.headline)}" if comparison.headline else ""
    yield fact("before against after", f"{comparison.state}{verdict}{headline}")
    yield fact("comparison_id", str(comparison.id))
    yield fact("comparison page", api.link(f"/comparisons/{comparison.id}"))
    for finding in comparison.findings:
        certainty = "significant" if finding.is_significant else "tentative"
        yield fact("finding", f"{certainty}, {finding.direction}: {quoted(finding.sentence)}")


def _describe_suspect(suspect: EventSuspectRead) -> Iterator[str]:
    author = f" by {quoted(suspect.author)}" if suspect.author else ""
    yield fact(
        "suspect commit",
        f"{describe_probability(suspect.suspicion)} {quoted(suspect.sha)} {quoted(suspect.title)}{author}",
    )
    for reason in suspect.reasons:
        yield f"  reason: {quoted(reason)}"


async def search(api: TeamApi, arguments: Search) -> Lines:
    """Search objects of the team."""
    found = await api.read(SearchRead, "/search", {"q": arguments.text, "limit": arguments.limit})
    lines: Lines = []
    for group in found.groups:
        lines += [
            f"- {group.type} {quoted(each.title)}, {quoted(each.subtitle)}, id {each.id}, {api.link(each.path)}"
            for each in group.items
        ]
    return lines or ["No object has these words."]
