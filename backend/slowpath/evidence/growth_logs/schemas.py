"""Wire shapes of stack-growth logs."""

from pydantic import BaseModel


class GrowthSetOut(BaseModel):
    """Stack growth in the logs of one build: sampled and estimated counts, and the path with the most growth.

    `ratio` is relative to the first set, per request or per second if known.
    """

    label: str
    artifacts: int
    dialects: list[str]
    rates: list[int]
    sampled: int
    estimated_growths: float
    low: float
    high: float
    total: int | None
    duration_ns: int | None
    requests: float | None
    per_second: float | None
    per_request: float | None
    attributed_caller: str | None
    path: list[str]
    old_bytes: int | None
    new_bytes: int | None
    share: float | None
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
