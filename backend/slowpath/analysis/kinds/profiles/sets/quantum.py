"""The raw value of one independent count of a profile, the finest resolution of a value."""

from dataclasses import dataclass

import numpy as np

from slowpath.analysis.kinds.profiles.sets.profile_sets import ProfileSets


def quantum_of(sets: ProfileSets) -> float:
    """Return the raw value of one independent count, which determines the least noise of a value.

    CPU: the value per sample. Memory: the sampling rate in bytes; for objects, as many as make up those bytes. Others: the mean
    value of an event. If sampling rates differ, the coarsest counts.
    """
    sample_type = sets.sample_type
    if sets.artifacts[0].table.kind == "cpu" and sample_type.unit == "count":
        return 1.0
    period = float(max(artifact.table.period or 1 for artifact in sets.artifacts))
    total = float(np.abs(sets.totals()).sum())
    if sample_type.unit == "bytes":
        return period
    partner = _partner_total(sets)
    if sample_type.unit == "count" and partner.unit == "bytes":
        return max(1.0, total * period / partner.total) if partner.total else 1.0
    if partner.unit == "count" and partner.total and total:
        return total / partner.total
    return 1.0 if sample_type.unit == "count" else period


@dataclass(frozen=True)
class _Partner:
    unit: str
    total: float


def _partner_total(sets: ProfileSets) -> _Partner:
    """Return the related sample type: the count for bytes or time, or bytes or time for the count."""
    first = sets.artifacts[0].table
    index = sets.sample_type_of[0]
    family = first.sample_types[index].type.partition("_")[0]
    others = [i for i in range(len(first.sample_types)) if i != index]
    same = [i for i in others if first.sample_types[i].type.partition("_")[0] == family] or others
    if not same:
        return _Partner("", 0.0)
    partner_type = first.sample_types[same[0]]
    tables = [a.table for a in sets.artifacts if partner_type in a.table.sample_types]
    return _Partner(partner_type.unit, sum(abs(t.total(t.sample_types.index(partner_type))) for t in tables))
