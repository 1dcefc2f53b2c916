"""Answers of bench-compare for tests: written down, and of values by scipy's Mann-Whitney test."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

BETTER = {"sec/op": "less", "B/op": "less", "allocs/op": "less", "B/s": "more"}


def row(
    base: Sequence[float],
    candidate: Sequence[float],
    *,
    name: str = "Encode-8",
    unit: str = "sec/op",
    config: Mapping[str, str] | None = None,
    exact: bool = False,
) -> dict[str, Any]:
    """One row as the helper writes it (with the order statistics that are the median's 95 % interval from 6 values on)."""
    sides = [_side(list(values)) for values in (base, candidate)]
    p = float(mannwhitneyu(base, candidate, method="exact" if len(base) < 50 else "auto").pvalue)
    if len(set(base) | set(candidate)) == 1:
        p = 1.0
    old, new = sides[0]["center"], sides[1]["center"]
    return {
        "name": name,
        "unit": unit,
        "config": dict(config or {"pkg": "example.com/a"}),
        "base": sides[0],
        "candidate": sides[1],
        "ratio": 1.0 if old == new else None if old == 0 else new / old,
        "p": None if exact else p,
        "alpha": 0.05,
        "significant": (exact or p <= 0.05) and old != new,
        "better": BETTER.get(unit),
        "exact": exact,
        "warnings": [],
    }


def _side(values: list[float]) -> dict[str, Any]:
    known = len(values) >= 6
    return {
        "n": len(values),
        "center": float(np.median(values)),
        "low": min(values) if known else None,
        "high": max(values) if known else None,
        "values": values,
    }


def answer(*rows: dict[str, Any], **more: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of any kind
    """A whole answer."""
    return {"rows": list(rows), "geomeans": [], "unpaired": [], "differs": [], "warnings": [], **more}
