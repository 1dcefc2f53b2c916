"""The real helper, and worker jobs that use it."""

import os
import shutil
import subprocess
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
EXAMPLE = Path(__file__).resolve().parents[2] / "example"
GO = shutil.which("go") or "/usr/local/go/bin/go"
BINARY = Path(__file__).parents[2] / "decode" / "bin" / "slowpath-decode"


@pytest.fixture(scope="session")
def settings() -> Settings:
    binary = Path(os.environ.get("SLOWPATH_DECODE_BIN", BINARY))
    return settings_for("postgresql://nobody@127.0.0.1:1/nothing", decode_bin=binary)


@pytest.fixture
def bench(plain_bench: Bench, settings: Settings) -> Bench:  # noqa: F811
    own = plain_bench.worker_context.settings.model_copy(update={"decode_bin": settings.decode_bin})
    return plain_bench.with_settings(own)


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the executables of both variants of the example."""
    folder = tmp_path_factory.mktemp("programs")
    for tags in ("", "helper"):
        subprocess.run(
            [GO, "build", "-buildvcs=false", "-tags", tags, "-o", str(folder / (tags or "inlined")), "."],
            cwd=EXAMPLE / "ingester",
            env={**os.environ, "GOWORK": "off"},
            check=True,
        )
    return {name: (folder / name).read_bytes() for name in ("inlined", "helper")}
