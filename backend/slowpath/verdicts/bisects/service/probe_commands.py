"""Commands for the runner of a probe."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from slowpath.verdicts.bisects.rules.bisect_states import STARTING, UNDER_WAY, BisectState, CommandName, ProbeState
from slowpath.verdicts.bisects.tables import Bisect, Probe, ProbeMeasurement

READY = UNDER_WAY - STARTING


def get_probe_command(
    bisect: Bisect, probe: Probe, probes: Sequence[Probe], windows: Mapping[UUID, Sequence[ProbeMeasurement]]
) -> CommandName:
    """Return the command for the runner of a probe.

    Probes of a round are measured at the same time: deployed ones wait for those being deployed. While a bisect is paused,
    requested measurements are completed, and probes without one are torn down.
    """
    if probe.state not in UNDER_WAY or bisect.state == BisectState.CANCELLED:
        return "stop"
    taken = len(windows.get(probe.id, ()))
    if taken >= probe.measurements_requested:
        return "stop" if bisect.state == BisectState.PAUSED else "wait"
    others = [one.state for one in probes if one.id != probe.id and one.purpose != "control"]
    waited_for = taken and any(one in STARTING for one in others)
    if waited_for or (probe.purpose == "control" and taken and ProbeState.QUEUED in others and not READY & {*others}):
        return "wait"
    return "measure"
