"""Deployment targets for tests of the drivers."""

from pathlib import Path
from typing import Any, Final
from uuid import UUID

from slowpath_cli.runner.core.driver_interface import DeploymentCallback, DeploymentTarget, ModuleOverride

RUNNER: Final = "lab"
RUN: Final = UUID("0192f3a4-5b6c-7d8e-9fa0-b1c2d3e4f506")
OTHER_RUN: Final = UUID("0192f3a4-5b6c-7d8e-9fa0-b1c2d3e4f507")
COMMIT: Final = "4f2c9e1d0b7a4f2c9e1d0b7a4f2c9e1d0b7a4f2c"
LIBRARY: Final = "9e1d0b7a4f2c9e1d0b7a4f2c9e1d0b7a4f2c4f2c"
OVERRIDES: Final = {
    "example.com/libx": ModuleOverride(commit=LIBRARY),
    "example.com/liby": ModuleOverride(version="v1.2.3"),
}


def target(**changes: Any) -> DeploymentTarget:  # noqa: ANN401 - any field of a target
    """A target of the first slot."""
    usual: dict[str, Any] = {
        "run_id": RUN, "slot": 0, "service": "ingester", "commit": COMMIT, "dir": None, "out": Path("/nowhere"),
        "callback": DeploymentCallback("https://slowpath.example/api/v1/probe-callbacks/secret", "secret"), "seconds": 900.0,
    }  # fmt: skip
    return DeploymentTarget(**usual | changes)
