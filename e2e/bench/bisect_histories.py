"""Public histories as simulated searches: real commits and pinned versions, known culprits, simulated noise."""

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from numpy.random import Generator

from bench.bisect_simulation import SimulatedHistory, SimulationSettings
from slowpath.analysis.bisect.candidate_sequence import Candidate

FOLDER: Final = Path(__file__).resolve().parent / "testdata" / "histories"
FORMAT: Final = "slowpath.history/1"


@dataclass(frozen=True)
class HistoryLine:
    """The commits of one repository after the good one, in order; positions are counted from 1."""

    repository: str
    shas: tuple[str, ...]
    built: tuple[bool, ...]
    pins: tuple[dict[str, str], ...]
    """Versions pinned by each commit, including those pinned before."""

    def place(self, sha: str) -> int:
        """Return the position of a commit; 0 is the good boundary."""
        return self.shas.index(sha)


@dataclass(frozen=True)
class History:
    """A history of several repositories."""

    lines: tuple[HistoryLine, ...]
    culprits: tuple[str, ...]

    @property
    def culprit_positions(self) -> list[int]:
        """Return the positions of the culprits."""
        return [line.place(sha) for line, sha in zip(self.lines, self.culprits, strict=True)]

    def between(self, level: int, place: int) -> range:
        """Return the positions in the next repository that a commit's change of versions includes; empty if none."""
        line, below = self.lines[level], self.lines[level + 1]
        before, after = (line.pins[one].get(below.repository) for one in (place - 1, place))
        if before is None or after is None or before == after or not {before, after} <= set(below.shas):
            return range(0)
        return range(below.place(before) + 1, below.place(after) + 1)


@lru_cache(maxsize=4)
def history(name: str) -> History:
    """Load one of the histories."""
    document = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert document["format"] == FORMAT
    return History(tuple(_line(one) for one in document["levels"]), tuple(document["culprits"]))


def _line(line: dict[str, Any]) -> HistoryLine:
    pins: list[dict[str, str]] = [line["pins"]]
    for one in line["commits"]:
        pins.append(pins[-1] | one.get("pins", {}))
    built = (True, *(one.get("built", True) for one in line["commits"]))
    return HistoryLine(line["repository"], (line["good"], *(one["sha"] for one in line["commits"])), built, tuple(pins))


class ReplayedHistory(SimulatedHistory):
    """A history with noise. With `commits`, a monorepo of that many commits precedes it, of which one pins the second repository's commits."""

    def __init__(
        self, setting: SimulationSettings, rng: Generator, written: History, commits: int | None = None
    ) -> None:
        """Draw the culprit of the monorepo; everything else is unchanged."""
        lengths = tuple(len(line.shas) - 1 for line in written.lines)
        super().__init__(replace(setting, sizes=(commits or lengths[0], *lengths[1:])), rng)
        self._written, self._made = written, commits is not None
        self.culprits = [
            self.culprits[0] if self._made else written.culprit_positions[0],
            *written.culprit_positions[1:],
        ]

    def candidates(self, level: int) -> list[Candidate]:
        """Return the candidates of the first level; those of other levels are inside them."""
        return self._some(level, range(1, self.setting.sizes[level] + 1))

    def inside(self, id_: str) -> list[Candidate]:
        """Return the commits between two pinned versions."""
        level, place = map(int, id_.split(":"))
        if level + 1 == len(self.culprits):
            return []
        if level or not self._made:
            return self._some(level + 1, self._written.between(level, place))
        return self._some(1, range(1, self.setting.sizes[1] + 1)) if place == self.culprits[0] else []

    def plain(self) -> SimulatedHistory:
        """Return the same search for a peer that knows the culprit updates."""
        brought = [
            self._written.between(level, place) for level, place in enumerate(self._written.culprit_positions[:-1])
        ]
        if self._made:
            brought[0] = range(1, self.setting.sizes[1] + 1)
        simulated = SimulatedHistory(
            replace(self.setting, sizes=(self.setting.sizes[0], *map(len, brought))), self._rng
        )
        simulated.culprits = [
            self.culprits[0],
            *(at - one.start + 1 for at, one in zip(self.culprits[1:], brought, strict=True)),
        ]
        return simulated

    def _some(self, level: int, places: range) -> list[Candidate]:
        """Return the builds that differ from the previous one; the last of a range always represents its outer candidate."""
        deeper = level + 1 < len(self.culprits)
        built = self._written.lines[level].built if level or not self._made else None
        return [
            Candidate(f"{level}:{one}", 1.0, hides=deeper)
            for one in places
            if built is None or built[one] or one == places[-1]
        ]
