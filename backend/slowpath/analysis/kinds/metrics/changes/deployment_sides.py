"""Split minutes and instances into those of a deployment's build and those of the previous one.

The best evidence is from the same time: series whose label names the deployment's commit, or instances that started or
restarted after the deployment next to others that continued. Otherwise there is only the time before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from slowpath.analysis.kinds.metrics.changes.deployment_check import LEAST_MINUTES, Basis
from slowpath.analysis.kinds.metrics.panels.service_cells import MINUTE_MS, service_cells
from slowpath.analysis.kinds.metrics.panels.service_panels import ServiceSamples
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData
from slowpath.analysis.stats.histogram_cells import HistogramCells

BEFORE_MS: Final = 60 * MINUTE_MS
COMMIT_LETTERS: Final = 7


@dataclass(frozen=True)
class DeploymentSides:
    """Minutes of the previous build and of the deployment's build, and how they were separated."""

    base: HistogramCells
    candidate: HistogramCells
    basis: Basis


def deploy_sides(  # noqa: PLR0917 - samples, times, and what identifies the build
    samples: ServiceSamples, began_ms: int, end_ms: int, since_ms: int, commit: str, label: str | None
) -> DeploymentSides | None:
    """Return both sides of a deployment that began at `began_ms`, until `end_ms`.

    None without a histogram. The previous build ran since `since_ms`.
    """
    histograms = [*samples.natives, *samples.buckets]
    series_of_sides = _by_label(histograms, began_ms, commit, label) or _by_instance(
        samples, histograms, began_ms, end_ms
    )
    if series_of_sides is not None:
        old, new, from_ms = series_of_sides
        base = service_cells(samples, from_ms, end_ms, MINUTE_MS, lambda one: one.series_id in old).latency
        candidate = service_cells(samples, from_ms, end_ms, MINUTE_MS, lambda one: one.series_id in new).latency
        if base is not None and candidate is not None:
            both = base.known & candidate.known & (base.requests > 0) & (candidate.requests > 0)
            if both.sum() >= LEAST_MINUTES:
                return DeploymentSides(base.of(both), candidate.of(both), "concurrent")
    cells = service_cells(samples, max(began_ms - BEFORE_MS, since_ms), end_ms, MINUTE_MS).latency
    if cells is None:
        return None
    # The minute in which the deployment began belongs to neither.
    return DeploymentSides(cells.between(0, began_ms), cells.between(began_ms + MINUTE_MS, end_ms), "before-after")


def _by_label(
    series: Sequence[SeriesData], began_ms: int, commit: str, label: str | None
) -> tuple[set[int], set[int], int] | None:
    """Return old and new series by a label that names the deployment's build on some with samples after it."""
    alive = [one for one in series if len(one.times_ms) and one.times_ms[-1] > began_ms]
    new = {one.series_id: name for one in alive if (name := names_build(one.labels, commit, label)) is not None}
    if not new:
        return None
    names = set(new.values())
    old = {one.series_id for one in alive if one.series_id not in new and any(one.labels.get(name) for name in names)}
    return (old, set(new), began_ms) if old else None


def names_build(labels: Mapping[str, str], commit: str, label: str | None) -> str | None:
    """Return the label that names a build, by its commit or display name; None if there is none."""
    for name, text in labels.items():
        if name == "le":
            continue
        named = len(text) >= COMMIT_LETTERS and len(commit) >= COMMIT_LETTERS
        if (named and (commit.startswith(text) or text.startswith(commit))) or (label and text == label):
            return name
    return None


def _by_instance(
    samples: ServiceSamples, series: Sequence[SeriesData], began_ms: int, end_ms: int
) -> tuple[set[int], set[int], int] | None:
    """Return old instances, which continued without a restart, and new ones, which started or restarted after."""
    began: dict[str, int] = {}
    went_on: dict[str, bool] = {}
    of: dict[int, str] = {}
    for one in series:
        name = samples.instance_of(one.labels)
        if name is None or not len(one.times_ms):
            continue
        of[one.series_id] = name
        restarted = restarted_ms(one, began_ms, end_ms)
        if restarted is not None:
            began[name] = max(began.get(name, 0), restarted)
        before = bool(one.times_ms[0] <= began_ms)
        went_on[name] = went_on.get(name, False) or before
        if not before and name not in began:
            began[name] = int(one.times_ms[0])
    new = {name for name in began if name in went_on and (began[name] > began_ms)}
    new -= {name for name in new if went_on[name] and not _any_restart(samples, series, name, began_ms, end_ms)}
    old = {name for name, continued in went_on.items() if continued and name not in new}
    if not old or not new:
        return None
    from_ms = max(began[name] for name in new)
    return (
        {series_id for series_id, name in of.items() if name in old},
        {series_id for series_id, name in of.items() if name in new},
        from_ms,
    )


def _any_restart(samples: ServiceSamples, series: Sequence[SeriesData], name: str, began_ms: int, end_ms: int) -> bool:
    return any(
        samples.instance_of(one.labels) == name and restarted_ms(one, began_ms, end_ms) is not None for one in series
    )


def restarted_ms(series: SeriesData, began_ms: int, end_ms: int) -> int | None:
    """Return when a counter last reset between two times; None if it did not."""
    counts = series.histograms.count if series.histograms is not None else series.values
    if counts is None or len(counts) < 2:
        return None
    fell = np.flatnonzero(counts[1:] < counts[:-1]) + 1
    at = series.times_ms[fell]
    at = at[(at > began_ms) & (at <= end_ms)]
    return int(at[-1]) if len(at) else None
