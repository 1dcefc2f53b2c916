"""One number of one subject, as a single window of a deploy gives it."""

import math
from collections.abc import Sequence

from slowpath.analysis.builds.build_measurements import TOTAL, KindMeasurement, SubjectValues
from slowpath.analysis.builds.series_matrix import ADDS_UP, PREFERRED, SMALLEST_PART


class NotMeasured(Exception):
    """The artifacts do not hold it; the message says why, in a sentence."""


def signature_value(measures: Sequence[KindMeasurement], kind: str, subject: str, unit: str) -> tuple[float, str]:
    """Return the value of a subject and its unit: the asked one if it is known in it, else the surest. Raises `NotMeasured`.

    What is so small a part of a whole that two trifles would be compared counts as that part, whether it was seen or not.
    """
    measure = next((one for one in measures if one.kind == kind), None)
    if measure is None or not measure.subjects:
        raise NotMeasured(f"The artifacts of this window hold nothing of the kind {kind}.")
    if kind == "bench":
        unit = ""  # it stands behind the name
    found = next((one for one in measure.bases.values() if unit and one.unit == unit), None) or next(
        measure.bases[basis] for basis in PREFERRED if basis in measure.bases
    )
    value = _value(measure, found, subject)
    if kind in ADDS_UP and (whole := _value(measure, found, TOTAL)) is not None:
        value = max(value or 0.0, SMALLEST_PART * whole)
    if value is None and kind == "growth.count":
        value = 0.0  # what grew no stack is not in the log
    if value is None:
        raise NotMeasured(f"{subject} is not among what was measured in this window.")
    if not math.isfinite(value):
        raise NotMeasured(f"{subject} has no value in this window.")
    return value, subject.rpartition(" ")[2] if kind == "bench" else found.unit


def _value(measure: KindMeasurement, values: SubjectValues, subject: str) -> float | None:
    if subject not in measure.subjects:
        return None
    return float(values.value[measure.subjects.index(subject)])
