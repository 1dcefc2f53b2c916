"""Make response bodies of runners and leases."""

from datetime import datetime
from typing import Any

from slowpath.verdicts.bisects.rules.bisect_states import LEASE_SECONDS
from slowpath.verdicts.bisects.schemas.bisect_field_types import ServiceRef, SignatureOut
from slowpath.verdicts.bisects.schemas.bisect_responses import (
    RunnerOut,
)
from slowpath.verdicts.bisects.schemas.runner_protocol import (
    ActiveProbeOut,
    BuildTarget,
    CallbackTarget,
    CompileTarget,
    LeaseOut,
    LeaseRepository,
    VariantChange,
)
from slowpath.verdicts.bisects.service.probe_leases import ProbeLease
from slowpath.verdicts.bisects.service.runners import RunnerStatus


def make_runner_out(seen: RunnerStatus, now: datetime) -> RunnerOut:
    """Return the response body of a runner."""
    row = seen.row
    return RunnerOut(
        id=row.id,
        name=row.name,
        slots=row.slots,
        labels={str(name): str(value) for name, value in row.labels.items()},
        version=row.version,
        host=row.host,
        variants=row.variants,
        can_compile=row.can_compile,
        seen_at=row.seen_at,
        left_at=row.left_at,
        alive=seen.is_alive(now),
        running=seen.running,
    )


def _leased(lease: ProbeLease, public_url: str) -> dict[str, Any]:
    probe, bisect = lease.probe, lease.bisect
    return {
        "run_id": probe.run_id,
        "bisect_id": bisect.id,
        "bisect_number": bisect.number,
        "number": probe.number,
        "purpose": probe.purpose,
        "slot": probe.slot or 0,
        "service": ServiceRef(id=lease.service[0], name=lease.service[1]),
        "build": BuildTarget(**probe.build),
        "repositories": {
            module: LeaseRepository(url=url, name=name) for module, (url, name) in lease.repositories.items()
        },
        "signature": SignatureOut(**bisect.signature),
        "measurements_requested": probe.measurements_requested,
        "measurements_taken": lease.taken,
        "measurement_seconds": lease.settings.measurement_seconds,
        "warm_up_seconds": lease.settings.warm_up_seconds,
        "deployment_seconds": lease.settings.deployment_seconds,
        "lease_seconds": float(LEASE_SECONDS),
        "callback": CallbackTarget(
            url=f"{public_url.rstrip('/')}/api/v1/probe-callbacks/{lease.secret}", token=lease.secret
        ),
        "variant": VariantChange(**change) if (change := probe.build.get("variant")) else None,
        "compile": CompileTarget(**compiled) if (compiled := probe.build.get("compile")) else None,
    }


def make_lease_out(lease: ProbeLease, public_url: str) -> LeaseOut:
    """Return the response body of a lease."""
    return LeaseOut(**_leased(lease, public_url))


def make_active_probe_out(lease: ProbeLease, public_url: str) -> ActiveProbeOut:
    """Return the response body of an unfinished probe with its command."""
    return ActiveProbeOut(**_leased(lease, public_url), state=lease.probe.state, command=lease.command)
