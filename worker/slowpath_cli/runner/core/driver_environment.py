"""Placeholders and environment variables of the commands of a run."""

import json
from collections.abc import Mapping
from typing import Final

from slowpath_cli.runner.core.driver_interface import (
    DeploymentTarget,
)


def placeholder_values(target: DeploymentTarget) -> dict[str, str]:
    """Return what the placeholders become, for a run."""
    overrides = {module: one.to_json() for module, one in target.overrides.items()}
    return {
        "commit": target.commit,
        "dir": "" if target.dir is None else str(target.dir),
        "overrides": json.dumps(overrides),
        "slot": str(target.slot),
        "out": str(target.out),
        "port": "" if target.port is None else str(target.port),
        "run_id": str(target.run_id),
        "service": target.service,
        "callback": "" if target.callback is None else target.callback.url,
    }


def make_environment(
    let_through: Mapping[str, str], target: DeploymentTarget, values: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment of a command of a run: what is let through, and what the run is."""
    environment = {**let_through, **_as_variables(values)}
    if any(one.dir is not None or one.version is not None for one in target.overrides.values()):
        # requirements of a replaced module need not be in our go.mod and go.sum
        environment["GOFLAGS"] = f"{environment.get('GOFLAGS', '')} -mod=mod".strip()
    return environment


def _as_variables(values: Mapping[str, str]) -> dict[str, str]:
    named = {**values, "service_url": values["url"]} if "url" in values else values
    return {f"SLOWPATH_{name.upper()}": value for name, value in named.items() if name not in OWN_NAMES}


OWN_NAMES: Final = frozenset({"url", "token"})
"""SLOWPATH_URL is the server's, and no command is told of it."""
