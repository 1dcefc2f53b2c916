from pathlib import Path

import pytest

from slowpath_cli.runner.driver import Place
from tests.drivers.targets import RUNNER


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "work").mkdir()
    return Place(RUNNER, tmp_path / "work")
