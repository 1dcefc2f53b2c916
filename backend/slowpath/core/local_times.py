"""Times as a person reads them: in a time zone, with its abbreviation beside them."""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

UNKNOWN_ZONE: Final = "UTC"
"""Where the time zone of a reader is unknown."""


def find_zone(name: str | None) -> ZoneInfo:
    """Return the time zone of an IANA name; UTC without one, and for names that the database does not have."""
    try:
        return ZoneInfo(name or UNKNOWN_ZONE)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo(UNKNOWN_ZONE)


def format_local_time(at: datetime, zone_name: str | None) -> str:
    """Return a time in a zone: `2026-11-28 08:40 CET`, or `2026-11-28 10:40 UTC+03` where the zone has no letters."""
    local = at.astimezone(find_zone(zone_name))
    return f"{local:%Y-%m-%d %H:%M} {_abbreviate_zone(local)}"


def _abbreviate_zone(local: datetime) -> str:
    name = local.tzname() or UNKNOWN_ZONE
    return f"UTC{name}" if name[0] in "+-" else name
