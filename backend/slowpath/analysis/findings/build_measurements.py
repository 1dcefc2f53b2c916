"""What the artifacts of one kind of one build measure: for each subject a value and how sure it is, in few bytes.

A measure is made once, when the artifacts are decoded, and read with those of two hundred other builds whenever a build
is judged. So it holds no profile, only sums: a build of forty profiles takes as much room as a build of one.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]
BasisId = Literal["per_request", "per_second", "share", "count", "quantile", "mean"]

FORMAT: Final = 1
"""Of the packed form and of the way values are made: with another number all is measured anew."""
TOTAL: Final = "total"
MOST_CALLERS: Final = 4
_DIGITS: Final = 6
_LARGEST_PACKED: Final = 64 << 20


@dataclass(frozen=True)
class MeasurementKind:
    """One thing that is measured of builds.

    `group`: what a group of its change points is of. `verbs`: of a higher and a lower value. `label`: of a bisect's signature.
    """

    id: str
    group: str
    verbs: tuple[str, str] = ("is more", "is less")
    label: str = "{}"
    profile_kind: str | None = None
    """Kind of profile in which its change can be located."""
    has_functions: bool = False
    """Whether its subjects are functions, with all that they call."""
    has_units: bool = False
    """Whether the last word of each subject is its unit."""
    adds_up: bool = False
    """Whether its values are parts of a total."""
    is_zero_if_absent: bool = False
    is_evaluated: bool = True
    """Whether changes are regressions; otherwise it is only shown."""
    needs_load: bool = False
    """Whether it is evaluated only under known load: of shares, all others shrink when one grows."""
    steadiness: float = 1.0
    """Relative precision from run to run: counts most, waits least."""


@dataclass(frozen=True)
class SubjectValues:
    """Of each subject (in the order of the measure): its value in `unit`, and the standard error of it (NaN: unknown)."""

    unit: str
    value: F64
    error: F64


@dataclass(frozen=True)
class RouteCost:
    """The cost per request of a route in the unit of the kind, and its standard error (NaN with one replicate)."""

    value: float
    error: float


@dataclass(frozen=True)
class KindMeasurement:
    """One kind of one build. `replicates`: of how many independent profiles (or runs) each value is the mean.

    `bases` are ways of counting, the best first. `callers`: of functions, those beneath which nearly all of it is,
    nearest first. `categories`: of functions, the category that most of their own work is in. Both are empty for other
    kinds. `load`: of latency, requests a second by environment. `routes`: of CPU, the cost per
    request of each route that is known.
    """

    kind: str
    replicates: int
    subjects: tuple[str, ...]
    bases: Mapping[BasisId, SubjectValues]
    callers: tuple[tuple[str, ...], ...] = field(default=())
    categories: tuple[str | None, ...] = field(default=())
    load: Mapping[str, float] = field(default_factory=dict)
    routes: Mapping[str, RouteCost] = field(default_factory=dict)

    def pack(self) -> bytes:
        """Return the measure in few bytes: six digits of every number."""
        number = {subject: position for position, subject in enumerate(self.subjects)}
        names = sorted({name for path in self.callers for name in path} - number.keys())
        number |= {name: len(self.subjects) + position for position, name in enumerate(names)}
        held = {
            "format": FORMAT,
            "kind": self.kind,
            "n": self.replicates,
            "subjects": [*self.subjects, *names],
            "count": len(self.subjects),
            "bases": {
                basis: {"unit": each.unit, "value": _rounded(each.value), "error": _rounded(each.error)}
                for basis, each in self.bases.items()
            },
            "callers": [[number[name] for name in path] for path in self.callers],
            "categories": list(self.categories),
            "load": dict(self.load),
            "routes": {name: _rounded(np.array([cost.value, cost.error])) for name, cost in self.routes.items()},
        }
        return zlib.compress(json.dumps(held, ensure_ascii=False, separators=(",", ":")).encode(), 6)


def unpack(packed: bytes) -> KindMeasurement:
    """Return what `pack` packed. Only what we packed ourselves is read here."""
    held: dict[str, Any] = json.loads(zlib.decompressobj().decompress(packed, _LARGEST_PACKED))
    names, count = held["subjects"], held["count"]
    return KindMeasurement(
        kind=held["kind"],
        replicates=held["n"],
        subjects=tuple(names[:count]),
        bases={
            basis: SubjectValues(each["unit"], _floats(each["value"]), _floats(each["error"]))
            for basis, each in held["bases"].items()
        },
        callers=tuple(tuple(names[position] for position in path) for path in held["callers"]),
        categories=tuple(held["categories"]),
        load=held.get("load", {}),
        routes={name: RouteCost(*_floats(cost).tolist()) for name, cost in held.get("routes", {}).items()},
    )


def summarize_replicates(unit: str, rows: F64, weights: F64, factor: float) -> SubjectValues:
    """Return the values of subjects measured in several replicates: [subjects, replicates] over weights [replicates].

    A rate is the sum of values over the sum of weights (a ratio estimator); its error comes from the residuals of the
    replicates (linearised, as for any ratio of two means). One replicate says nothing of its error.
    """
    total = float(weights.sum())
    rate = rows.sum(axis=1) / total
    count = rows.shape[1]
    if count < 2:
        return SubjectValues(unit, rate * factor, np.full(len(rate), np.nan))
    residual = rows - rate[:, np.newaxis] * weights[np.newaxis, :]
    error = np.sqrt(np.square(residual).sum(axis=1) * count / (count - 1)) / total
    return SubjectValues(unit, rate * factor, error * factor)


def _rounded(values: F64) -> list[float | None]:
    return [None if not np.isfinite(value) else float(f"{value:.{_DIGITS}g}") for value in values.tolist()]


def _floats(values: Sequence[float | None]) -> F64:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
