"""Make the placeholder values and environment variables of a run's commands."""

import json
from collections.abc import Mapping
from typing import Final

from slowpath.verdicts.bisects.rules.go_releases import TOOLCHAIN
from slowpath_cli.local_bisect.go_toolchain import go_environment
from slowpath_cli.runner.core.driver_interface import DeploymentTarget


def placeholder_values(target: DeploymentTarget) -> dict[str, str]:
    """Return the placeholder values of a run."""
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


def make_environment(passed: Mapping[str, str], target: DeploymentTarget, values: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a run's command: the passed variables and the placeholder values."""
    environment = {**passed, **_as_variables(values)}
    toolchain = target.overrides.get(TOOLCHAIN)
    if toolchain is not None:
        environment |= go_environment(toolchain.to_json(), environment)
    replaced = [one for module, one in target.overrides.items() if module != TOOLCHAIN]
    if any(one.dir is not None or one.version is not None for one in replaced):
        # go.mod and go.sum may lack the requirements of a replaced module
        environment["GOFLAGS"] = f"{environment.get('GOFLAGS', '')} -mod=mod".strip()
    if target.variant is not None:
        environment |= target.variant.variables(environment)
    return environment


def _as_variables(values: Mapping[str, str]) -> dict[str, str]:
    named = {**values, "service_url": values["url"]} if "url" in values else values
    return {f"SLOWPATH_{name.upper()}": value for name, value in named.items() if name not in OWN_NAMES}


OWN_NAMES: Final = frozenset({"url", "token"})
"""Excluded values: SLOWPATH_URL is the server's address, and commands must not get the token."""
