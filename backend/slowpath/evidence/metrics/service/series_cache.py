"""What a process remembers of a team's series, so that a sample costs a look-up: keys to slots, and the newest sample of each.

Nothing here is the truth. What is not remembered is read; what was remembered in a transaction that failed is forgotten, all
of it, before anybody else looks.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.series_data import SeriesKind
from slowpath.core.ids import TeamId

NEVER: Final = -(1 << 62)
"""The newest sample of a series that has none."""
UNKNOWN: Final = 1 << 62
"""The newest sample of a series of which this process knows none yet."""
SLOT_BYTES: Final = 350
"""What a series takes besides its key: its places in dictionaries and columns."""
TEAM_BYTES: Final = 128 << 20
"""Of one team, about. Beyond it the process begins anew."""
PUSH_BYTES: Final = 4 << 20
"""What one request may add. Beyond it the process begins anew, and reads from the database what it needs."""
TOTAL_BYTES: Final = 256 << 20
"""Of all teams. Beyond it those who were quiet longest are forgotten."""
MOST_TEAMS: Final = 64


class TeamSeriesCache:
    """The series of one team that this process has met. Used by one thread at a time."""

    def __init__(self) -> None:
        """Begin knowing nothing."""
        self.lock = threading.Lock()
        self.epoch = -1
        self.dirty = False
        """Whether something was remembered that is not committed yet."""
        self.compaction_enqueued_ms = 0
        self.keys: dict[str, dict[bytes, int]] = {}
        self._began_bytes = 0
        self.clear()

    def clear(self) -> None:
        """Forget everything. Who holds the keys of a protocol goes on with what becomes known."""
        for keys in self.keys.values():
            keys.clear()
        self.size_bytes = 0
        self.slot_of: dict[int, int] = {}
        self.families: dict[str, tuple[SeriesKind, str]] = {}
        self.created_ms: dict[int, int] = {}
        self.ids = np.zeros(0, np.int64)
        self.blocks = np.zeros(0, np.int64)
        self.last_ms = np.zeros(0, np.int64)
        self.last_bits = np.zeros(0, np.uint64)

    def as_of(self, epoch: int) -> None:
        """Forget everything if series were deleted since, or if it is too much."""
        if epoch != self.epoch or self.size_bytes > TEAM_BYTES:
            self.clear()
            self.epoch = epoch

    def begin(self) -> None:
        """Begin a request."""
        self._began_bytes = self.size_bytes

    def trim(self) -> None:
        """Forget everything if one request made this process remember too much. To be called between its parts."""
        if self.size_bytes - self._began_bytes > PUSH_BYTES:
            self.clear()
            self._began_bytes = 0

    def known(self, protocol: str) -> dict[bytes, int]:
        """Return the slots by key of a protocol."""
        return self.keys.setdefault(protocol, {})

    def learn(self, protocol: str, keys: Iterable[tuple[bytes, int]]) -> None:
        """Remember slots by their keys in a protocol."""
        known = self.known(protocol)
        for key, slot in keys:
            known[key] = slot
            self.size_bytes += SLOT_BYTES + len(key)

    def add(self, series: Sequence[tuple[int, int, int]]) -> NDArray[np.int64]:
        """Remember series (id, block, newest sample) and return their slots; those that are known keep theirs."""
        self.dirty = True
        fresh = [one for one in {row[0]: row for row in series}.values() if one[0] not in self.slot_of]
        for series_id, _, _ in fresh:
            self.slot_of[series_id] = len(self.slot_of)
        columns = np.array(fresh, np.int64).reshape(-1, 3)
        self.ids = np.concatenate([self.ids, columns[:, 0]])
        self.blocks = np.concatenate([self.blocks, columns[:, 1]])
        self.last_ms = np.concatenate([self.last_ms, columns[:, 2]])
        self.last_bits = np.concatenate([self.last_bits, np.zeros(len(fresh), np.uint64)])
        return np.array([self.slot_of[series_id] for series_id, _, _ in series], np.int64)

    def newest(self, slots: NDArray[np.int64], times_ms: NDArray[np.int64], bits: NDArray[np.uint64]) -> None:
        """Remember samples, where they are newer than what is known."""
        self.dirty = True
        order = np.lexsort((times_ms, slots))
        slots, times_ms, bits = slots[order], times_ms[order], bits[order]
        last = np.append(np.diff(slots) != 0, True) if len(slots) else np.zeros(0, np.bool_)
        slots, times_ms, bits = slots[last], times_ms[last], bits[last]
        newer = (times_ms > self.last_ms[slots]) | (self.last_ms[slots] == UNKNOWN)
        self.last_ms[slots[newer]] = times_ms[newer]
        self.last_bits[slots[newer]] = bits[newer]


class SeriesCache:
    """What this process remembers, team by team; whoever was quiet longest is forgotten first."""

    def __init__(self) -> None:
        """Begin knowing nothing."""
        self._lock = threading.Lock()
        self._teams: OrderedDict[TeamId, TeamSeriesCache] = OrderedDict()

    def _too_many(self) -> bool:
        return len(self._teams) > MOST_TEAMS or sum(team.size_bytes for team in self._teams.values()) > TOTAL_BYTES

    @contextmanager
    def of(self, team_id: TeamId) -> Iterator[TeamSeriesCache]:
        """Give a team's series to one thread at a time. If the block fails after it remembered something, all is forgotten."""
        with self._lock:
            team = self._teams.setdefault(team_id, TeamSeriesCache())
            self._teams.move_to_end(team_id)
            while len(self._teams) > 1 and self._too_many():
                self._teams.popitem(last=False)
        with team.lock:
            team.dirty = False
            try:
                yield team
            except BaseException:
                if team.dirty:
                    team.clear()
                raise
