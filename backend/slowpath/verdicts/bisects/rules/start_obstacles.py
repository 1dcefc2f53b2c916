"""Why no bisect was started for a regression, or why its bisect waits."""

from dataclasses import dataclass
from typing import Literal

ObstacleKey = Literal["off", "hours", "budget", "capacity", "incomplete", "former", "approval", "runner"]


@dataclass(frozen=True)
class StartObstacle:
    """Why there is no bisect, or why it waits, with what solves it."""

    key: ObstacleKey
    sentence: str
    remedy: str
