"""HTTP endpoints of runners: registration, leases, heartbeats and measurements."""

import asyncio
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request
from fastapi.concurrency import run_in_threadpool

from slowpath.analysis.builds.compile_report import CompilerReason
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import ArtifactId
from slowpath.core.ports import Clock
from slowpath.core.settings import Settings
from slowpath.platform.accounts.access import MayRead, MayRun, MayWrite, is_still_allowed
from slowpath.platform.accounts.rules.roles import Caller, Permission
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Configured, DatabaseOf, Now, Reading, Writing, scope_of
from slowpath.verdicts.bisects.endpoints.runner_responses import make_active_probe_out, make_lease_out, make_runner_out
from slowpath.verdicts.bisects.schemas.bisect_field_types import RunnerInstance, RunnerName
from slowpath.verdicts.bisects.schemas.bisect_responses import RunnerOut
from slowpath.verdicts.bisects.schemas.runner_protocol import (
    ActiveProbeOut,
    CompilerDecisionsIn,
    HeartbeatIn,
    HeartbeatOut,
    LeaseOut,
    LeaseRequestIn,
    LeasesOut,
    ProbeCallbackOut,
    ProbeMeasurementIn,
    ProbePatchOut,
    ProbeResultIn,
    RunnerIn,
    RunnerShutdownIn,
)
from slowpath.verdicts.bisects.service import culprit_compilation, experiments, probe_leases, probe_reports, runners

router = APIRouter(tags=["runners"])
Name = Annotated[RunnerName, Path()]

LOOKS_EVERY_SECONDS = 0.5
"""Interval of lease attempts for a waiting runner. No connection and no thread is used in between."""
RECHECK_SECONDS = 5.0
"""Interval of checks that the runner's token is still valid."""


@router.get("/runners", operation_id="runners:list", responses=document_problems(InvalidRequest))
def list_runners(caller: MayRead, session: Reading, clock: Now) -> list[RunnerOut]:
    """List the team's runners, by name."""
    return [make_runner_out(one, clock.now()) for one in runners.list_runners(session)]


@router.put(
    "/runners/{runner_name}",
    operation_id="runners:register",
    responses=document_problems(Conflict, InvalidRequest, LimitExceeded),
)
def register_runner(runner_name: Name, body: RunnerIn, caller: MayRun, session: Writing, clock: Now) -> RunnerOut:
    """Register a runner or update its registration.

    Of two processes with one name the later one is rejected.
    """
    process = runners.RunnerProcess(body.instance, body.host)
    info = runners.RunnerInfo(
        runner_name,
        body.slots,
        dict(body.labels),
        body.version,
        process,
        tuple(body.variants),
        body.can_compile,
        body.measurement_seconds,
    )
    seen, changed = runners.register_runner(session, info, token_id=caller.token_id, now=clock.now())
    if changed:
        facts = {"name": runner_name, "slots": body.slots, "version": body.version, "host": body.host}
        record_audit_event(session, caller, "runner.registered", "runner", seen.row.id, facts)
    return make_runner_out(seen, clock.now())


@router.delete(
    "/runners/{runner_name}",
    operation_id="runners:delete",
    status_code=204,
    responses=document_problems(NotFound, Conflict),
)
def delete_runner(runner_name: Name, caller: MayWrite, session: Writing, clock: Now) -> None:
    """Delete a runner that has nothing deployed, or has been silent for an hour."""
    row = runners.delete_runner(session, runner_name, now=clock.now())
    record_audit_event(session, caller, "runner.deleted", "runner", row.id, {"name": row.name})


