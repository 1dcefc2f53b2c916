"""GitHub never sends again by itself: it is asked what it sent, and to send again what did not arrive."""

import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from slowpath.core.ids import HookId
from slowpath.core.jobs import enqueue_once
from slowpath.core.ports import Peer
from slowpath.core.sealing import Sealer
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.hooks import queries
from slowpath.hooks.errors import NothingToReconcile
from slowpath.hooks.jobs import ReconcileHook
from slowpath.hooks.rules import KEPT_DAYS
from slowpath.hooks.rules.missed import SENDS_AGAIN_AFTER_S, Missed, is_old, next_cursor
from slowpath.hooks.service import keeping

SECONDS: Final = 20.0
MAX_ANSWER_BYTES: Final = 4 << 20
LISTED: Final = 100
MOST_PAGES: Final = 50
"""Of three days: more messages than that are not looked through at a time."""
TARGET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/[A-Za-z0-9._-]{1,100}")
NUMBER: Final = re.compile(r"[0-9]{1,20}")


@dataclass(frozen=True)
class Sender:
    """Where GitHub is asked for one hook's messages."""

    url: str
    path: str
    headers: dict[str, str]


def sender(session: ReadSession, hook_id: HookId, sealer: Sealer) -> Sender | None:
    """Return where a hook's sender is asked; None if it can not be. Raises `HookNotFound`, `SecretRefused`."""
    row = keeping.find(session, hook_id)
    known = row.kind == "github" and row.api_url and TARGET.fullmatch(row.target or "")
    if not known or row.api_url is None or not NUMBER.fullmatch(row.external_id or ""):
        return None
    headers = {
        "Authorization": f"Bearer {keeping.api_token(row, sealer)}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    return Sender(row.api_url, f"/repos/{row.target}/hooks/{row.external_id}/deliveries", headers)


def listed(peer: Peer, asked: Sender, now: datetime) -> list[Any]:
    """Return GitHub's deliveries newest first, back to those that it sends no more, page by page.

    Raises `NothingToReconcile`, and what the peer raises.
    """
    found: list[Any] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page, cursor = _page(peer, asked, cursor)
        found += page
        if cursor is None or not page or is_old(page[-1], now):
            break
    return found


def _page(peer: Peer, asked: Sender, cursor: str | None) -> tuple[list[Any], str | None]:
    """Return one page, and by what the next one is asked for."""
    query = [("per_page", str(LISTED)), *([("cursor", cursor)] if cursor else [])]
    answer = peer.get(asked.path, query, asked.headers, max_bytes=MAX_ANSWER_BYTES, seconds=SECONDS)
    if answer.status != 200:
        raise NothingToReconcile(
            f"GitHub answers {answer.status} when it is asked for what it sent.",
            remedy="The token needs to read and write webhooks of the repository.",
        )
    try:
        page = json.loads(answer.content)
    except (ValueError, RecursionError) as error:
        raise NothingToReconcile("GitHub's answer is no JSON.", remedy="Look at the address of its API.") from error
    after = next_cursor(answer.link)
    return page if isinstance(page, list) else [], after if after != cursor else None


def ask_again(peer: Peer, asked: Sender, one: Missed) -> bool:
    """Ask GitHub to send a message again; tell whether it will."""
    path = f"{asked.path}/{one.number}/attempts"
    answer = peer.send("POST", path, b"", asked.headers, max_bytes=MAX_ANSWER_BYTES, seconds=SECONDS)
    return 200 <= answer.status < 300


def taken(session: ReadSession, hook_id: HookId, ids: list[str]) -> set[str]:
    """Return which messages have arrived."""
    return queries.taken(session, hook_id, ids)


def ended(  # noqa: PLR0917 - how it ended
    session: WriteSession, hook_id: HookId, asked: bool, missed: int, problem: dict[str, Any] | None, now: datetime
) -> None:
    """Write down how asking ended, forget old messages, and do so again later while there is somebody to ask."""
    row = queries.held(session, hook_id)
    if row is None:
        return
    queries.forget_deliveries(session, hook_id, now - timedelta(days=KEPT_DAYS))
    if asked:
        row.reconciled_at, row.missed = now, missed
    row.problem = problem
    enqueue_once(session, ReconcileHook(hook_id), after_s=SENDS_AGAIN_AFTER_S)
