from pathlib import Path

import pytest

from slowpath_cli.runner.driver import Place
from tests.drivers.clusters import TOKEN
from tests.drivers.targets import RUNNER


@pytest.fixture(autouse=True)
def cluster_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTER_TOKEN", TOKEN)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "work").mkdir()
    return Place(RUNNER, tmp_path / "work")
