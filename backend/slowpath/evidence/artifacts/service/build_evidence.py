"""Count what was uploaded of builds, and state why there is nothing to compare."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from slowpath.analysis.findings.wording import pluralize
from slowpath.analysis.kinds.registry import compared_ids
from slowpath.core.db_sessions import ReadSession
from slowpath.evidence.artifacts import queries
from slowpath.evidence.artifacts.queries import is_usable, recorded_ms
from slowpath.evidence.artifacts.rules import ArtifactState

__all__ = ["EvidenceCounts", "count_evidence", "is_usable", "recorded_ms"]


@dataclass
class EvidenceCounts:
    """Artifacts of one build: decoded ones that can be compared by kind, and all others."""

    kinds: dict[str, int] = field(default_factory=dict)
    waiting: int = 0
    unreadable: int = 0
    not_compared: int = 0

    @property
    def missing_reason(self) -> str | None:
        """Return why nothing can be compared, or None if something can."""
        if self.kinds:
            return None
        if self.waiting:
            return (
                f"{pluralize(self.waiting, 'file')} of it {'is' if self.waiting == 1 else 'are'} still being decoded."
            )
        if self.unreadable:
            return f"{pluralize(self.unreadable, 'file')} of it could not be read."
        if self.not_compared:
            return "It has Go programs only, which are not compared."
        return "No files were uploaded for it."


def count_evidence(session: ReadSession, build_ids: Sequence[UUID]) -> Mapping[UUID, EvidenceCounts]:
    """Return the counts of each build, kinds in display order."""
    found = {build_id: EvidenceCounts() for build_id in build_ids}
    order = {kind: place for place, kind in enumerate(compared_ids())}
    rows = queries.count_by_build(session, list(found)) if found else ()
    for build_id, kind, state, count in sorted(rows, key=lambda row: order.get(row[1] or "", len(order))):
        _add(found[build_id], kind, state, count, is_compared=kind in order)
    return found


def _add(counts: EvidenceCounts, kind: str | None, state: str, count: int, *, is_compared: bool) -> None:
    if state in (ArtifactState.RECEIVED, ArtifactState.DECODING):
        counts.waiting += count
    elif state != ArtifactState.DECODED:
        counts.unreadable += count
    elif kind is None or not is_compared:
        counts.not_compared += count
    else:
        counts.kinds[kind] = counts.kinds.get(kind, 0) + count
