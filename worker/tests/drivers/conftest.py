from collections.abc import Iterator
from pathlib import Path

import pytest

from slowpath_cli.runner.driver import Place
from tests.drivers.clusters import DEPLOYMENTS, TOKEN, ClusterDouble, original
from tests.drivers.secured import Secured, made_by_itself
from tests.drivers.targets import RUNNER


@pytest.fixture(autouse=True)
def cluster_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTER_TOKEN", TOKEN)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "work").mkdir()
    return Place(RUNNER, tmp_path / "work")


@pytest.fixture
def double() -> ClusterDouble:
    made = ClusterDouble()
    made.put(f"{DEPLOYMENTS}/ingester", original())
    return made


@pytest.fixture
def server(tmp_path: Path, double: ClusterDouble) -> Iterator[Secured]:
    with Secured(double).secured(*made_by_itself(tmp_path, "cluster")) as running:
        yield running
