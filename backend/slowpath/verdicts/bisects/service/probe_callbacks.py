"""Callbacks of deployments, authenticated by the secret of the run."""

from datetime import datetime

from slowpath.core.db_sessions import Database, WriteSession
from slowpath.core.ids import ProbeId, TeamId
from slowpath.platform.accounts.rules.credentials import hash_secret, looks_like_secret
from slowpath.verdicts.bisects import queries
from slowpath.verdicts.bisects.errors import CallbackClosed, CallbackNotFound
from slowpath.verdicts.bisects.rules.bisect_states import DETAIL_BYTES
from slowpath.verdicts.bisects.service.bisect_locks import lock_probe_run, publish_bisect_change
from slowpath.verdicts.bisects.tables import Probe

LAST_WORDS = frozenset({"ready", "unbuildable", "failed"})
NOT_FOUND = "No probe has this callback address."


def get_callback_probe(database: Database, secret: str) -> tuple[TeamId, ProbeId]:
    """Return team and probe of a callback secret. Raises `CallbackNotFound`."""
    if not looks_like_secret(secret):
        raise CallbackNotFound(NOT_FOUND)
    with database.cross_team() as cross_team:
        row = queries.find_probe(cross_team, hash_secret(secret))
    if row is None:
        raise CallbackNotFound(NOT_FOUND)
    return TeamId(row.team_id), ProbeId(row.probe_id)


def record_callback(
    session: WriteSession, probe_id: ProbeId, state: str, detail: str, *, now: datetime
) -> tuple[Probe, bool]:
    """Record the state that a deployment reports; return whether it was new.

    Each state is accepted once, and none after a final one. Raises `CallbackNotFound`, `CallbackClosed`.
    """
    found = queries.select_probe(session, probe_id)
    if found is None:
        raise CallbackNotFound(NOT_FOUND)
    bisect, probe = lock_probe_run(session, found.run_id)
    earlier = probe.callback or {}
    if state in earlier.get("heard", ()):
        return probe, False
    if probe.leased_at is None or probe.ended_at is not None or earlier.get("state") in LAST_WORDS:
        raise CallbackClosed("This deployment has ended, or already reported a final state.")
    shown = detail.replace("\x00", "").encode("utf-8", "replace")[:DETAIL_BYTES].decode("utf-8", "ignore")
    heard = [*earlier.get("heard", ()), state]
    probe.callback = {"state": state, "detail": shown, "at": now.isoformat(), "heard": heard}
    publish_bisect_change(session, bisect)
    return probe, True
