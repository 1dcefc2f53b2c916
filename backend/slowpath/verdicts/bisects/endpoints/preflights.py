"""HTTP endpoints that check a request for a bisect before its first deployment."""

from dataclasses import asdict
from datetime import datetime
from uuid import UUID

from fastapi import APIRouter

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import BisectPreflightId, ServiceId
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.verdicts.bisects.endpoints.bisects import options_of_body
from slowpath.verdicts.bisects.rules import bisect_settings, preflight
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.preflight import RangeReport
from slowpath.verdicts.bisects.schemas.bisect_requests import PreflightIn
from slowpath.verdicts.bisects.schemas.bisect_responses import CredibleIntervalOut, PrunedCommitsOut
from slowpath.verdicts.bisects.schemas.bisect_starts import (
    BoundaryCheckOut,
    FirstCandidateOut,
    PreflightCheckOut,
    PreflightOut,
    RangeReportOut,
    UpdatedModuleOut,
)
from slowpath.verdicts.bisects.service import boundary_rows, preflight_checks, preflights
from slowpath.verdicts.bisects.service.bisect_creation import CompletedRequest
from slowpath.verdicts.bisects.service.boundary_rows import BoundaryCheck
from slowpath.verdicts.bisects.service.preflight_checks import PreflightState
from slowpath.verdicts.bisects.tables import BisectPreflight

router = APIRouter(tags=["bisects"])


@router.post(
    "/bisect-preflights",
    operation_id="bisects:create-preflight",
    openapi_extra=body_up_to(64 * KIB),
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest),
)
def create_preflight(body: PreflightIn, caller: MayWrite, session: Writing, clock: Now) -> PreflightOut:
    """Check a request for a bisect: repositories, commits, candidates, runner, boundaries. Nothing is deployed.

    The candidates are counted by a job: read the preflight again while `is_running`. It is stored for a day.
    """
    now = clock.now()
    row, completed = preflights.create_preflight(session, options_of_body(body), now=now, is_repeated=body.is_repeated)
    return _make_preflight_out(session, row, completed, now)


@router.get(
    "/bisect-preflights/{preflight_id}",
    operation_id="bisects:get-preflight",
    responses=document_problems(NotFound, InvalidRequest),
)
def get_preflight(preflight_id: UUID, caller: MayRead, session: Reading, clock: Now) -> PreflightOut:
    """Return a preflight with checks as of now."""
    row, completed = preflights.get_preflight(session, BisectPreflightId(preflight_id))
    return _make_preflight_out(session, row, completed, clock.now())


def _make_preflight_out(
    session: ReadSession, row: BisectPreflight, completed: CompletedRequest, now: datetime
) -> PreflightOut:
    stored = preflights.options_of(row.request).settings
    settings = bisect_settings.apply_settings_update(BisectSettings(), stored)
    report = None if row.report is None else preflight.from_json(row.report)
    boundaries = boundary_rows.find_boundary_check(session, completed, settings)
    results = None if boundaries is None else boundaries.final_results
    if report is not None and results is not None:
        report = preflights.renew_forecasts(report, results, settings)
    state = PreflightState(row, completed, report, settings, boundaries)
    checks = preflight_checks.check_request(session, state, now)
    service_id = None if completed.service_id is None else ServiceId(completed.service_id)
    duration = preflights.estimate_probe_duration(session, service_id, settings, now)
    expected = report.with_prior.mean if report is not None and report.with_prior is not None else None
    parallel = settings.search(larger_is_worse=True).slots
    return PreflightOut(
        id=row.id,
        is_running=any(one.key == "commits" and one.state == "running" for one in checks),
        good_sha=row.good_sha,
        bad_sha=row.bad_sha,
        checks=[PreflightCheckOut.model_validate(asdict(one)) for one in checks],
        report=None if report is None else _make_report_out(report),
        probe_seconds=duration.seconds,
        probes_seen=duration.probes,
        duration_source=duration.source,
        boundary_check=None if boundaries is None else _make_boundary_check_out(boundaries),
        expected_seconds=None if expected is None else expected / parallel * duration.seconds,
    )


def _make_boundary_check_out(found: BoundaryCheck) -> BoundaryCheckOut:
    return BoundaryCheckOut(
        bisect_id=found.bisect.id,
        number=found.bisect.number,
        state=found.state,
        expires_at=found.bisect.expires_at,
        sentence=found.sentence,
    )


def _make_report_out(report: RangeReport) -> RangeReportOut:
    with_prior, without_prior = (
        None if one is None else CredibleIntervalOut(**asdict(one)) for one in (report.with_prior, report.without_prior)
    )
    return RangeReportOut(
        relation=report.relation,
        merge_base=report.merge_base,
        commits=report.commits,
        classes=report.classes,
        pruned=[PrunedCommitsOut(reason=one.why, commits=one.commits) for one in report.pruned],
        modules=[UpdatedModuleOut(**asdict(one)) for one in report.modules],
        with_prior=with_prior,
        without_prior=without_prior,
        git_bisect_probes=report.git_bisect_probes,
        first_round=[FirstCandidateOut(**asdict(one)) for one in report.first_round],
    )
