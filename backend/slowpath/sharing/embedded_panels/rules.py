"""Rules of embedded panels."""

from enum import StrEnum
from typing import Final

PURPOSE: Final = "embedded-panel"
MAX_PANELS: Final = 200
MAX_DAYS: Final = 365
LENGTH_S_MIN: Final = 300
LENGTH_S_MAX: Final = 30 * 86_400
REFRESH_SECONDS: Final = 60
VIEWS_BY_ADDRESS: Final = (240, 60)
"""How many in how many seconds."""


class PanelKind(StrEnum):
    """Panels of a service."""

    REQUESTS = "requests"
    LATENCY = "latency"
