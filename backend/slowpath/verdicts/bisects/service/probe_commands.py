"""What is to become of a deploy, as a runner is told it."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from slowpath.verdicts.bisects.rules.bisect_states import STARTING, UNDER_WAY, BisectState, CommandName, ProbeState
from slowpath.verdicts.bisects.tables import Bisect, Probe, ProbeMeasurement

READY = UNDER_WAY - STARTING


def get_probe_command(
    bisect: Bisect, probe: Probe, probes: Sequence[Probe], windows: Mapping[UUID, Sequence[ProbeMeasurement]]
) -> CommandName:
    """Return what is to become of a probe.

    A window is measured at the same time on all that are measured in it: whoever stays deployed waits for those that are
    being started. While a bisect is paused what is wanted already is still measured; what has nothing to measure goes.
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
