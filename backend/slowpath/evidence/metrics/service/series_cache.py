"""Cache of a team's series in one process: keys to slots, and the newest sample of each series.

A cache miss is read from the database. After a failed transaction, the cache of the team is cleared before its next use.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from slowpath.analysis.kinds.metrics.samples.series_data import SeriesKind
from slowpath.core.ids import TeamId

NEVER: Final = -(1 << 62)
"""Time of the newest sample of a series without samples."""
UNKNOWN: Final = 1 << 62
"""Time of the newest sample of a series whose samples are not cached yet."""
SLOT_BYTES: Final = 350
"""Memory of a series besides its key, in dictionaries and columns."""
TEAM_BYTES: Final = 128 << 20
"""Approximate limit of one team (300,000 series); above it, the least recently used series are evicted."""
PUSH_BYTES: Final = 4 << 20
"""Limit of what one request adds; above it, what it added is evicted and read again."""
REMAINING_SHARE: Final = 0.75
"""Share of the limit that remains after an eviction, so that the next one is not due at once."""
TOTAL_BYTES: Final = 256 << 20
"""Limit of all teams; above it, the least recently used are evicted."""
MOST_TEAMS: Final = 64


class TeamSeriesCache:
    """Cached series of one team. Used by one thread at a time."""

    def __init__(self) -> None:
        """Create an empty cache."""
        self.lock = threading.Lock()
        self.epoch = -1
        self.dirty = False
        """Whether the cache contains uncommitted data."""
        self.compaction_enqueued_ms = 0
        self.keys: dict[str, dict[bytes, int]] = {}
        self.clear()

    def clear(self) -> None:
        """Clear the cache. Existing references to the keys of a protocol remain valid."""
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
        self.used = np.zeros(0, np.int64)
        self._uses = 0
        self.begin()

    def as_of(self, epoch: int) -> None:
        """Clear the cache if series were deleted meanwhile."""
        if epoch != self.epoch:
            self.clear()
            self.epoch = epoch

    def begin(self) -> None:
        """Start a request."""
        self._began_series, self._began_bytes = len(self.ids), self.size_bytes
        self._began_keys = {protocol: len(keys) for protocol, keys in self.keys.items()}

    def touch(self, slots: NDArray[np.int64]) -> None:
        """Record that these series are used now."""
        self._uses += 1
        self.used[slots] = self._uses

    def trim(self) -> None:
        """Evict what one request added if it is too much, and the least recently used series if the cache is too large.

        Called between the parts of a request.
        """
        if self.size_bytes - self._began_bytes > PUSH_BYTES:
            self.families = {}
            for protocol, keys in self.keys.items():  # also those of series that existed before
                for key in list(islice(keys, self._began_keys.get(protocol, 0), None)):
                    del keys[key]
            self._retain(np.arange(self._began_series))
        if self.size_bytes > TEAM_BYTES:
            remaining = round(len(self.ids) * REMAINING_SHARE * TEAM_BYTES / self.size_bytes)
            self._retain(np.sort(np.argsort(self.used, kind="stable")[len(self.ids) - remaining :]))
            self.begin()

    def _retain(self, order: NDArray[np.int64]) -> None:
        """Retain these slots and renumber them. Existing references to the keys of a protocol remain valid."""
        for name in ("ids", "blocks", "last_ms", "last_bits", "used"):
            setattr(self, name, getattr(self, name)[order])
        slots = {former: slot for slot, former in enumerate(order.tolist())}
        self.slot_of = {series_id: slot for slot, series_id in enumerate(self.ids.tolist())}
        self.created_ms = {slots[slot]: at_ms for slot, at_ms in self.created_ms.items() if slot in slots}
        self.size_bytes = 0
        for keys in self.keys.values():
            found = [(key, slots[slot]) for key, slot in keys.items() if slot in slots]
            keys.clear()
            keys.update(found)
            self.size_bytes += sum(SLOT_BYTES + len(key) for key, _ in found)

    def known(self, protocol: str) -> dict[bytes, int]:
        """Return the slots of a protocol by key."""
        return self.keys.setdefault(protocol, {})

    def learn(self, protocol: str, keys: Iterable[tuple[bytes, int]]) -> None:
        """Cache slots by their keys in a protocol."""
        known = self.known(protocol)
        for key, slot in keys:
            known[key] = slot
            self.size_bytes += SLOT_BYTES + len(key)

    def add(self, series: Sequence[tuple[int, int, int]]) -> NDArray[np.int64]:
        """Cache series (ID, group, newest sample) and return their slots; existing ones keep their slots."""
        self.dirty = True
        fresh = [one for one in {row[0]: row for row in series}.values() if one[0] not in self.slot_of]
        for series_id, _, _ in fresh:
            self.slot_of[series_id] = len(self.slot_of)
        columns = np.array(fresh, np.int64).reshape(-1, 3)
        self.ids = np.concatenate([self.ids, columns[:, 0]])
        self.blocks = np.concatenate([self.blocks, columns[:, 1]])
        self.last_ms = np.concatenate([self.last_ms, columns[:, 2]])
        self.last_bits = np.concatenate([self.last_bits, np.zeros(len(fresh), np.uint64)])
        self.used = np.concatenate([self.used, np.zeros(len(fresh), np.int64)])
        return np.array([self.slot_of[series_id] for series_id, _, _ in series], np.int64)

    def newest(self, slots: NDArray[np.int64], times_ms: NDArray[np.int64], bits: NDArray[np.uint64]) -> None:
        """Update the newest samples of series with later ones."""
        self.dirty = True
        order = np.lexsort((times_ms, slots))
        slots, times_ms, bits = slots[order], times_ms[order], bits[order]
        last = np.append(np.diff(slots) != 0, True) if len(slots) else np.zeros(0, np.bool_)
        slots, times_ms, bits = slots[last], times_ms[last], bits[last]
        newer = (times_ms > self.last_ms[slots]) | (self.last_ms[slots] == UNKNOWN)
        self.last_ms[slots[newer]] = times_ms[newer]
        self.last_bits[slots[newer]] = bits[newer]


class SeriesCache:
    """Series caches of this process by team; the least recently used is evicted."""

    def __init__(self) -> None:
        """Create an empty cache."""
        self._lock = threading.Lock()
        self._teams: OrderedDict[TeamId, TeamSeriesCache] = OrderedDict()

    def _too_many(self) -> bool:
        return len(self._teams) > MOST_TEAMS or sum(team.size_bytes for team in self._teams.values()) > TOTAL_BYTES

    @contextmanager
    def of(self, team_id: TeamId) -> Iterator[TeamSeriesCache]:
        """Provide a team's cache to one thread at a time. If the block fails with uncommitted data, the cache is cleared."""
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