@router.post(
    "/runners/{runner_name}/release",
    operation_id="runners:release",
    status_code=204,
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def release_runner(runner_name: Name, body: RunnerShutdownIn, caller: MayRun, session: Writing, clock: Now) -> None:
    """Release the name of a runner that has stopped and left nothing deployed."""
    runners.require_runner_token(session, runner_name, caller)
    row = runners.release_runner(session, runner_name, body.instance, now=clock.now())
    record_audit_event(session, caller, "runner.released", "runner", row.id, {"name": row.name})


@router.get(
    "/runners/{runner_name}/probes", operation_id="runners:probes", responses=document_problems(NotFound, Conflict)
)
def list_runner_probes(
    runner_name: Name,
    caller: MayRun,
    session: Reading,
    settings: Configured,
    clock: Now,
    instance: Annotated[RunnerInstance, Query()] = "",
) -> list[ActiveProbeOut]:
    """List the unfinished probes of a runner: to continue after a restart, or to tear down."""
    secret = settings.secret_key.get_secret_value()
    runners.require_runner_token(session, runner_name, caller)
    found = probe_leases.list_leased_probes(session, runner_name, instance, secret=secret, now=clock.now())
    return [make_active_probe_out(one, settings.public_url) for one in found]


@router.post(
    "/runners/{runner_name}/leases",
    operation_id="runners:lease",
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
async def lease_probes(
    runner_name: Name,
    body: LeaseRequestIn,
    request: Request,
    caller: MayRun,
    database: DatabaseOf,
    settings: Configured,
    clock: Now,
) -> LeasesOut:
    """Lease queued probes for the free slots of a runner; waits for work. A probe is leased once."""
    loop = asyncio.get_running_loop()
    asked, deadline = loop.time(), loop.time() + body.wait_seconds
    scope = scope_of(request)
    while True:
        leases = await run_in_threadpool(_taken, runner_name, body, caller, database, scope, settings, clock)
        left = deadline - loop.time()
        if leases or left <= 0 or await request.is_disconnected():
            return LeasesOut(leases=leases)
        await asyncio.sleep(min(LOOKS_EVERY_SECONDS, left))
        if loop.time() - asked >= RECHECK_SECONDS:
            if not await run_in_threadpool(is_still_allowed, request, Permission.RUN):
                return LeasesOut(leases=[])
            asked = loop.time()


def _taken(
    runner_name: str,
    body: LeaseRequestIn,
    caller: Caller,
    database: Database,
    scope: TeamScope,
    settings: Settings,
    clock: Clock,
) -> list[LeaseOut]:
    secret, slots, leases = settings.secret_key.get_secret_value(), set(body.free_slots), []
    while slots:
        with database.writing(scope) as session:
            runners.require_runner_token(session, runner_name, caller)
            slots_request = probe_leases.LeaseRequest(runner_name, body.instance, sorted(slots))
            found = probe_leases.lease_probes(session, slots_request, secret=secret, now=clock.now())
            for one in found:
                if one.is_new:
                    facts = {"runner": runner_name, "slot": one.probe.slot, "number": one.probe.number}
                    record_audit_event(session, caller, "probe.leased", "probe", one.probe.id, facts)
            leases += [make_lease_out(one, settings.public_url) for one in found]
        slots -= {one.probe.slot for one in found if one.probe.slot is not None}
        if not any(one.is_new for one in found):
            break
    return leases


@router.post(
    "/probes/{run_id}/heartbeats",
    operation_id="probes:heartbeat",
    openapi_extra=body_up_to(64 * KIB),
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def send_heartbeat(run_id: UUID, body: HeartbeatIn, caller: MayRun, session: Writing, clock: Now) -> HeartbeatOut:
    """Renew the lease of a probe, and return the next command."""
    runners.require_run_token(session, run_id, caller)
    beat = probe_reports.Heartbeat(body.runner, body.instance, body.phase, body.log_tail)
    reply = probe_reports.record_heartbeat(session, run_id, beat, now=clock.now())
    callback = reply.probe.callback
    return HeartbeatOut(
        command=reply.command,
        measurements_requested=reply.probe.measurements_requested,
        measurements_taken=reply.taken,
        measurement_seconds=reply.window_seconds,
        lease_seconds=reply.lease_seconds,
        callback=ProbeCallbackOut.model_validate(callback) if callback else None,
    )


@router.get("/probes/{run_id}/patch", operation_id="probes:patch", responses=document_problems(NotFound))
def get_probe_patch(run_id: UUID, caller: MayRun, session: Reading) -> ProbePatchOut:
    """Return the patch that the variant of a probe applies."""
    runners.require_run_token(session, run_id, caller)
    return ProbePatchOut(content=experiments.find_patch(session, run_id))


@router.post(
    "/probes/{run_id}/compiler-decisions",
    operation_id="probes:record-compiler-decisions",
    status_code=204,
    openapi_extra=body_up_to(2048 * KIB, members=20_000),
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def report_compiler_decisions(
    run_id: UUID, body: CompilerDecisionsIn, caller: MayRun, session: Writing, clock: Now
) -> None:
    """Record what the compiler decided differently in a culprit and the build before it. Repetitions replace it.

    `executables`: artifacts of both builds that were uploaded with the run as their batch. Both builds are then compared.
    """
    runners.require_run_token(session, run_id, caller)
    reasons = [CompilerReason(**each.model_dump()) for each in body.reasons]
    found = body.executables
    executables = None if found is None else (ArtifactId(found.base), ArtifactId(found.candidate))
    probe = culprit_compilation.record_decisions(session, run_id, reasons, executables, now=clock.now())
    facts = {"number": probe.number, "reasons": len(reasons)}
    record_audit_event(session, caller, "probe.compiled", "probe", probe.id, facts)


@router.post(
    "/probes/{run_id}/measurements",
    operation_id="probes:record-measurement",
    status_code=204,
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def report_measurement(run_id: UUID, body: ProbeMeasurementIn, caller: MayRun, session: Writing, clock: Now) -> None:
    """Record one measurement. A repeated index changes nothing."""
    runners.require_run_token(session, run_id, caller)
    report = probe_reports.MeasurementReport(
        index=body.index,
        value=body.value,
        measures=body.measures,
        verdict=body.verdict,
        problem=body.problem,
        artifact_ids=tuple(body.artifact_ids),
        started_at=body.started_at,
        ended_at=body.ended_at,
    )
    probe, is_new = probe_reports.record_measurement(session, run_id, report, now=clock.now())
    if is_new:
        record_audit_event(
            session, caller, "probe.measured", "probe", probe.id, {"number": probe.number, "index": body.index}
        )


@router.post(
    "/probes/{run_id}/result",
    operation_id="probes:record-result",
    openapi_extra=body_up_to(64 * KIB),
    status_code=204,
    responses=document_problems(NotFound, Conflict, InvalidRequest),
)
def report_probe_result(run_id: UUID, body: ProbeResultIn, caller: MayRun, session: Writing, clock: Now) -> None:
    """Record the end of a probe. Repetitions change nothing."""
    runners.require_run_token(session, run_id, caller)
    probe, is_new = probe_reports.record_probe_result(session, run_id, body.outcome, body.log_tail, now=clock.now())
    if is_new:
        record_audit_event(
            session, caller, "probe.ended", "probe", probe.id, {"number": probe.number, "how": body.outcome}
        )
