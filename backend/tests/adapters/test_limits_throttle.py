"""The throttle counts in Valkey for all processes together, and in memory when it does not answer."""

import os
from uuid import uuid4

import pytest
from pydantic import SecretStr

from slowpath.adapters.limits_throttle import SlidingWindowRateLimiter, create_throttle
from tests.support.app_under_test import settings_for


def throttle(broker_url: str) -> SlidingWindowRateLimiter:
    return create_throttle(settings_for("postgresql://unused", broker_url=SecretStr(broker_url)))


@pytest.mark.database
def test_two_processes_count_together() -> None:
    first, second = throttle(os.environ["BROKER_URL"]), throttle(os.environ["BROKER_URL"])
    key = uuid4().hex
    counted = [one.hit(key, times=3, seconds=60) for one in (first, second, first, second)]
    assert counted == [True, True, True, False]
    first.clear(key, times=3, seconds=60)
    assert second.hit(key, times=3, seconds=60)


@pytest.mark.database
def test_keys_and_rates_are_counted_apart() -> None:
    one, key = throttle(os.environ["BROKER_URL"]), uuid4().hex
    assert one.hit(key, times=1, seconds=60)
    assert one.hit(key + "x", times=1, seconds=60)
    assert one.hit(key, times=2, seconds=60)
    assert not one.hit(key, times=1, seconds=60)


def test_without_valkey_it_counts_in_memory() -> None:
    alone = throttle("redis://127.0.0.1:1/0")
    assert [alone.hit("key", times=2, seconds=60) for _ in range(3)] == [True, True, False]
    alone.clear("key", times=2, seconds=60)
    assert alone.hit("key", times=2, seconds=60)
