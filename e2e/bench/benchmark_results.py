"""Results of benchmarks: a measured value, that of a peer, and whether the goal is met."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class BenchmarkResult:
    """One result. `goal` is a text; `met` is None without a goal.

    `is_open`: the goal is known to be missed (README, "Not there yet"), so missing it is no failure.
    """

    name: str
    what: str
    value: float
    peer: float | None = None
    ratio: float | None = None
    goal: str | None = None
    met: bool | None = None
    is_open: bool = False
    column: str = "measured"
    """Results that differ in the column only are side by side in a table."""

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object of `--json`."""
        return asdict(self)

    def format(self) -> str:
        """Format the result for the console."""
        mark = {True: "met   ", False: "open  " if self.is_open else "MISSED", None: "      "}[self.met]
        peer = (
            f"  (peer {self.peer:.4g}, ratio {self.ratio:.3g})"
            if self.peer is not None and self.ratio is not None
            else ""
        )
        goal = f"  goal {self.goal}" if self.goal else ""
        column = f", {self.column}" if self.column != "measured" else ""
        return f"{mark} {self.name:9} {self.what}{column}: {self.value:.4g}{peer}{goal}"


def markdown_table(results: Sequence[BenchmarkResult]) -> str:
    """Return results as a table in Markdown, those that differ in the column only side by side."""
    columns = list(dict.fromkeys(result.column for result in results))
    rows: dict[str, dict[str, BenchmarkResult]] = {}
    for result in results:
        rows.setdefault(result.what, {})[result.column] = result
    lines = [_row("what", *columns, "goal"), _row(*["---"] * (len(columns) + 2))]
    for what, found in rows.items():
        values = [_number(found[column].value) if column in found else "–" for column in columns]
        lines.append(_row(what, *values, next((each.goal for each in found.values() if each.goal), "–")))
    return "\n".join(lines)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
