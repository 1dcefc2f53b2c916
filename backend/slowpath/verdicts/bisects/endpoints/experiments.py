"""HTTP endpoints of experiments: what would fix the bad commit of a bisect, measured. Actions are those of a bisect."""

from dataclasses import asdict
from datetime import datetime
from typing import Final
from uuid import UUID

from fastapi import APIRouter

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotFound
from slowpath.core.ids import BisectId
from slowpath.platform.accounts.access import MayRead, MayWrite
from slowpath.platform.accounts.service import record_audit_event
from slowpath.platform.http.body_limits import KIB, body_up_to
from slowpath.platform.http.internal_api import FREEZABLE
from slowpath.platform.http.problems import document_problems
from slowpath.platform.http.request_dependencies import Now, Reading, Writing
from slowpath.verdicts.bisects.errors import InvalidBisectRequest
from slowpath.verdicts.bisects.rules import bisect_settings
from slowpath.verdicts.bisects.rules.bisect_states import OPEN, BisectState
from slowpath.verdicts.bisects.rules.experiment_plan import MAX_PATCH_BYTES, MAX_PATCHES, needed_kinds_of
from slowpath.verdicts.bisects.schemas.experiments import (
    ExperimentIn,
    ExperimentOut,
    ExperimentState,
    MeasureOut,
    SubjectExperimentIn,
    VariantEffectOut,
    VariantFailureOut,
)
from slowpath.verdicts.bisects.service import bisect_views, experiments, runners
from slowpath.verdicts.bisects.service.experiments import ExperimentOptions, ExperimentSubject, ExperimentView

router = APIRouter(tags=["bisects"])
ENDED: Final[dict[str, ExperimentState]] = {
    BisectState.PAUSED: "paused", BisectState.CANCELLED: "cancelled", BisectState.FAILED: "failed",
}  # fmt: skip
BODY_BYTES: Final = 2 * MAX_PATCHES * MAX_PATCH_BYTES + 16 * KIB
"""JSON escapes line feeds."""


@router.get(
    "/bisects/{bisect_id}/experiments",
    operation_id="experiments:list",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound),
)
def list_experiments(bisect_id: UUID, caller: MayRead, session: Reading, clock: Now) -> list[ExperimentOut]:
    """List the experiments of a bisect with their results, newest first."""
    found = experiments.list_experiments(session, BisectId(bisect_id))
    return [_make_out(session, one, clock.now()) for one in found]


@router.post(
    "/bisects/{bisect_id}/experiments",
    operation_id="experiments:create",
    openapi_extra=body_up_to(BODY_BYTES),
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest, Conflict, LimitExceeded),
)
def create_experiment(
    bisect_id: UUID, body: ExperimentIn, caller: MayWrite, session: Writing, clock: Now
) -> ExperimentOut:
    """Measure variants of the bad commit of a bisect that has ended. Cancel it with an action on its id."""
    options = ExperimentOptions(tuple(body.variants), body.blocks, body.patches)
    row = experiments.create_experiment(session, BisectId(bisect_id), options, by=caller.user_id, now=clock.now())
    facts = {"number": row.number, "service_id": str(row.service_id), "variants": list(body.variants)}
    record_audit_event(session, caller, "experiment.created", "bisect", row.id, facts)
    return _make_out(session, experiments.load_experiment(session, row), clock.now())


@router.get(
    "/experiments",
    operation_id="experiments:list-of-subject",
    openapi_extra=FREEZABLE,
    responses=document_problems(NotFound, InvalidRequest),
)
def list_subject_experiments(
    caller: MayRead, session: Reading, clock: Now, regression_id: UUID | None = None, build_id: UUID | None = None
) -> list[ExperimentOut]:
    """List the experiments that started from a regression, or all with the commit of a build, newest first."""
    if (regression_id is None) == (build_id is None):
        raise InvalidBisectRequest("Give either regression_id or build_id.")
    found = experiments.list_subject_experiments(session, ExperimentSubject(regression_id, build_id))
    return [_make_out(session, one, clock.now()) for one in found]


@router.post(
    "/experiments",
    operation_id="experiments:create-of-subject",
    openapi_extra=body_up_to(BODY_BYTES),
    status_code=201,
    responses=document_problems(NotFound, InvalidRequest, LimitExceeded),
)
def create_subject_experiment(
    body: SubjectExperimentIn, caller: MayWrite, session: Writing, clock: Now
) -> ExperimentOut:
    """Measure variants of the bad commit of a regression, or of the commit of a build."""
    signature = (body.signature.kind, body.signature.subject) if body.signature else None
    options = ExperimentOptions(tuple(body.variants), body.blocks, body.patches, signature)
    subject = ExperimentSubject(body.regression_id, body.build_id)
    row = experiments.create_subject_experiment(session, subject, options, by=caller.user_id, now=clock.now())
    facts = {"number": row.number, "service_id": str(row.service_id), "variants": list(body.variants)}
    record_audit_event(session, caller, "experiment.created", "bisect", row.id, facts)
    return _make_out(session, experiments.load_experiment(session, row), clock.now())


def _make_out(session: ReadSession, view: ExperimentView, now: datetime) -> ExperimentOut:
    row, plan, result = view.row, view.plan, view.result
    needs = needed_kinds_of(plan)
    named = bisect_views.load_referenced_names(session, [row])
    counted = len([one for one in plan.builds if one not in view.failures])
    return ExperimentOut(
        id=row.id,
        number=row.number,
        state=ENDED.get(row.state, "running" if row.state in OPEN else "measured"),
        pause_reason=row.pause_reason,
        problem=None if row.problem is None else str(row.problem.get("detail", "")),
        variants=[one.name for one in plan.variants],
        needs=needs,
        has_runner=_has_runner(session, view, {*needs}, now),
        blocks=plan.blocks,
        runs=view.runs,
        expected_runs=plan.blocks * counted,
        measure=str(row.signature["label"]),
        unit=str(row.signature["unit"]),
        measures=[]
        if result is None
        else [
            MeasureOut(name=name, base=base, is_larger_better=name in result.larger_is_better)
            for name, base in result.base.items()
        ],
        effects=[] if result is None else [VariantEffectOut.model_validate(asdict(one)) for one in result.effects],
        failures=[VariantFailureOut(variant=name, reason=reason) for name, reason in view.failures.items()],
        best=None if result is None or result.best is None else result.best.variant,
        sentence="" if result is None else result.sentence,
        created_by=named.people.get(row.created_by) if row.created_by else None,
        created_at=row.created_at,
        finished_at=row.finished_at,
    )


def _has_runner(session: ReadSession, view: ExperimentView, needs: set[str], now: datetime) -> bool:
    settings = bisect_settings.from_json(view.row.settings)
    return any(
        one.is_alive(now) and settings.is_for(one.row.labels) and needs <= {*one.row.variants}
        for one in runners.list_runners(session)
    )
