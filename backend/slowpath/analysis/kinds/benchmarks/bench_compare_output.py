"""Parse the output of `slowpath-decode bench-compare`: the rows that benchstat would print.

The decoder computes the statistics with golang.org/x/perf.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slowpath.analysis.kinds.benchmarks.benchmark_page_document import (
    BenchmarkGeomean,
    BenchmarkSide,
    Better,
    ConfigurationDifference,
    UnpairedBenchmark,
)


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
    alpha: float
    significant: bool
    better: Better | None
    exact: bool
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class BenchCompareOutput:
    """The whole output."""

    rows: tuple[BenchmarkRow, ...]
    geomeans: tuple[BenchmarkGeomean, ...]
    unpaired: tuple[UnpairedBenchmark, ...]
    differs: tuple[ConfigurationDifference, ...]
    warnings: tuple[str, ...]

    @classmethod
    def from_json(cls, value: object) -> "BenchCompareOutput":
        """Parse decoded JSON. Raises `ValueError` if it is not such output."""
        if not isinstance(value, Mapping):
            raise ValueError("the output of bench-compare must be a JSON object")  # noqa: TRY004 - callers catch one error
        try:
            return cls(
                rows=tuple(_row(each) for each in value["rows"]),
                geomeans=tuple(_geomean(each) for each in value.get("geomeans") or ()),
                unpaired=tuple(_unpaired(each) for each in value.get("unpaired") or ()),
                differs=tuple(
                    ConfigurationDifference(str(e["key"]), _texts(e["base"]), _texts(e["candidate"]))
                    for e in value.get("differs") or ()
                ),
                warnings=_texts(value.get("warnings") or ()),
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
        alpha=float(value.get("alpha") or 0),
        significant=bool(value["significant"]),
        better=better if better in {"less", "more"} else None,
        exact=bool(value.get("exact", False)),
        warnings=_texts(value.get("warnings") or ()),
    )


def _geomean(value: Mapping[str, Any]) -> BenchmarkGeomean:
    return BenchmarkGeomean(
        unit=str(value["unit"]),
        config={str(key): str(text) for key, text in (value.get("config") or {}).items()},
        rows=int(value.get("rows") or 0),
        base=_optional(value.get("base")),
        candidate=_optional(value.get("candidate")),
        ratio=_optional(value.get("ratio")),
        warnings=_texts(value.get("warnings") or ()),
    )


def _unpaired(value: Mapping[str, Any]) -> UnpairedBenchmark:
    return UnpairedBenchmark(
        side=str(value["side"]),
        name=str(value["name"]),
        unit=str(value["unit"]),
        n=int(value.get("n") or 0),
        center=float(value.get("center") or 0),
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
