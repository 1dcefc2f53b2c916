"""Whom to ask what a hook missed, and what came of asking."""

import re
from datetime import datetime, timedelta
from typing import Any, Final

from slowpath.core.ids import HookId
from slowpath.core.jobs import enqueue_once
from slowpath.core.sealing import Sealer
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.hooks import queries
from slowpath.hooks.jobs import ReconcileHook
from slowpath.hooks.rules import KEPT_DAYS, missed_gitlab
from slowpath.hooks.rules.missed import SENDS_AGAIN_AFTER_S
from slowpath.hooks.service import keeping
from slowpath.hooks.service.senders import GitHub, GitLab, Sender

TARGET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,99}/[A-Za-z0-9._-]{1,100}")
PROJECT: Final = re.compile(r"\w[\w.-]{0,254}(/\w[\w.-]{0,254}){1,20}")
"""GitLab's groups have groups."""
NUMBER: Final = re.compile(r"[0-9]{1,20}")


def sender(session: ReadSession, hook_id: HookId, sealer: Sealer) -> Sender | None:
    """Return whom a hook can ask; None if nobody. Raises `HookNotFound`, `SecretRefused`."""
    row = keeping.find(session, hook_id)
    if row.api_url is None or row.target is None:
        return None
    if row.kind == "gitlab":
        if not PROJECT.fullmatch(row.target):
            return None
        token = keeping.api_token(row, sealer)
        address_path = f"/api/v1/hooks/{row.id}/gitlab"
        return GitLab(row.api_url, row.target, address_path, {"PRIVATE-TOKEN": token}, row.reconciled_at)
    if not TARGET.fullmatch(row.target) or not NUMBER.fullmatch(row.external_id or ""):
        return None
    headers = {
        "Authorization": f"Bearer {keeping.api_token(row, sealer)}",
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
    }
    return GitHub(row.api_url, f"/repos/{row.target}/hooks/{row.external_id}/deliveries", headers)


def taken(session: ReadSession, hook_id: HookId, ids: list[str]) -> set[str]:
    """Return which messages have arrived."""
    return queries.taken(session, hook_id, ids)


def ended(  # noqa: PLR0917 - how it ended
    session: WriteSession,
    hook_id: HookId,
    asked: bool,
    missed: int,
    problem: dict[str, Any] | None,
    now: datetime,
    more: bool = False,
) -> None:
    """Write down how asking ended, forget old messages, and do so again later while there is somebody to ask.

    With `more` that must be asked for it is done again soon, and as if what was sent had not been looked through.
    """
    row = queries.held(session, hook_id)
    if row is None:
        return
    queries.forget_deliveries(session, hook_id, now - timedelta(days=KEPT_DAYS))
    if asked:
        row.missed = missed
        if not more:
            row.reconciled_at = now
    row.problem = problem
    wait_s = missed_gitlab.SENDS_AGAIN_AFTER_S if more else SENDS_AGAIN_AFTER_S
    enqueue_once(session, ReconcileHook(hook_id), after_s=wait_s)
