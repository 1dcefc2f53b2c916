"""Read costs of functions from the table of functions of a view (`slowpath.functions`)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from slowpath.analysis.formats.header_members import HeaderMembers
from slowpath.analysis.kinds.profiles.views.diff_header import FORMER_DIFF_NAMES
from slowpath.analysis.kinds.profiles.views.stored_view import FUNCTIONS_FORMAT, strings_of


@dataclass(frozen=True)
class SideCost:
    """The cost of a function on one side, in the unit of the table: self, attributed and total."""

    self_value: float
    attributed: float
    total: float


@dataclass(frozen=True)
class FunctionCost:
    """A function with its cost on both sides; `low` and `high` bound the ratio of its total, None if unknown."""

    name: str
    file: str
    base: SideCost
    candidate: SideCost
    low: float | None
    high: float | None


@dataclass(frozen=True)
class FunctionCosts:
    """All functions of a view. Values are under the view's default normalization, `normalization`, in `unit`."""

    columns: ColumnFile
    names: tuple[str, ...]
    unit: str
    normalization: str
    scales: tuple[float, float]

    @classmethod
    def parse(cls, content: bytes) -> "FunctionCosts":
        """Parse the table. Raises `ColumnFileError`."""
        columns = read_columns(content, FUNCTIONS_FORMAT, former=FORMER_DIFF_NAMES)
        header = HeaderMembers(columns.header)
        chosen = header.text("default_normalization")
        one = next(each for each in header.each("normalizations") if each.text("id") == chosen)
        scales = (one.number("base_scale"), one.number("candidate_scale"))
        return cls(columns, strings_of(columns), one.text("unit"), chosen, scales)

    def __len__(self) -> int:
        """Return the number of functions."""
        return len(self.columns.column("name", "u32"))

    def total(self) -> tuple[float, float]:
        """Return the total of each side."""
        header = HeaderMembers(self.columns.header)
        base, candidate = (header.inner(side).number("total_raw") for side in ("base", "candidate"))
        return base * self.scales[0], candidate * self.scales[1]

    def largest(self, count: int) -> list[FunctionCost]:
        """Return the functions with the largest self plus attributed cost on the candidate side, largest first."""
        own = self.columns.column("candidate_self", "f64") + self.columns.column("candidate_attributed", "f64")
        return self._rows(np.argsort(-own, kind="stable")[:count].tolist())

    def find(self, name: str) -> FunctionCost | None:
        """Return the function with this name."""
        if name not in self.names:
            return None
        rows = np.flatnonzero(self.columns.column("name", "u32") == self.names.index(name))
        return self._rows(rows[:1].tolist())[0] if len(rows) else None

    def matching(self, part: str, count: int) -> list[FunctionCost]:
        """Return the functions whose names contain a text in any case, largest total first."""
        wanted = part.casefold()
        hits = np.fromiter((wanted in name.casefold() for name in self.names), dtype=bool, count=len(self.names))
        rows = np.flatnonzero(hits[self.columns.column("name", "u32")])
        weight = np.abs(self._scaled("base", "total")[rows]) + np.abs(self._scaled("candidate", "total")[rows])
        return self._rows(rows[np.argsort(-weight, kind="stable")[:count]].tolist())

    def _scaled(self, side: str, what: str) -> NDArray[np.float64]:
        values: NDArray[np.float64] = self.columns.column(f"{side}_{what}", "f64")
        return values * self.scales[side == "candidate"]

    def _rows(self, rows: Sequence[int]) -> list[FunctionCost]:
        name, file = self.columns.column("name", "u32"), self.columns.column("file", "u32")
        low, high = (self.columns.column(f"{each}_{self.normalization}", "f32") for each in ("low", "high"))
        costs = {
            side: [self._scaled(side, what) for what in ("self", "attributed", "total")]
            for side in ("base", "candidate")
        }
        return [
            FunctionCost(
                name=self.names[int(name[row])],
                file=self.names[int(file[row])],
                base=SideCost(*(float(values[row]) for values in costs["base"])),
                candidate=SideCost(*(float(values[row]) for values in costs["candidate"])),
                low=_finite(float(low[row])),
                high=_finite(float(high[row])),
            )
            for row in rows
        ]


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
