"""Return one number for one subject from a single measurement."""

import math
from collections.abc import Sequence

from slowpath.analysis.builds.series_matrix import ADDS_UP, PREFERRED, SMALLEST_PART
from slowpath.analysis.findings.build_measurements import TOTAL, KindMeasurement, SubjectValues
from slowpath.analysis.kinds.registry import measurement_kind


class NotMeasured(Exception):
    """The artifacts do not contain the signature; the message is the reason, as a sentence."""


def signature_value(measures: Sequence[KindMeasurement], kind: str, subject: str, unit: str) -> tuple[float, str]:
    """Return the value of a subject and its unit: the requested unit if known, else the best.

    Raises `NotMeasured`. Smaller values than `SMALLEST_PART` of the total count as that part, whether they were
    measured or not.
    """
    measure = next((one for one in measures if one.kind == kind), None)
    if measure is None or not measure.subjects:
        raise NotMeasured(f"The artifacts of this measurement contain nothing of the kind {kind}.")
    measured = measurement_kind(kind)
    if measured.has_units:
        unit = ""  # it is the last word of the name
    values = next((one for one in measure.bases.values() if unit and one.unit == unit), None) or next(
        measure.bases[basis] for basis in PREFERRED if basis in measure.bases
    )
    value = _value(measure, values, subject)
    if kind in ADDS_UP and (total := _value(measure, values, TOTAL)) is not None:
        value = max(value or 0.0, SMALLEST_PART * total)
    if value is None and measured.is_zero_if_absent:
        value = 0.0
    if value is None:
        raise NotMeasured(f"{subject} was not measured.")
    if not math.isfinite(value):
        raise NotMeasured(f"{subject} has no value in this measurement.")
    return value, subject.rpartition(" ")[2] if measured.has_units else values.unit


def _value(measure: KindMeasurement, values: SubjectValues, subject: str) -> float | None:
    if subject not in measure.subjects:
        return None
    return float(values.value[measure.subjects.index(subject)])
