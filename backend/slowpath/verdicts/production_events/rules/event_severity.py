"""Decisions on the severity of a production event. Pure."""

from typing import Final, Literal

SeverityName = Literal["high", "medium", "low"]

HIGH_COST: Final = 1.0
MEDIUM_COST: Final = 0.1
"""Seconds of latency added per second: by Little's law, how many more requests are in progress at any time."""
HIGH_RATIO: Final = 2.0
MEDIUM_RATIO: Final = 1.3
"""Without a known load, the severity follows from the certain ratio (lower bound); with one, it is at least medium from here."""
TAIL_SHARE: Final = {"p50": 0.5, "p90": 0.1, "p99": 0.01, "mean": 1.0}
"""At least this share of the requests takes longer by the difference of a quantile."""


def decide_severity(added_seconds_per_second: float | None, ratio_low: float) -> SeverityName:
    """Return the severity by the latency added per second, or by the certain ratio if the load is unknown.

    A certain ratio of 1.3 is at least medium: users of a small service wait, too.
    """
    if added_seconds_per_second is None:
        return "high" if ratio_low >= HIGH_RATIO else "medium" if ratio_low >= MEDIUM_RATIO else "low"
    if added_seconds_per_second >= HIGH_COST:
        return "high"
    return "medium" if added_seconds_per_second >= MEDIUM_COST or ratio_low >= MEDIUM_RATIO else "low"


def decide_level_severity(certain_factor: float) -> SeverityName:
    """Return the severity of a change of load or of a gauge: never high, because the latency of users did not change."""
    return "medium" if certain_factor >= HIGH_RATIO else "low"


def estimate_added_latency(
    signal: str, before: float, after: float, requests_per_second: float | None, added_mean_seconds: float | None
) -> float | None:
    """Return the seconds of latency added per second; None if the load is unknown.

    Without a known mean, at least the share of requests beyond the quantile takes longer by its difference.
    """
    if requests_per_second is None:
        return None
    added = added_mean_seconds if added_mean_seconds is not None else (after - before) * TAIL_SHARE[signal]
    return max(requests_per_second * added, 0.0)
