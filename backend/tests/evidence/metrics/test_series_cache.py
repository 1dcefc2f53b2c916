"""A full cache of series loses those that were not used for longest, not all of them."""

import numpy as np
import pytest

from slowpath.evidence.metrics.service import series_cache
from slowpath.evidence.metrics.service.series_cache import SLOT_BYTES, TeamSeriesCache

KEY = b"k%03d"
KEY_BYTES = 4


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> TeamSeriesCache:
    """A cache with 100 series of even and odd ids, just above its limit; the odd ones were used last."""
    monkeypatch.setattr(series_cache, "TEAM_BYTES", 100 * (SLOT_BYTES + KEY_BYTES) - 1)
    cache = TeamSeriesCache()
    slots = cache.add([(series_id, series_id // 10, 1_000 + series_id) for series_id in range(100)])
    cache.learn("remote-write-1", [(KEY % slot, slot) for slot in slots.tolist()])
    cache.created_ms = {slot: 7 * slot for slot in range(100)}
    for odd in (0, 1):
        cache.touch(slots[odd::2])
    return cache


def test_the_least_recently_used_series_are_evicted(full: TeamSeriesCache) -> None:
    known = full.known("remote-write-1")

    full.trim()

    assert len(known) == len(full.ids) == len(full.slot_of) == 75
    assert {KEY % series_id for series_id in range(1, 100, 2)} <= set(known)
    for key, slot in known.items():
        series_id = int(key[1:])
        assert (full.ids[slot], full.blocks[slot], full.last_ms[slot]) == (
            series_id,
            series_id // 10,
            1_000 + series_id,
        )
        assert full.slot_of[series_id] == slot
        assert full.created_ms[slot] == 7 * series_id
    assert full.size_bytes == 75 * (SLOT_BYTES + KEY_BYTES)


def test_evicted_series_can_be_added_again(full: TeamSeriesCache) -> None:
    full.trim()
    missing = sorted(set(range(100)) - set(full.ids.tolist()))

    slots = full.add([(series_id, 1, 5) for series_id in missing])

    assert slots.tolist() == list(range(75, 100))
    full.touch(slots)
    full.newest(slots, np.full(25, 9_000), np.zeros(25, np.uint64))
    assert full.last_ms[slots].tolist() == [9_000] * 25


def test_a_request_that_adds_too_much_evicts_what_it_added(
    full: TeamSeriesCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(series_cache, "TEAM_BYTES", 1 << 20)
    monkeypatch.setattr(series_cache, "PUSH_BYTES", 10 * (SLOT_BYTES + KEY_BYTES))
    known = full.known("remote-write-1")
    before = dict(known)
    full.begin()
    for first in (100, 200):
        slots = full.add([(series_id, 1, 5) for series_id in range(first, first + 20)])
        full.learn("remote-write-1", [(KEY % series_id, slot) for series_id, slot in enumerate(slots.tolist(), first)])
        full.touch(slots)

        full.trim()

        assert known == before
    assert full.size_bytes == 100 * (SLOT_BYTES + KEY_BYTES)


def test_nothing_is_evicted_below_the_limit(full: TeamSeriesCache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(series_cache, "TEAM_BYTES", 1 << 20)

    full.trim()

    assert len(full.ids) == 100
