"""The web process alone, as it is started in production, and a team that works on it while others attack."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.conftest import migrated
from tests.support.databases import TestDatabase
from tests.support.running_stacks import RunningStack, running_stack

__all__ = ["migrated"]


@pytest.fixture(scope="module")
def stack(migrated: TestDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    migrated.empty()
    with running_stack(migrated, Path(tmp_path_factory.mktemp("stack")), web_only=True) as running:
        yield running


@pytest.fixture(scope="module")
def bystander(stack: RunningStack) -> Iterator[httpx.Client]:
    """Give the client of a team that must not notice the attack; its session was accepted before."""
    with stack.signed_up() as client:
        assert client.get("/services").status_code == 200
        yield client
