"""Results of benchmarks: a measured value, that of a peer, and whether the goal is met."""

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
        return f"{mark} {self.name:9} {self.what}: {self.value:.4g}{peer}{goal}"
