"""What the tests of all drivers of clusters begin with: a double held to what was published, a section, a driver that never waits."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from slowpath_cli.runner.kube.kube_cluster import KubeNamespace
from tests.collect.pprof_servers import Answering
from tests.drivers.cluster_double import NAMESPACE, ClusterDouble
from tests.drivers.published_schemas import Published


class OfCluster(Protocol):
    """A driver of a cluster."""

    cluster: KubeNamespace


D = TypeVar("D", bound=OfCluster)


@contextmanager
def served(double: ClusterDouble, *documents: str) -> Iterator[str]:
    """The address of a double; fails where it or we did not keep to these documents."""
    published = Published.of(*documents)
    with Answering(published.checked(double)) as server:
        yield f"http://{server.address}"
    assert published.faults == []


def section_of(driver: str, api: str, *changes: Mapping[str, Any]) -> dict[str, Any]:
    """A section as TOML has it; what is None is left out."""
    fields: dict[str, Any] = {"driver": driver, "api": api, "namespace": NAMESPACE, "token_env": "CLUSTER_TOKEN"}
    fields["image"] = "images.example.com/ingester:{build}"
    for each in changes:
        fields |= each
    return {key: value for key, value in fields.items() if value is not None}


def quick(made: object, kind: type[D]) -> D:
    """A driver of this kind that never waits."""
    assert isinstance(made, kind)
    made.cluster._pause = made.cluster._outside._pause = lambda _: None
    return made
