"""Driver without deployments: the measurement command builds, runs and measures."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from slowpath_cli.runner.core.driver_interface import (
    DeploymentStatus,
    DeploymentTarget,
    DriverEnvironment,
    Handle,
    InvalidDriverConfig,
)


def read(section: Mapping[str, Any], place: DriverEnvironment) -> "NoDeploymentDriver":
    """Read the driver's section, which is empty. Raises `InvalidDriverConfig`."""
    del place
    if section:
        raise InvalidDriverConfig(f"[deploy] has {min(section)!r}, but no driver. Set driver, too.")
    return NoDeploymentDriver()


@dataclass(frozen=True)
class NoDeploymentDriver:
    """Reports every deployment as ready."""

    poll_seconds: float = 1.0

    def prepare(self) -> None:
        """Do nothing."""

    def deploy(self, target: DeploymentTarget) -> Handle:
        """Return a handle with the slot's port."""
        return {"port": target.port}

    def status(self, handle: Handle, called_back: DeploymentStatus | None) -> DeploymentStatus:
        """Return `ready`."""
        del handle, called_back
        return DeploymentStatus("ready")

    def endpoints(self, handle: Handle) -> Mapping[str, str]:
        """Return the slot's port."""
        return {} if handle.get("port") is None else {"port": str(handle["port"])}

    def restore(self, run_id: UUID) -> None:
        """Do nothing."""
        del run_id
