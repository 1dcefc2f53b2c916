"""Read the value of a window from its artifacts."""

from collections.abc import Sequence
from dataclasses import dataclass

from slowpath.analysis.facts import Facts
from slowpath.bisects import queries
from slowpath.bisects.rules.board_windows import LATENCY
from slowpath.bisects.service.holding import changed, hold
from slowpath.bisects.tables import Bisect, ProbeWindow
from slowpath.core.ids import ArtifactId, BisectId, ProbeWindowId
from slowpath.core.sessions import ReadSession, WriteSession
from slowpath.regressions.service.measuring import MEASURED, ToMeasure
from slowpath.uploads.errors import ArtifactNotFound
from slowpath.uploads.service import reading as uploads
from slowpath.uploads.tables import Artifact

UNDECODED = frozenset({"received", "decoding"})


@dataclass(frozen=True)
class ToRead:
    """What is to be read: the artifacts that hold the signature; `waits` for some to be decoded."""

    kind: str
    subject: str
    unit: str
    asked: ToMeasure | None
    waits: bool
    problem: str | None


def to_read(session: ReadSession, window_id: ProbeWindowId, bisect_id: BisectId) -> ToRead | None:
    """Return what is to be read of a window; nothing where it was read, or is gone."""
    window, bisect = queries.window(session, window_id), queries.bisect(session, bisect_id)
    if window is None or bisect is None or is_read(window) or is_of_board(bisect):
        return None
    kind = str(bisect.signature["kind"])
    source = next((one for one, kinds in MEASURED.items() if kind in kinds), None)
    rows: list[Artifact] = []
    for one in window.artifact_ids:
        try:
            rows.append(uploads.find(session, ArtifactId(one)))
        except ArtifactNotFound:
            continue
    waits = any(row.state in UNDECODED for row in rows)
    mine = tuple(row for row in rows if row.state == "decoded" and row.kind == source)
    problem = None if mine or waits else _problem(rows, kind)
    facts = tuple(Facts.from_json(row.facts) for row in mine)
    asked = ToMeasure(source, mine, facts, "", "") if mine and source is not None else None
    return ToRead(kind, str(bisect.signature["subject"]), str(bisect.signature["unit"]), asked, waits, problem)


def is_of_board(bisect: Bisect) -> bool:
    """Tell whether the board says what a window measured, and not its files."""
    return bool(bisect.signature["kind"] == LATENCY)


def is_read(window: ProbeWindow) -> bool:
    """Tell whether a window says anything yet."""
    return window.value is not None or window.verdict is not None or window.problem is not None


def _problem(rows: Sequence[Artifact], kind: str) -> str:
    if not rows:
        return "The artifacts of this window were deleted."
    refused = next((row.name for row in rows if row.state != "decoded"), None)
    if refused is not None:
        return f"{refused} could not be decoded."
    return f"None of the files of this window holds {kind}."


def record(
    session: WriteSession,
    window_id: ProbeWindowId,
    bisect_id: BisectId,
    *,
    value: float | None = None,
    unit: str = "",
    problem: str | None = None,
    requests: int | None = None,
) -> Bisect | None:
    """Write down what was read, or why nothing was; nothing if that was done. The first number says in which unit the others are."""
    bisect = hold(session, bisect_id)
    window = queries.window(session, window_id)
    if window is None or is_read(window):
        return None
    window.value, window.problem, window.requests = value, problem, requests
    if value is not None and unit and unit != bisect.signature["unit"]:
        bisect.signature = {**bisect.signature, "unit": unit}
    session.flush()
    changed(session, bisect, step=True)
    return bisect
