"""Under what name a deploy's own metrics come: the run's id, as the instance of its service, beside whatever is set already."""

from collections.abc import Sequence
from typing import Final

from slowpath_cli.runner.core.driver_interface import Json

ATTRIBUTES: Final = "OTEL_RESOURCE_ATTRIBUTES"
INSTANCE: Final = "service.instance.id"
RUN_ID: Final = "SLOWPATH_RUN_ID"
POD: Final = "SLOWPATH_POD"
BEFORE: Final = "SLOWPATH_RESOURCE_ATTRIBUTES"
"""What the attributes were, where the original has them from somewhere else."""
OWN: Final = frozenset({ATTRIBUTES, RUN_ID, POD, BEFORE})


def attributes(instance: str, already: str = "") -> str:
    """Return the attributes of a process: those that were set, and its instance, which nothing else may name."""
    kept = [one.strip() for one in already.split(",") if one.strip() and one.partition("=")[0].strip() != INSTANCE]
    return ",".join([*kept, f"{INSTANCE}={instance}"])


def of_pods(env: Sequence[Json], run_id: str) -> list[Json]:
    """Return the variables of a container whose pods push under the run's id and their own name."""
    told = next((one for one in env if one.get("name") == ATTRIBUTES), {})
    out: list[Json] = [one for one in env if one.get("name") not in OWN]
    already = str(told.get("value") or "")
    if "valueFrom" in told:
        out.append({"name": BEFORE, "valueFrom": told["valueFrom"]})
        already = f"$({BEFORE})"
    named = f"{run_id}.$({POD})"  # pods of one run are instances of their own
    return [
        *out,
        {"name": RUN_ID, "value": run_id},
        {"name": POD, "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
        {"name": ATTRIBUTES, "value": attributes(named, already)},
    ]
