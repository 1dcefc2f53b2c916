from collections.abc import Iterator
from pathlib import Path

import pytest

from slowpath_cli.runner.core.driver_interface import DriverEnvironment
from tests.drivers.cluster_double import DEPLOYMENTS, TOKEN, ClusterDouble, original
from tests.drivers.deploy_targets import RUNNER
from tests.drivers.tls_servers import Secured, made_by_itself


@pytest.fixture(autouse=True)
def cluster_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLUSTER_TOKEN", TOKEN)


@pytest.fixture
def place(tmp_path: Path) -> DriverEnvironment:
    (tmp_path / "work").mkdir()
    return DriverEnvironment(RUNNER, tmp_path / "work")


@pytest.fixture
def double() -> ClusterDouble:
    made = ClusterDouble()
    made.put(f"{DEPLOYMENTS}/ingester", original())
    return made


@pytest.fixture
def server(tmp_path: Path, double: ClusterDouble) -> Iterator[Secured]:
    with Secured(double).secured(*made_by_itself(tmp_path, "cluster")) as running:
        yield running
