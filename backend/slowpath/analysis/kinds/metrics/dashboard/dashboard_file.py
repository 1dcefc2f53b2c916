"""The columns of a dashboard (slowcol "slowpath.board" v1), which hold the cells of its rows.

A value that is not there is NaN; a series that is not there has no column. Latency is in seconds. The band of a quantile ends
at +Inf where it is above the highest bound.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from slowpath.analysis.formats.column_file import Array
from slowpath.analysis.kinds.metrics.dashboard.dashboard_header import DashboardGauge
from slowpath.analysis.kinds.metrics.panels.service_panels import GaugeSamples, ServicePanels
from slowpath.analysis.kinds.metrics.samples.series_data import Values

QUANTILE_NAMES: Final = ("p50", "p90", "p99")


def row_columns(row: int, panels: ServicePanels) -> dict[str, Array]:
    """The columns of one row."""
    out: dict[str, Array] = {f"r{row}_qps_{status}": _f32(values) for status, values in panels.qps.items()}
    out |= _latency(f"r{row}_", panels)
    for name, quantile in zip(QUANTILE_NAMES, panels.quantiles, strict=False):
        out[f"r{row}_{name}_low"] = _f32(quantile.low)
        out[f"r{row}_{name}_high"] = _f32(quantile.high)
    for number, values in enumerate(panels.gauges):
        out[f"r{row}_gauge{number}"] = _f32(values)
    for number, (_, values) in enumerate(panels.instances):
        out[f"r{row}_inst{number}"] = _f32(values)
    for number, part in enumerate(panels.split):
        out[f"r{row}_split{number}"] = _f32(part.p99)
    return out


def against_columns(row: int, panels: ServicePanels, points: int) -> dict[str, Array]:
    """What is drawn beneath a row, from another time: the same columns, already on this grid."""
    out: dict[str, Array] = {}
    if panels.qps:
        out[f"r{row}_against_qps"] = _f32(panels.total_qps(points))
    return out | _latency(f"r{row}_against_", panels)


def _latency(prefix: str, panels: ServicePanels) -> dict[str, Array]:
    out: dict[str, Array] = {
        f"{prefix}{name}": _f32(quantile.value)
        for name, quantile in zip(QUANTILE_NAMES, panels.quantiles, strict=False)
    }
    if panels.mean is not None:
        out[f"{prefix}mean"] = _f32(panels.mean)
    return out


def _f32(values: Values) -> Array:
    with np.errstate(over="ignore"):
        return values.astype(np.float32)


def describe_gauges(panels: ServicePanels, gauges: Sequence[GaugeSamples]) -> list[DashboardGauge]:
    """Return the gauges of a row in the header."""
    return [
        DashboardGauge(one.key, one.name, one.unit, _largest(values))
        for one, values in zip(gauges, panels.gauges, strict=True)
    ]


def _largest(values: Values) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.max()) if len(known) else None
