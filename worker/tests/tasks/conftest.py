"""The real helper, and worker jobs that use it."""

import os
from pathlib import Path

import pytest

from slowpath.core.settings import Settings
from tests.conftest import (  # noqa: F401 - pytest finds fixtures by name
    app,
    asker,
    client,
    emptied,
    engine,
    migrated,
    people,
    role,
    team,
)
from tests.jobs.conftest import Bench
from tests.jobs.conftest import bench as plain_bench  # noqa: F401 - as above
from tests.support.app_under_test import settings_for

PROFILES = Path(__file__).parents[2] / "decode" / "testdata" / "profiles"
BINARY = Path(__file__).parents[2] / "decode" / "bin" / "slowpath-decode"


@pytest.fixture(scope="session")
def settings() -> Settings:
    binary = Path(os.environ.get("SLOWPATH_DECODE_BIN", BINARY))
    return settings_for("postgresql://nobody@127.0.0.1:1/nothing", decode_bin=binary)


@pytest.fixture
def bench(plain_bench: Bench, settings: Settings) -> Bench:  # noqa: F811
    own = plain_bench.worker_context.settings.model_copy(update={"decode_bin": settings.decode_bin})
    return plain_bench.with_settings(own)
