"""What a deploy itself tells, by the secret of its run."""

from datetime import datetime

from slowpath.accounts.rules.credentials import looks_like_secret, secret_hash
from slowpath.bisects import queries
from slowpath.bisects.errors import CallbackEnded, CallbackNotFound
from slowpath.bisects.rules.states import DETAIL_BYTES
from slowpath.bisects.service.holding import changed, hold_run
from slowpath.bisects.tables import Probe
from slowpath.core.ids import ProbeId, TeamId
from slowpath.core.sessions import Database, WriteSession

LAST_WORDS = frozenset({"ready", "unbuildable", "failed"})
NOT_FOUND = "Nothing is called back here."


def find(database: Database, secret: str) -> tuple[TeamId, ProbeId]:
    """Return whose callback it is. Raises `CallbackNotFound`."""
    if not looks_like_secret(secret):
        raise CallbackNotFound(NOT_FOUND)
    with database.door() as door:
        row = queries.find_probe(door, secret_hash(secret))
    if row is None:
        raise CallbackNotFound(NOT_FOUND)
    return TeamId(row.team_id), ProbeId(row.probe_id)


def tell(session: WriteSession, probe_id: ProbeId, state: str, detail: str, *, now: datetime) -> tuple[Probe, bool]:
    """Write down what a deploy says of itself; tell whether it was new.

    Each word is heard once; after the last nothing else is. Raises `CallbackNotFound`, `CallbackEnded`.
    """
    found = queries.probe(session, probe_id)
    if found is None:
        raise CallbackNotFound(NOT_FOUND)
    bisect, probe = hold_run(session, found.run_id)
    said = probe.callback or {}
    if state in said.get("heard", ()):
        return probe, False
    if probe.leased_at is None or probe.ended_at is not None or said.get("state") in LAST_WORDS:
        raise CallbackEnded("This deploy has ended, or has said its last word.")
    shown = detail.replace("\x00", "").encode("utf-8", "replace")[:DETAIL_BYTES].decode("utf-8", "ignore")
    heard = [*said.get("heard", ()), state]
    probe.callback = {"state": state, "detail": shown, "at": now.isoformat(), "heard": heard}
    changed(session, bisect)
    return probe, True
