"""Parse and validate the time range of a dashboard request."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from slowpath.analysis.kinds.metrics.panels.time_grid import POINTS_MAX, STEPS_MS, grid_of
from slowpath.core.errors import InvalidRequest
from slowpath.core.ids import EnvironmentId, ServiceId
from slowpath.evidence.metrics.service.dashboard import BOARD_ROWS_MAX, Against, DashboardRequest, LabelSplit

USUAL_HOURS: Final = 6
RANGE_DAYS_MAX: Final = 90
RANGE_MS_MIN: Final = 10_000  # ten points of the finest step
DAY_MS: Final = 86_400_000
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
SPELLED: Final = re.compile(r"[0-9TtZz:.+ -]{8,}")
LATEST_MS: Final = 4_102_444_800_000  # 2100: rejects times of clocks that were never set


@dataclass(frozen=True)
class CellRange:
    """Requested cells: the step of the grid, the time to start after, and the state the client shows."""

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
    split: LabelSplit | None = None,
) -> DashboardRequest:
    """Return a validated dashboard request.

    The end defaults to now, the start to six hours before the end. Raises `InvalidRequest` for a range that cannot be
    parsed or is reversed, too short or too long, and for cells that are not on a grid.
    """
    to_ms = parse_instant("to", end) if end is not None else (now - EPOCH) // timedelta(milliseconds=1)
    from_ms = parse_instant("from", start) if start is not None else max(0, to_ms - USUAL_HOURS * 3_600_000)
    if to_ms <= from_ms:
        raise InvalidRequest(
            "The time range ends before it starts.", slug="range-reversed", remedy="Set `from` earlier than `to`."
        )
    if to_ms - from_ms < RANGE_MS_MIN:
        raise InvalidRequest(
            "The time range is too short.", slug="range-too-short", limit=RANGE_MS_MIN / 1000,
            actual=(to_ms - from_ms) / 1000, unit="seconds", remedy="Request at least 10 seconds.",
        )  # fmt: skip
    if to_ms - from_ms > RANGE_DAYS_MAX * DAY_MS:
        raise InvalidRequest(
            "The time range is too long for a dashboard.", slug="range-too-long", limit=RANGE_DAYS_MAX,
            actual=round((to_ms - from_ms) / DAY_MS, 1), unit="days", remedy="Request a shorter time range.",
        )  # fmt: skip
    if len(service_ids) > BOARD_ROWS_MAX:
        raise InvalidRequest(
            "Too many services for one page.", slug="too-many-services", limit=BOARD_ROWS_MAX,
            actual=len(service_ids), unit="services", remedy="Request them in several pages.",
        )  # fmt: skip
    if split is not None and cells.since_ms is not None:
        raise InvalidRequest(
            "The parts of a split service can differ between time ranges.",
            slug="split-incremental",
            remedy="Request the whole time range, without `since_ms`.",
        )
    _check_cells(from_ms, to_ms, cells)
    services = tuple(dict.fromkeys(service_ids))
    part = (cells.step_ms, cells.since_ms, cells.seen_ms)
    return DashboardRequest(from_ms, to_ms, environment_id, against, by_instance, split, services, rows, *part)


def _check_cells(from_ms: int, to_ms: int, cells: CellRange) -> None:
    if cells.step_ms is not None:
        points = grid_of(from_ms, to_ms, cells.step_ms).points if cells.step_ms in STEPS_MS else 0
        if not 0 < points <= POINTS_MAX:
            raise InvalidRequest(
                "This step cannot be used for this time range.", slug="step-unusable", limit=POINTS_MAX,
                actual=points, unit="points", remedy="Use the step of the dashboard response.",
            )  # fmt: skip
    if cells.since_ms is not None and not from_ms <= cells.since_ms <= to_ms - (cells.step_ms or RANGE_MS_MIN):
        raise InvalidRequest(
            "`since` is outside the time range.",
            slug="since-outside",
            remedy="Set it between `from` and `to`, at least one step before `to`.",
        )


def parse_instant(name: Literal["from", "to"], text: str) -> int:
    """Return the milliseconds since 1970 of an RFC 3339 time or of a number. Raises `InvalidRequest`."""
    at = _read(text.strip())
    if at is None:
        raise InvalidRequest(
            f"`{name}` is not a valid time.", slug="time-unreadable", remedy="Send RFC 3339 or milliseconds since 1970."
        )
    if not 0 <= at <= LATEST_MS:
        raise InvalidRequest(
            f"`{name}` is not between 1970 and 2100.",
            slug="time-out-of-range",
            remedy="Send milliseconds, not seconds or nanoseconds.",
        )
    return at


def _read(text: str) -> int | None:
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= 16 else LATEST_MS + 1
    if SPELLED.fullmatch(text) is None:  # Python ignores text after a NUL
        return None
    try:
        # An unescaped "+" is received as a space.
        spelled = text.upper()
        read = datetime.fromisoformat(spelled.replace(" ", "+") if "T" in spelled else spelled)
        known = read if read.tzinfo else read.replace(tzinfo=UTC)
        return (known - EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        return None
