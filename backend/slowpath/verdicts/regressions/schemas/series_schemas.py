"""Response bodies of series of measurements over builds."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel

from slowpath.verdicts.regressions.rules import BuildVerdictName, CauseName
from slowpath.verdicts.regressions.schemas.regression_schemas import SeriesIdentity


class SeriesBuild(BaseModel):
    """One build of a branch, and the conditions of its measurements (equal text means equal conditions)."""

    id: UUID
    commit: str
    ordered_at: datetime
    branch: str
    label: str | None
    conditions: str
    verdict: BuildVerdictName


class SeriesChangePoint(BaseModel):
    """A change point; the new level begins with build `index`, or one from `low_index` to `high_index`."""

    index: int
    low_index: int
    high_index: int
    before: float
    after: float
    ratio: float
    ratio_low: float
    ratio_high: float
    score: float
    cause: CauseName


class SeriesTrend(BaseModel):
    """A trend of a series besides its change points; `values` is the series without noise."""

    kind: Literal["linear", "ramp", "season"]
    sentence: str
    values: list[float | None]


class SeriesOut(SeriesIdentity):
    """One series over builds: values with the 95% interval of each build, null where unknown.

    `levels` is the series without its noise; null for a series with a `trend`. `minimum_detectable_effect` is a ratio.
    """

    unit: str
    values: list[float | None]
    low: list[float | None]
    high: list[float | None]
    levels: list[float | None]
    change_points: list[SeriesChangePoint]
    trend: SeriesTrend | None
    minimum_detectable_effect: float | None
    is_muted: bool


class SeriesPage(BaseModel):
    """Series over the same builds, oldest build first."""

    branch: str
    branches: list[str]
    builds: list[SeriesBuild]
    series: list[SeriesOut]
