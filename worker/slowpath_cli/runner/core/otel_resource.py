"""Make the OpenTelemetry resource attributes of a deployment: `service.instance.id` is the run's ID."""

from collections.abc import Sequence
from typing import Final

from slowpath_cli.runner.core.driver_interface import Json

ATTRIBUTES: Final = "OTEL_RESOURCE_ATTRIBUTES"
INSTANCE: Final = "service.instance.id"
RUN_ID: Final = "SLOWPATH_RUN_ID"
POD: Final = "SLOWPATH_POD"
ORIGINAL_ATTRIBUTES: Final = "SLOWPATH_RESOURCE_ATTRIBUTES"
"""Variable with the original attributes, if these come from another source (`valueFrom`)."""
OWN: Final = frozenset({ATTRIBUTES, RUN_ID, POD, ORIGINAL_ATTRIBUTES})


def attributes(instance: str, existing: str = "") -> str:
    """Return the attributes of a process: the existing ones, with `service.instance.id` replaced."""
    others = [one.strip() for one in existing.split(",") if one.strip() and one.partition("=")[0].strip() != INSTANCE]
    return ",".join([*others, f"{INSTANCE}={instance}"])


def of_pods(env: Sequence[Json], run_id: str) -> list[Json]:
    """Return the variables of a container whose pods push metrics as `RUN_ID.POD_NAME`."""
    variable = next((one for one in env if one.get("name") == ATTRIBUTES), {})
    out: list[Json] = [one for one in env if one.get("name") not in OWN]
    existing = str(variable.get("value") or "")
    if "valueFrom" in variable:
        out.append({"name": ORIGINAL_ATTRIBUTES, "valueFrom": variable["valueFrom"]})
        existing = f"$({ORIGINAL_ATTRIBUTES})"
    instance_name = f"{run_id}.$({POD})"  # each pod of a run is a separate instance
    return [
        *out,
        {"name": RUN_ID, "value": run_id},
        {"name": POD, "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": ATTRIBUTES, "value": attributes(instance_name, existing)},
    ]
