"""API clients of GitHub and GitLab that list sent deliveries and request redeliveries of missed ones."""

import json
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Protocol
from urllib.parse import quote

from slowpath.core.ports import EgressConnection, HttpResponse
from slowpath.inventory.webhooks.errors import ReconciliationNotConfigured
from slowpath.inventory.webhooks.rules import github_missed_deliveries, gitlab_missed_deliveries
from slowpath.inventory.webhooks.rules.github_missed_deliveries import MissedDelivery

SECONDS: Final = 20.0
MAX_ANSWER_BYTES: Final = 4 << 20
MAX_EVENTS_BYTES: Final = 32 << 20
"""GitLab's events contain complete payloads."""
LISTED: Final = 100
LISTED_EVENTS: Final = 20
MOST_PAGES: Final = 50
"""The most deliveries that one reconciliation reads."""
MOST_PAGES_OF_HOOKS: Final = 5
SLOW_DOWN: Final = 429


class DeliveryProvider(Protocol):
    """A client for the deliveries of one webhook."""

    url: str
    """The URL of its API."""
    most_again: int
    """Redeliveries per reconciliation."""

    def listed(self, peer: EgressConnection, now: datetime) -> list[Any]:
        """Return the list of deliveries, newest first. Raises `ReconciliationNotConfigured`."""

    def ids(self, listed: list[Any]) -> list[str]:
        """Return the stored IDs of the listed deliveries."""

    def missed(self, listed: list[Any], taken: Collection[str], now: datetime) -> list[MissedDelivery]:
        """Return which deliveries to request again, in order."""

    def ask_again(self, peer: EgressConnection, one: MissedDelivery) -> bool | None:
        """Request a redelivery; returns whether it was accepted, or None to retry later."""


@dataclass
class GitHubDeliveries:
    """GitHub never redelivers automatically."""

    url: str
    path: str
    """Of one webhook's deliveries."""
    headers: dict[str, str]
    most_again: int = github_missed_deliveries.MOST_AGAIN

    def listed(self, peer: EgressConnection, now: datetime) -> list[Any]:
        """Return GitHub's deliveries newest first, page by page, as far back as GitHub redelivers."""
        found: list[Any] = []
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page, cursor = self._page(peer, cursor)
            found += page
            if cursor is None or not page or github_missed_deliveries.is_old(page[-1], now):
                break
        return found

    def ids(self, listed: list[Any]) -> list[str]:
        """Return the IDs of deliveries."""
        return github_missed_deliveries.listed_ids(listed)

    def missed(self, listed: list[Any], taken: Collection[str], now: datetime) -> list[MissedDelivery]:
        """Return which deliveries to request again, oldest first."""
        return github_missed_deliveries.missed(listed, taken, now)

    def ask_again(self, peer: EgressConnection, one: MissedDelivery) -> bool | None:
        """Request a redelivery from GitHub."""
        path = f"{self.path}/{one.number}/attempts"
        answer = peer.send("POST", path, b"", self.headers, max_bytes=MAX_ANSWER_BYTES, seconds=SECONDS)
        return None if answer.status == SLOW_DOWN else 200 <= answer.status < 300

    def _page(self, peer: EgressConnection, cursor: str | None) -> tuple[list[Any], str | None]:
        """Return one page, and the cursor of the next."""
        query = [("per_page", str(LISTED)), *([("cursor", cursor)] if cursor else [])]
        answer = peer.get(self.path, query, self.headers, max_bytes=MAX_ANSWER_BYTES, seconds=SECONDS)
        page = _list(answer, "GitHub", "The token requires read and write access to webhooks of the repository.")
        after = github_missed_deliveries.next_cursor(answer.link)
        return page, after if after != cursor else None


@dataclass
class GitLabDeliveries:
    """GitLab stops after some attempts, disables webhooks that fail often, and lists events for a week."""

    url: str
    project: str
    """Its path: group/subgroup/name."""
    address_paths: tuple[str, ...]
    """The path of the webhook's URL, by which GitLab's ID of the webhook is found."""
    headers: dict[str, str]
    since: datetime | None
    """Deliveries sent before were already checked."""
    most_again: int = gitlab_missed_deliveries.MOST_AGAIN
    _path: str = ""

    def listed(self, peer: EgressConnection, now: datetime) -> list[Any]:
        """Return GitLab's events newest first, page by page, back to those already checked."""
        self._path = f"{self._hooks()}/{self._number(peer)}/events"
        found: list[Any] = []
        for number in range(1, MOST_PAGES + 1):
            query = [("page", str(number)), ("per_page", str(LISTED_EVENTS))]
            listed = self._list(peer, self._path, query)
            page = gitlab_missed_deliveries.events_of(listed)
            found += page
            if len(listed) < LISTED_EVENTS or gitlab_missed_deliveries.is_seen(page, self.since, now):
                break
        return found

    def ids(self, listed: list[Any]) -> list[str]:
        """Return the IDs of deliveries."""
        return list(dict.fromkeys(name for event in listed for name in event.names))

    def missed(self, listed: list[Any], taken: Collection[str], now: datetime) -> list[MissedDelivery]:  # noqa: ARG002 - no times
        """Return which deliveries to request again, the longest untried first."""
        return gitlab_missed_deliveries.missed_events(listed, taken)

    def ask_again(self, peer: EgressConnection, one: MissedDelivery) -> bool | None:
        """Request a redelivery from GitLab, which responds after sending."""
        path = f"{self._path}/{one.number}/resend"
        answer = peer.send("POST", path, b"", self.headers, max_bytes=MAX_ANSWER_BYTES, seconds=SECONDS)
        return None if answer.status == SLOW_DOWN else 200 <= answer.status < 300

    def _hooks(self) -> str:
        return f"/projects/{quote(self.project, safe='')}/hooks"

    def _number(self, peer: EgressConnection) -> int:
        for number in range(1, MOST_PAGES_OF_HOOKS + 1):
            page = self._list(peer, self._hooks(), [("page", str(number)), ("per_page", str(LISTED))])
            known, off = gitlab_missed_deliveries.hook_at(page, self.address_paths)
            if known is not None and off:
                raise ReconciliationNotConfigured(
                    "GitLab disabled the webhook because too many of its deliveries failed.",
                    remedy="Send a test event from the webhook settings in GitLab: a successful one enables it again.",
                )
            if known is not None:
                return known
            if len(page) < LISTED:
                break
        raise ReconciliationNotConfigured(
            f"The project {self.project} has no webhook with this URL.",
            remedy="Add it in GitLab: Settings > Webhooks.",
        )

    def _list(self, peer: EgressConnection, path: str, query: list[tuple[str, str]]) -> list[Any]:
        answer = peer.get(path, query, self.headers, max_bytes=MAX_EVENTS_BYTES, seconds=SECONDS)
        return _list(
            answer,
            "GitLab",
            "The token requires the scope api and the role Maintainer; GitLab lists events since version 17.4.",
        )


def _list(answer: HttpResponse, who: str, remedy: str) -> list[Any]:
    if answer.status != 200:
        raise ReconciliationNotConfigured(
            f"{who} returned {answer.status} to the request for its deliveries.", remedy=remedy
        )
    try:
        page = json.loads(answer.content)
    except (ValueError, RecursionError) as error:
        raise ReconciliationNotConfigured(
            f"The response of {who} is not JSON.", remedy="Check the URL of its API."
        ) from error
    return page if isinstance(page, list) else []
