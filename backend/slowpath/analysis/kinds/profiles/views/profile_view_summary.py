"""Summarize one view of a profile set: total, runtime categories with their attributed callers, labels, caveats."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.findings.findings import Caveat
from slowpath.analysis.findings.wording import format_number, pluralize
from slowpath.analysis.kinds.profiles.caveats.profile_side_caveats import warning_caveats
from slowpath.analysis.kinds.profiles.decoded.label_values import LabelKey, LabelMatcher, list_label_values
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.sets.load import load_is_plausible
from slowpath.analysis.kinds.profiles.sets.profile_kind_values import ProfileKindValues
from slowpath.analysis.kinds.profiles.sets.quantum import quantum_of
from slowpath.analysis.kinds.profiles.sets.stack_values import own_rows
from slowpath.analysis.kinds.profiles.views.profile_set_document import (
    CategoryCaller,
    ProfileCategory,
    ProfileTotal,
    ProfileViewSummary,
)
from slowpath.analysis.kinds.profiles.views.profile_view_headline import LargestFunction, write_headline
from slowpath.units import NANOSECONDS_PER_SECOND

F64 = NDArray[np.float64]

LONGEST_LABEL_TEXT: Final = 1_000
"""Most characters of the key or value of a label matcher; longer ones are not listed."""
MOST_CALLERS: Final = 5
SMALLEST_SHARE: Final = 0.03
"""A caller with a smaller share of its category is not listed."""
TWO_SIDED_95: Final = 1.96
EXAMPLE_SHARE: Final = 0.1
UNCERTAIN: Final = 0.5
"""A share is uncertain if half the width of its confidence interval exceeds this part of it."""


def summarize_view(values: ProfileKindValues, matchers: Sequence[LabelMatcher]) -> ProfileViewSummary:
    """Return where the cost of the profiles is. The labels are those of the samples that match."""
    tables = [artifact.table for artifact in values.sets.distinct(~values.sets.is_base)]
    total = _describe_total(values)
    categories = _list_categories(values, total.raw)
    return ProfileViewSummary(
        headline=write_headline(
            values.kind,
            values.sets.sample_type,
            categories,
            _largest_function(values, total.raw),
            has_matchers=bool(matchers),
        ),
        kind=values.kind,
        sample_type=values.sets.sample_type,
        total=total,
        samples=sum(len(table.sample_line_node) for table in tables),
        profiles=len(tables),
        categories=categories,
        labels=_list_labels(tables, values.sets.sample_type),
        caveats=tuple(_list_caveats(values, total.raw)),
    )


def _list_labels(tables: Sequence[ProfileTable], sample_type: SampleType) -> tuple[LabelKey, ...]:
    """Return the labels that a view can be limited to; longer values are counted among the others."""
    keys = [each for each in list_label_values(tables, sample_type) if len(each.key) <= LONGEST_LABEL_TEXT]
    return tuple(
        replace(key, values=short, other_values=key.other_values + len(key.values) - len(short))
        for key in keys
        for short in [tuple(each for each in key.values if len(each.value) <= LONGEST_LABEL_TEXT)]
    )


def _describe_total(values: ProfileKindValues) -> ProfileTotal:
    raw = float(values.sets.totals().sum())
    weights = {basis.id: float(basis.weights.sum()) for basis in values.bases}
    per_second, per_request = (
        raw / weights[each] if weights.get(each) else None for each in ("per_second", "per_request")
    )
    is_cpu = values.kind == "cpu" and values.sets.sample_type.unit == "nanoseconds"
    cores = per_second / NANOSECONDS_PER_SECOND if is_cpu and per_second is not None else None
    return ProfileTotal(raw=raw, per_second=per_second, per_request=per_request, cores=cores)


def _stack_values(values: ProfileKindValues) -> F64:
    """Return the raw value of each stack, summed over the profiles."""
    return values.measured.weighted(np.ones(len(values.sets.artifacts)))


def _list_categories(values: ProfileKindValues, total: float) -> tuple[ProfileCategory, ...]:
    """Return the categories with a cost, the largest first."""
    cost, attribution = _stack_values(values), values.attribution
    raw = np.bincount(attribution.category, weights=cost, minlength=len(attribution.categories))
    return tuple(
        ProfileCategory(
            category=attribution.categories[number],
            share=float(raw[number] / total) if total else 0.0,
            raw=float(raw[number]),
            attributed_callers=_list_callers(values, cost, number, float(raw[number])),
        )
        for number in np.argsort(-raw, kind="stable").tolist()
        if raw[number] != 0
    )


def _list_callers(values: ProfileKindValues, cost: F64, category: int, total: float) -> tuple[CategoryCaller, ...]:
    attribution = values.attribution
    among = (attribution.category == category) & (attribution.attributed_caller > 0)
    by_caller = np.bincount(attribution.attributed_caller[among], weights=cost[among], minlength=len(values.labels))
    shares = by_caller / total
    largest = np.argsort(-shares, kind="stable")[:MOST_CALLERS].tolist()
    return tuple(
        CategoryCaller(function=values.labels[label].name, share=float(shares[label]))
        for label in largest
        if shares[label] >= SMALLEST_SHARE
    )


def _largest_function(values: ProfileKindValues, total: float) -> LargestFunction | None:
    """Return the function outside of the runtime with the largest cost of its own code."""
    rows = own_rows(values.measured, values.measured.stacks.frames, len(values.labels)).sum(axis=1)
    rows[values.attribution.is_runtime | values.attribution.is_placeholder] = 0
    best = int(np.argmax(rows))
    if rows[best] <= 0 or total <= 0:
        return None
    return LargestFunction(values.labels[best].name, float(rows[best] / total))


def _list_caveats(values: ProfileKindValues, total: float) -> list[Caveat]:
    artifacts = values.sets.distinct(~values.sets.is_base)
    caveats = [*warning_caveats(artifacts)]
    if not load_is_plausible((), artifacts):
        caveats.append(
            Caveat(
                "load-implausible",
                "The given requests cannot be the load of these profiles, so there is no cost per request. Check which "
                "counter was read.",
            )
        )
    if values.sets.differenced:
        caveats.append(
            Caveat(
                "snapshots-subtracted",
                "The first snapshot of each run is subtracted from its last: values are what was counted between them.",
            )
        )
    counts = total / quantum_of(values.sets)
    half_width = TWO_SIDED_95 * sqrt(EXAMPLE_SHARE * (1 - EXAMPLE_SHARE) / counts) if counts > 0 else 0.0
    if half_width > UNCERTAIN * EXAMPLE_SHARE:
        low, high = max(0.0, EXAMPLE_SHARE - half_width), min(1.0, EXAMPLE_SHARE + half_width)
        caveats.append(
            Caveat(
                "few-samples",
                f"There are only {pluralize(round(counts), 'sample')}: a share of {EXAMPLE_SHARE:.0%} is between "
                f"{format_number(100 * low)}% and {format_number(100 * high)}%. Record for longer, or open more profiles.",
            )
        )
    return caveats
