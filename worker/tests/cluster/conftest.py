"""A real control plane of Kubernetes, whose pods get their status from a thread."""

from collections.abc import Iterator

import pytest

from support.control_plane import ControlPlane, PodStatusWriter, control_plane, control_plane_program, etcd_program


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """Give the control plane of all tests."""
    program, etcd = control_plane_program(), etcd_program()
    if program is None or etcd is None:
        pytest.skip("the control plane cannot be had: Go, its modules or the Debian package of etcd are missing")
    with control_plane(program, etcd, tmp_path_factory.mktemp("plane")) as running:
        yield running


@pytest.fixture
def pods(plane: ControlPlane) -> Iterator[PodStatusWriter]:
    """Give what sets the status of pods."""
    with PodStatusWriter(plane).running() as writer:
        yield writer
