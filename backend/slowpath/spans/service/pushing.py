"""Spans as services push them: kept at once, folded into files a minute later.

A push is a row before it is acknowledged. The fold puts the rows of a minute into one artifact, which is decoded as
an uploaded file would be, and deletes them in the same transaction: nothing is lost, nothing counts twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID, uuid5

from sqlalchemy import insert

from slowpath.core.ids import ArtifactId, TeamId, new_id
from slowpath.core.jobs import enqueue_once
from slowpath.core.ports import BlobStore
from slowpath.core.sessions import WriteSession
from slowpath.spans import queries
from slowpath.spans.errors import PushNotUnderstood, PushTooLarge
from slowpath.spans.jobs import FoldPushes
from slowpath.spans.rules import PushBomb, PushDialect, PushRefused, check_document, is_message
from slowpath.spans.service.packing import packed, unpacked
from slowpath.spans.tables import SpanPush
from slowpath.uploads.service import reading as uploads
from slowpath.uploads.service import receiving
from slowpath.uploads.service.receiving import Labels, ReceivedFile

MOST_UNPACKED_BYTES = 8 << 20
FOLD_SECONDS = 30.0
MOST_FOLDED_BYTES = 32 << 20
MOST_FOLDED = 5_000
KEPT_DAYS = 7
"""Folded files are forgotten after this; what comparisons and reports made of them stays."""
MOST_FORGOTTEN = 200
_SUFFIX = {PushDialect.PROTOBUF: "otlp", PushDialect.JSON: "otlp.jsonl"}


@dataclass(frozen=True)
class Fold:
    """Pushes of one dialect that become a file."""

    dialect: PushDialect
    pushes: Sequence[SpanPush]

    @property
    def name(self) -> str:
        """How the file is called: after the minute of its first push."""
        return f"spans {self.pushes[0].created_at:%Y-%m-%d %H.%M.%S}.{_SUFFIX[self.dialect]}"


def batch_of_pushes(team_id: TeamId) -> UUID:
    """Return the batch under which a team's folded files stand together."""
    return uuid5(team_id, "pushed spans")


def push(session: WriteSession, body: bytes, encoding: str, dialect: PushDialect) -> None:
    """Keep what was pushed. Raises `PushNotUnderstood`, `PushTooLarge`."""
    try:
        plain = unpacked(body, encoding, MOST_UNPACKED_BYTES)
        if dialect is PushDialect.JSON:
            check_document(plain)
    except PushBomb:
        raise PushTooLarge(
            "The push unpacks to more than one push may hold.",
            limit=MOST_UNPACKED_BYTES,
            unit="bytes",
            remedy="Export smaller batches (OTEL_BSP_MAX_EXPORT_BATCH_SIZE).",
        ) from None
    except PushRefused as why:
        raise PushNotUnderstood(str(why)) from why
    if dialect is PushDialect.PROTOBUF and not is_message(plain):
        raise PushNotUnderstood("The body is no ExportTraceServiceRequest.", remedy="Send OTLP over HTTP/protobuf.")
    if not plain:
        return
    values = {"dialect": dialect, "size_bytes": len(plain), "content": packed(plain, dialect)}
    del plain
    session.execute(insert(SpanPush).values(team_id=session.team_id, id=new_id(), **values))
    enqueue_once(session, FoldPushes(session.team_id), after_s=FOLD_SECONDS)


def held(session: WriteSession) -> list[Fold]:
    """Return the oldest pushes, by dialect, held until the transaction ends."""
    rows = queries.pushes(session, MOST_FOLDED_BYTES, MOST_FOLDED)
    folds = (Fold(dialect, [row for row in rows if row.dialect == dialect]) for dialect in PushDialect)
    return [fold for fold in folds if fold.pushes]


def fold(session: WriteSession, blobs: BlobStore, one: Fold, file: ReceivedFile) -> ArtifactId:
    """Make the file that holds these pushes an artifact, and forget them; they must be held by this transaction."""
    labels = Labels(name=one.name, batch=batch_of_pushes(session.team_id))
    artifact = receiving.receive(session, blobs, file, labels)
    queries.forget_pushes(session, one.pushes)
    return ArtifactId(artifact.id)


def go_on(session: WriteSession) -> None:
    """Have the rest folded, if there is any."""
    if queries.any_push(session):
        enqueue_once(session, FoldPushes(session.team_id))


def forget_old(session: WriteSession) -> None:
    """Forget folded files whose time is over, by the database's clock."""
    for row in queries.folded_before(session, batch_of_pushes(session.team_id), KEPT_DAYS, MOST_FORGOTTEN):
        keys = [receiving.original_key(session.team_id, row.sha256)]
        uploads.forget(session, ArtifactId(row.id), keys)
