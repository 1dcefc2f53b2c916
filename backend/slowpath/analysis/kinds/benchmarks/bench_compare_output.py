"""Parse the output of `slowpath-decode bench-compare`: the rows that benchstat would print.

The helper computes the statistics with golang.org/x/perf; this module only gives them types.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Better = Literal["less", "more"]


@dataclass(frozen=True)
class BenchmarkSide:
    """One side of a row: the median (the value of exact units) with its 95% interval, None with too few values."""

    n: int
    center: float
    low: float | None
    high: float | None
    values: tuple[float, ...]


@dataclass(frozen=True)
class BenchmarkRow:
    """One benchmark in one unit on both sides. `p_value` is Mann-Whitney's, None for exact units."""

    name: str
    unit: str
    config: Mapping[str, str]
    base: BenchmarkSide
    candidate: BenchmarkSide
    ratio: float | None
    p_value: float | None
    significant: bool
    better: Better | None
    exact: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class ConfigurationDifference:
    """A key of the configuration (`cpu`, `gomaxprocs`) whose values differ between the sides."""

    key: str
    base: tuple[str, ...]
    candidate: tuple[str, ...]


@dataclass(frozen=True)
class UnpairedBenchmark:
    """A benchmark that only one side has."""

    side: str
    name: str
    unit: str


@dataclass(frozen=True)
class BenchCompareOutput:
    """The complete output; `raw` is the JSON it was parsed from."""

    rows: tuple[BenchmarkRow, ...]
    unpaired: tuple[UnpairedBenchmark, ...]
    differs: tuple[ConfigurationDifference, ...]
    warnings: tuple[str, ...]
    raw: Mapping[str, Any]

    @classmethod
    def from_json(cls, value: object) -> "BenchCompareOutput":
        """Parse decoded JSON; raises `ValueError` if it is not such output."""
        if not isinstance(value, Mapping):
            raise ValueError("the output of bench-compare must be a JSON object")  # noqa: TRY004 - callers catch one error
        try:
            return cls(
                rows=tuple(_row(each) for each in value["rows"]),
                unpaired=tuple(
                    UnpairedBenchmark(str(e["side"]), str(e["name"]), str(e["unit"]))
                    for e in value.get("unpaired") or ()
                ),
                differs=tuple(
                    ConfigurationDifference(str(e["key"]), _texts(e["base"]), _texts(e["candidate"]))
                    for e in value.get("differs") or ()
                ),
                warnings=_texts(value.get("warnings") or ()),
                raw=value,
            )
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"the output of bench-compare lacks or mistypes {error}") from error


def _row(value: Mapping[str, Any]) -> BenchmarkRow:
    better = value.get("better")
    return BenchmarkRow(
        name=str(value["name"]),
        unit=str(value["unit"]),
        config={str(key): str(text) for key, text in value["config"].items()},
        base=_side(value["base"]),
        candidate=_side(value["candidate"]),
        ratio=_optional(value["ratio"]),
        p_value=_optional(value["p"]),
        significant=bool(value["significant"]),
        better=better if better in {"less", "more"} else None,
        exact=bool(value.get("exact", False)),
        warnings=_texts(value.get("warnings") or ()),
    )


def _side(value: Mapping[str, Any]) -> BenchmarkSide:
    return BenchmarkSide(
        n=int(value["n"]),
        center=float(value["center"]),
        low=_optional(value["low"]),
        high=_optional(value["high"]),
        values=tuple(float(each) for each in value["values"]),
    )


def _optional(value: Any) -> float | None:  # noqa: ANN401 - a number from JSON
    return None if value is None else float(value)


def _texts(values: Sequence[Any]) -> tuple[str, ...]:
    return tuple(str(each) for each in values)
