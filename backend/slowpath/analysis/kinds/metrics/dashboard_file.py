"""The dashboard as a file: the header describes each row, columns hold the cells (slowcol "slowpath.board" v1).

A value that is not there is NaN; a series that is not there has no column. Latency is in seconds. The band of a quantile ends
at +Inf where it is above the highest bound.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from slowpath.analysis.formats.column_file import Array, write_columns
from slowpath.analysis.kinds.metrics.series_data import Values
from slowpath.analysis.kinds.metrics.service_panels import GaugeSamples, ServicePanels
from slowpath.analysis.kinds.metrics.time_grid import TimeGrid

FORMAT: Final = "slowpath.board"
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


def describe_row(panels: ServicePanels, gauges: Sequence[GaugeSamples]) -> dict[str, Any]:
    """Return the members of a row in the header, besides those of its service."""
    return {
        "instances": panels.instance_count,
        "gaps": [{"from_ms": g.from_ms, "to_ms": g.to_ms, "why": g.why, "panel": g.panel} for g in panels.gaps],
        "resets": list(panels.resets),
        "late": [{"from_ms": r.from_ms, "to_ms": r.to_ms, "received_ms": r.received_ms} for r in panels.late],
        "gauges": [
            {"key": one.key, "name": one.name, "unit": one.unit, "max": _largest(values)}
            for one, values in zip(gauges, panels.gauges, strict=True)
        ],
        "instance_names": [name for name, _ in panels.instances],
    }


def _largest(values: Values) -> float | None:
    known = values[np.isfinite(values)]
    return float(known.max()) if len(known) else None


def board_file(header: dict[str, Any], grid: TimeGrid, columns: dict[str, Array]) -> bytes:
    """The whole file, not packed."""
    placed = {"from_ms": grid.from_ms, "step_ms": grid.step_ms, "points": grid.points}
    return write_columns({"format": FORMAT, "format_version": 1, **placed, **header}, columns)
