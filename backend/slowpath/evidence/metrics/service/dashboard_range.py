"""Which stretch of time a board is asked for: read from what was sent, refused by name where it can not be drawn."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from slowpath.analysis.kinds.metrics.time_grid import POINTS_MAX, STEPS_MS, grid_of
from slowpath.core.errors import InvalidRequest
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service.dashboard import BOARD_ROWS_MAX, Against, DashboardRequest

USUAL_HOURS: Final = 6
RANGE_DAYS_MAX: Final = 90
RANGE_MS_MIN: Final = 10_000  # ten points of the finest step
DAY_MS: Final = 86_400_000
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
SPELLED: Final = re.compile(r"[0-9TtZz:.+ -]{8,}")
LATEST_MS: Final = 4_102_444_800_000  # 2100: what a clock that was never set says is no range


@dataclass(frozen=True)
class CellRange:
    """Which cells of the range: on which step's grid, only those after a time, and what the asker saw when."""

    step_ms: int | None = None
    since_ms: int | None = None
    seen_ms: int | None = None


WHOLE: Final = CellRange()


def parse_dashboard_request(
    now: datetime,
    start: str | None,
    end: str | None,
    *,
    environment_id: EnvironmentId | None,
    service_ids: Sequence[ServiceId],
    against: Against,
    by_instance: bool,
    rows: int = BOARD_ROWS_MAX,
    cells: CellRange = WHOLE,
) -> DashboardRequest:
    """Return what is asked for. Raises `InvalidRequest` for a range that is unreadable, reversed, too short or too long.

    Without an end it is now, without a beginning six hours before the end. Raises it too for cells that are not on a grid.
    """
    to_ms = parse_instant("to", end) if end is not None else (now - EPOCH) // timedelta(milliseconds=1)
    from_ms = parse_instant("from", start) if start is not None else max(0, to_ms - USUAL_HOURS * 3_600_000)
    if to_ms <= from_ms:
        raise InvalidRequest(
            "The range ends before it begins.", slug="range-reversed", remedy="Let `from` be earlier than `to`."
        )
    if to_ms - from_ms < RANGE_MS_MIN:
        raise InvalidRequest(
            "The range is too short to be drawn.", slug="range-too-short", limit=RANGE_MS_MIN / 1000,
            actual=(to_ms - from_ms) / 1000, unit="seconds", remedy="Ask for at least ten seconds.",
        )  # fmt: skip
    if to_ms - from_ms > RANGE_DAYS_MAX * DAY_MS:
        raise InvalidRequest(
            "The range is longer than one board shows.", slug="range-too-long", limit=RANGE_DAYS_MAX,
            actual=round((to_ms - from_ms) / DAY_MS, 1), unit="days", remedy="Ask for a part of it.",
        )  # fmt: skip
    if len(service_ids) > BOARD_ROWS_MAX:
        raise InvalidRequest(
            "So many services do not fit on one page.", slug="too-many-services", limit=BOARD_ROWS_MAX,
            actual=len(service_ids), unit="services", remedy="Ask for them page by page.",
        )  # fmt: skip
    _check_cells(from_ms, to_ms, cells)
    services = tuple(dict.fromkeys(service_ids))
    part = (cells.step_ms, cells.since_ms, cells.seen_ms)
    return DashboardRequest(from_ms, to_ms, environment_id, against, by_instance, services, rows, *part)


def _check_cells(from_ms: int, to_ms: int, cells: CellRange) -> None:
    if cells.step_ms is not None:
        points = grid_of(from_ms, to_ms, cells.step_ms).points if cells.step_ms in STEPS_MS else 0
        if not 0 < points <= POINTS_MAX:
            raise InvalidRequest(
                "No grid of this step is laid over this range.", slug="step-unusable", limit=POINTS_MAX,
                actual=points, unit="points", remedy="Name the step that the board itself was answered with.",
            )  # fmt: skip
    if cells.since_ms is not None and not from_ms <= cells.since_ms <= to_ms - (cells.step_ms or RANGE_MS_MIN):
        raise InvalidRequest(
            "`since` leaves no cell of the range.",
            slug="since-outside",
            remedy="Let it lie between `from` and `to`, a step before `to`.",
        )


def parse_instant(name: Literal["from", "to"], text: str) -> int:
    """Return milliseconds since 1970 of RFC 3339 or of milliseconds. Raises `InvalidRequest`."""
    at = _read(text.strip())
    if at is None:
        raise InvalidRequest(
            f"`{name}` is no time.", slug="time-unreadable", remedy="Send RFC 3339 or milliseconds since 1970."
        )
    if not 0 <= at <= LATEST_MS:
        raise InvalidRequest(
            f"`{name}` is not between 1970 and 2100.", slug="time-out-of-range", remedy="Check the unit."
        )
    return at


def _read(text: str) -> int | None:
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= 16 else LATEST_MS + 1
    if SPELLED.fullmatch(text) is None:  # Python would read past a NUL
        return None
    try:
        # A "+" that was not escaped arrives as a space.
        spelled = text.upper()
        read = datetime.fromisoformat(spelled.replace(" ", "+") if "T" in spelled else spelled)
        known = read if read.tzinfo else read.replace(tzinfo=UTC)
        return (known - EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        return None
