"""Growth logs for tests: written down, drawn at random, and the decoder's golden ones."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.growth_logs.growth_artifact import GrowthArtifact
from slowpath.analysis.kinds.growth_logs.growth_table import GrowthPath, GrowthTable, attributed_caller_of
from slowpath.units import Nanoseconds

SECOND = 1_000_000_000
GOLDEN = Path(__file__).resolve().parents[5] / "worker" / "decode" / "testdata" / "golden"
Counts = Mapping[tuple[str, int], int]
"""Recorded growths by stack ("main.a;main.b", root first) and old size in bytes."""


def table(
    counts: Counts,
    *,
    rate: int = 1_000,
    total: int | None = None,
    totals: Mapping[int, int] | None = None,
    goroutines: int | None = None,
    start_bytes: int | None = 2_048,
    rate_known: bool = True,
    lost: int = 0,
    truncated: bool = False,
    dialect: str = "newstack",
    warnings: Sequence[str] = (),
) -> GrowthTable:
    """A decoded log of these counts."""
    paths = []
    for (stack, old_bytes), sampled in counts.items():
        names = stack.split(";")
        caller, entry = attributed_caller_of(names[::-1])
        paths.append(GrowthPath(caller, entry, tuple(names), old_bytes, 2 * old_bytes, sampled))
    return GrowthTable(
        dialect=dialect,
        rate=rate,
        rate_known=rate_known,
        sampled=sum(counts.values()),
        lost=lost,
        total=sum(totals.values()) if totals else total,
        totals=totals or {},
        duration_ns=None,
        goroutines=goroutines,
        start_bytes=start_bytes,
        truncated=truncated,
        cut_traces=0,
        paths=tuple(paths),
        warnings=tuple(warnings),
    )


def log(
    made: GrowthTable, name: str = "growth.log", *, requests: int | None = 100_000, seconds: float | None = 120
) -> GrowthArtifact:
    """A log with what is known of its run."""
    wall = None if seconds is None else Nanoseconds(round(seconds * SECOND))
    return GrowthArtifact(name, made, RunMetadata(run=name, requests=requests, wall_ns=wall))


def golden(variant: str, *, requests: int | None = 49_858) -> GrowthArtifact:
    """The decoder's own file of a variant of the example: inlined, helper or pool."""
    return log(
        GrowthTable.parse((GOLDEN / f"growth-{variant}.slowcol").read_bytes()),
        f"{variant}.log.gz",
        requests=requests,
        seconds=10.7,
    )


def drawn(
    rng: np.random.Generator, means: Mapping[tuple[str, int], float], count: int, *, cv: float, total: bool = False
) -> list[GrowthArtifact]:
    """As many logs, each of a run of its own: Poisson counts about the means, which vary by `cv` between runs."""
    made = []
    for number in range(count):
        luck = rng.gamma(1 / cv**2, cv**2) if cv else 1.0
        counts = {key: int(rng.poisson(mean * luck)) for key, mean in means.items()}
        totals: dict[int, int] = {}
        for (_, old_bytes), sampled in counts.items():
            totals[old_bytes] = totals.get(old_bytes, 0) + sampled * 1_000 + int(rng.integers(0, 1_000))
        made.append(log(table(counts, totals=totals if total else None), f"growth.{number:02}.log"))
    return made
