"""Put pushed spans together into files."""

import hashlib
import tempfile
from pathlib import Path

from slowpath.spans.jobs import FoldPushes
from slowpath.spans.service import pushing
from slowpath.spans.service.packing import pieces
from slowpath.spans.service.pushing import Fold
from slowpath.uploads.service.receiving import ReceivedFile
from slowpath_worker.context import Context

__all__ = ["FoldPushes", "fold_pushes"]


def fold_pushes(_job: FoldPushes, context: Context) -> None:
    """Make files of what was pushed, and forget those whose time is over.

    Nothing is looked at here: the files are decoded by jobs of their own, as if somebody had uploaded them.
    """
    with (
        tempfile.TemporaryDirectory(dir=context.scratch, prefix="fold-") as folder,
        context.finishing() as session,
    ):
        for fold in pushing.held(session):
            pushing.fold(session, context.blobs, fold, _written(fold, Path(folder) / fold.dialect))
        pushing.go_on(session)
        pushing.forget_old(session)


def _written(fold: Fold, path: Path) -> ReceivedFile:
    """Write the pushes one behind the other: so they are a file of their dialect."""
    digest, size_bytes = hashlib.sha256(), 0
    with path.open("wb") as file:
        for push in fold.pushes:
            for piece in pieces(push.content):
                file.write(piece)
                digest.update(piece)
                size_bytes += len(piece)
    return ReceivedFile(path, size_bytes, digest.hexdigest())
