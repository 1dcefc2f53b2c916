"""The document of the page about stack-growth logs: `slowpath.growth-comparison/2`.

`low` and `high` are the bounds of a confidence interval; sizes of stacks are in bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Format = Literal["slowpath.growth-comparison/2"]
FORMAT: Final[Format] = "slowpath.growth-comparison/2"
GrowthRowState = Literal["noise", "more", "less", "only-candidate", "only-base"]


@dataclass(frozen=True)
class GrowthSetRow:
    """A set of logs, and the path on which most of its stacks grew.

    `sampled` counts are as printed; `estimated_growths` is multiplied by the sampling rate, with `low` and `high`; `total` is
    what the logs print, None where they do not. `ratio` is to the first set, per request or second where known.
    """

    side: str
    label: str
    artifacts: int
    dialects: Sequence[str]
    rates: Sequence[int]
    sampled: int
    estimated_growths: int
    total: int | None
    duration_ns: int | None
    requests: int | None
    per_second: float | None
    per_request: float | None
    low: float
    high: float
    attributed_caller: str | None
    path: Sequence[str]
    old_bytes: int | None
    new_bytes: int | None
    share: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None


@dataclass(frozen=True)
class GrowthCount:
    """Growths on one side: as printed, estimated, and per second and request where known."""

    sampled: int
    estimated_growths: int
    per_second: float | None
    per_request: float | None


@dataclass(frozen=True)
class GrowthRow:
    """Growths attributed to one caller from one stack size to another."""

    attributed_caller: str
    path: Sequence[str]
    old_bytes: int | None
    new_bytes: int | None
    base: GrowthCount
    candidate: GrowthCount
    ratio: float | None
    low: float | None
    high: float | None
    q_value: float | None
    state: GrowthRowState


@dataclass(frozen=True)
class GrowthPage:
    """The complete document; `normalization` is its ID."""

    format: Format
    normalization: str
    sets: Sequence[GrowthSetRow]
    rows: Sequence[GrowthRow]
