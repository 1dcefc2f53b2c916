"""Find missed deliveries in GitLab's list of webhook events.

An event in the list has no time, and a redelivery may have a new ID. Therefore a delivery is identified by either the ID
that is stored here, or its content.
"""

import hashlib
import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final

from slowpath.inventory.webhooks.rules.github_missed_deliveries import MissedDelivery
from slowpath.inventory.webhooks.rules.payload_fields import link, number, text

OLDEST: Final = timedelta(days=7)
"""GitLab lists no older events."""
SLACK: Final = timedelta(hours=6)
"""Overlap with the previous reconciliation, so that failed redeliveries are tried some more times."""
MOST_TRIES: Final = 4
"""A delivery that failed this often will not succeed with more attempts."""
MOST_AGAIN: Final = 5
"""GitLab's limit of redeliveries per webhook and minute."""
SENDS_AGAIN_AFTER_S: Final = 75.0
"""A minute, plus clock differences."""
ID_HEADERS: Final = ("idempotency-key", "webhook-id", "x-gitlab-event-uuid")
"""Headers with the stored ID of a delivery, in order of preference; see `delivery_intake`."""
OFF: Final = frozenset({"disabled", "temporarily_disabled"})


@dataclass(frozen=True)
class GitLabDeliveryAttempt:
    """One attempt of GitLab to send a delivery."""

    number: int
    """The ID for requesting a redelivery."""
    names: tuple[str, ...]
    """Identifiers of the delivery; one match is enough."""
    went_well: bool
    answered_at: datetime | None
    """The time of our response, from its own header."""


def hook_at(listed: Any, address_paths: tuple[str, ...]) -> tuple[int | None, bool]:  # noqa: ANN401 - any JSON value
    """Return GitLab's ID of the webhook with our URL, and whether it is disabled."""
    for each in listed if isinstance(listed, list) else ():
        url = link(each.get("url")) if isinstance(each, dict) else None
        known = number(each.get("id")) if url else None
        if url is not None and known is not None and url.split("?")[0].rstrip("/").endswith(address_paths):
            return known, each.get("alert_status") in OFF
    return None, False


def events_of(page: Any) -> list[GitLabDeliveryAttempt]:  # noqa: ANN401 - any JSON value
    """Return the attempts of a page of events, without their large payloads."""
    found = []
    for each in page if isinstance(page, list) else ():
        known = number(each.get("id")) if isinstance(each, dict) else None
        if known is not None:
            names = (*_ids(each), *_words(each))
            found.append(
                GitLabDeliveryAttempt(known, names, _went_well(each.get("response_status")), _answered_at(each))
            )
    return found


def missed_events(events: Sequence[GitLabDeliveryAttempt], taken: Collection[str]) -> list[MissedDelivery]:
    """Return which deliveries to request again, each once, the longest untried first.

    Those in `taken` arrived here, and so did those with a successful response.
    """
    arrived: set[str] = set(taken)
    tries: dict[str, set[int]] = {}
    for each in events:
        for name in each.names:
            tries.setdefault(name, set()).add(each.number)
        if each.went_well:
            arrived.update(each.names)
    found: dict[int, MissedDelivery] = {}
    for each in events:
        if each.went_well or not each.names or arrived.intersection(each.names):
            continue
        of_message = {event for name in each.names for event in tries[name]}
        if len(of_message) < MOST_TRIES:
            found[min(of_message)] = MissedDelivery(max(of_message), each.names[0])
    return sorted(found.values(), key=lambda one: one.number)


def is_seen(page: Sequence[GitLabDeliveryAttempt], since: datetime | None, now: datetime) -> bool:
    """Return whether a page of events, newest first, reaches back to the previous reconciliation at `since`."""
    oldest = max(now - OLDEST, since - SLACK) if since is not None else now - OLDEST
    return any(each.answered_at is not None and each.answered_at <= oldest for each in page)


def _words(event: dict[str, Any]) -> list[str]:
    words = event.get("request_data")
    if not isinstance(words, dict):
        return []
    plain = json.dumps(words, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return [f"words {text(event.get('trigger'))} {hashlib.sha256(plain.encode()).hexdigest()}"]


def _ids(event: dict[str, Any]) -> list[str]:
    headers = event.get("request_headers")
    if not isinstance(headers, dict):
        return []
    text_value = {str(name).lower(): text(value) for name, value in headers.items()}
    return [found for name in ID_HEADERS if (found := text_value.get(name)) is not None][:1]


def _went_well(status: Any) -> bool:  # noqa: ANN401 - any JSON value: "200", 200, "internal error"
    text_value = str(status)
    return len(text_value) == 3 and text_value.isascii() and text_value.isdigit() and text_value[0] == "2"


def _answered_at(event: dict[str, Any]) -> datetime | None:
    headers = event.get("response_headers")
    text_value = text(headers.get("Date") or headers.get("date")) if isinstance(headers, dict) else None
    if text_value is None:
        return None
    try:
        at = parsedate_to_datetime(text_value)
    except (ValueError, IndexError, OverflowError):
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)
