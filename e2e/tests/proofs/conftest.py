"""One running stack for all tests of this folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import migrated  # noqa: F401 - pytest finds fixtures by name
from tests.support.databases import TestDatabase
from tests.support.running_stacks import RunningStack, running_stack


@pytest.fixture(scope="module")
def stack(migrated: TestDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:  # noqa: F811
    migrated.empty()
    with running_stack(migrated, Path(tmp_path_factory.mktemp("stack"))) as running:
        yield running
    migrated.empty()
