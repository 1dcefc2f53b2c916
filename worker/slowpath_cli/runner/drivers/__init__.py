"""The registry of drivers: the ways to deploy a probe. A module is imported only when its driver is named."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from slowpath_cli.runner.core.driver_interface import DeploymentDriver, DriverEnvironment, InvalidDriverConfig


@dataclass(frozen=True)
class DriverType:
    """One driver: its name in `[deploy] driver`, former names, and the module with `read(section, place)`."""

    name: str
    module: str
    aliases: tuple[str, ...] = ()


_TYPES: Final = (
    DriverType("command", "command_driver"),
    DriverType("external", "no_deployment", ("none",)),
    DriverType("github-actions", "github_actions", ("github",)),
    DriverType("webhook", "webhook_driver"),
    DriverType("kubernetes", "kubernetes_clone"),
)
DRIVERS: Final[Mapping[str, DriverType]] = {each.name: each for each in _TYPES}
_ALIASES: Final = {alias: each for each in _TYPES for alias in each.aliases}


def read_driver(name: str, section: Mapping[str, Any], environment: DriverEnvironment) -> DeploymentDriver:
    """Return the driver of a name, configured by its section. Raises `InvalidDriverConfig`."""
    found = DRIVERS.get(name) or _ALIASES.get(name)
    if found is None:
        raise InvalidDriverConfig(f"[deploy] driver: unknown driver {name!r}; choose from {', '.join(DRIVERS)}.")
    driver: DeploymentDriver = importlib.import_module(f"{__name__}.{found.module}").read(section, environment)
    return driver
