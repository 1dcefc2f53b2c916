"""How much replicates of one build of a service vary, from the measurements of its builds."""

from collections.abc import Mapping, Sequence
from math import isfinite, sqrt
from typing import Final

import numpy as np

from slowpath.analysis.comparison.expected_effects import Dispersion
from slowpath.analysis.findings.build_measurements import TOTAL, KindMeasurement, unpack
from slowpath.analysis.kinds.registry import measured_kinds
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId
from slowpath.verdicts.regressions import queries

MOST_BUILDS: Final = 10
"""Newest builds of each kind; more would describe machines and programs of long ago."""


def list_dispersions(
    session: ReadSession, service_ids: Sequence[ServiceId], stored_ids: Sequence[str]
) -> Mapping[str, Dispersion]:
    """Return the dispersion of the total of each kind of artifact between replicates of one build, pooled over builds.

    Kinds without a build of two or more replicates are absent.
    """
    found = {}
    for stored_id in stored_ids:
        measured = measured_kinds().get(stored_id, ())
        if measured and service_ids:
            rows = queries.select_newest_measurements(session, service_ids, measured[0], MOST_BUILDS)
            dispersion = pool_dispersions([unpack(row) for row in rows])
            if dispersion is not None:
                found[stored_id] = dispersion
    return found


def pool_dispersions(measurements: Sequence[KindMeasurement]) -> Dispersion | None:
    """Return the root mean square of the relative deviations, weighted by degrees of freedom, or None without any."""
    known = [(cv, each.replicates - 1) for each in measurements if (cv := _relative_deviation(each)) is not None]
    df = sum(weight for _, weight in known)
    return Dispersion(sqrt(sum(weight * cv**2 for cv, weight in known) / df), float(df)) if df else None


def _relative_deviation(measurement: KindMeasurement) -> float | None:
    """Return that of the total, or the median over subjects of kinds without one."""
    if measurement.replicates < 2 or not measurement.bases:
        return None
    values = next(iter(measurement.bases.values()))  # the best normalization is first
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.abs(values.error / values.value) * sqrt(measurement.replicates)
    if TOTAL in measurement.subjects:
        relative = relative[[measurement.subjects.index(TOTAL)]]
    relative = relative[np.isfinite(relative)]
    middle = float(np.median(relative)) if len(relative) else float("nan")
    return middle if isfinite(middle) else None
