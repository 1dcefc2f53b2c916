"""What a deploy itself tells, by the secret of its run."""

from datetime import datetime

from slowpath.bisects.tables import Probe
from slowpath.core.ids import ProbeId, TeamId
from slowpath.core.sessions import Database, WriteSession


def find(database: Database, secret: str) -> tuple[TeamId, ProbeId]:
    """Return whose callback it is. Raises `CallbackNotFound`."""
    raise NotImplementedError


def tell(session: WriteSession, probe_id: ProbeId, state: str, detail: str, *, now: datetime) -> tuple[Probe, bool]:
    """Write down what a deploy says of itself; tell whether it was new. Raises `CallbackEnded`."""
    raise NotImplementedError
