"""Make response bodies of bisects."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.analysis.bisect.candidate_sequence import KNOWN_BAD
from slowpath.analysis.builds.compile_report import describe_reason
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId
from slowpath.platform.jobs import service as work
from slowpath.platform.jobs.schemas import JobOut, make_job_out
from slowpath.verdicts.bisects import wording
from slowpath.verdicts.bisects.endpoints.runner_responses import make_runner_out
from slowpath.verdicts.bisects.rules.bisect_proposals import BisectProposal, RangeBoundary, Signature
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings, to_json
from slowpath.verdicts.bisects.rules.bisect_states import UNDER_WAY, BisectState, ProbeState
from slowpath.verdicts.bisects.rules.candidates import CandidateNode
from slowpath.verdicts.bisects.rules.search_plan import TOP, SearchPlan
from slowpath.verdicts.bisects.rules.search_view import (
    CandidateView,
    LevelView,
    PosteriorPreview,
    estimate_git_bisect_cost,
)
from slowpath.verdicts.bisects.rules.toolchain_levels import GO_LEVELS
from slowpath.verdicts.bisects.schemas.bisect_field_types import ServiceRef, SignatureOut
from slowpath.verdicts.bisects.schemas.bisect_proposals import (
    BisectProposalOut,
    DashboardSelectorProposal,
    EnvironmentRef,
    LeftOutSignature,
    ProductionBaselineOut,
    ProductionBaselinesOut,
    RepositoryProposalOut,
    SignatureProposalOut,
)
from slowpath.verdicts.bisects.schemas.bisect_requests import BisectSettingsIn
from slowpath.verdicts.bisects.schemas.bisect_responses import (
    BisectCost,
    BisectEventOut,
    BisectListItemOut,
    BisectOut,
    CandidateOut,
    CandidatePage,
    CredibleIntervalOut,
    CulpritCompilationOut,
    CulpritOut,
    LevelDependencyUpdate,
    LevelOut,
    LikeliestCandidate,
    MeasurementsBySideOut,
    PosteriorBarsOut,
    PosteriorPreviewOut,
    ProbeMeasurementOut,
    ProbeOut,
    PrunedCommitsOut,
    RangeBoundaryOut,
    RegressionRef,
    RestOfIncreaseOut,
)
from slowpath.verdicts.bisects.service import (
    bisect_views,
    culprit_compilation,
    production_baselines,
    rest_searches,
    runners,
)
from slowpath.verdicts.bisects.service.bisect_outcome import describe_bisect
from slowpath.verdicts.bisects.service.bisect_views import BisectDetail, CandidatePageRows, ReferencedNames
from slowpath.verdicts.bisects.tables import Bisect, Probe, ProbeMeasurement
from slowpath.verdicts.compiler_evidence.schemas import CompilerReasonOut
from slowpath.verdicts.regressions.service.commit_measurements import CommitMeasurement, CommitMeasurements


def _head(row: Bisect, named: ReferencedNames) -> dict[str, Any]:
    """Return the fields shared by list and page."""
    seen = row.summary or {}
    expected = seen.get("expected")
    regression = named.regressions.get(row.regression_id) if row.regression_id else None
    return {
        "id": row.id,
        "number": row.number,
        "title": row.title,
        "state": row.state,
        "sentence": describe_bisect(row),
        "service": ServiceRef(id=row.service_id, name=named.services.get(row.service_id, "")),
        "regression": RegressionRef(id=row.regression_id, number=regression[0], title=regression[1])
        if row.regression_id and regression
        else None,
        "posterior": float(seen.get("belief", 0.0)),
        "deployments": int(seen.get("deploys", 0)),
        "expected_deployments": float(seen.get("deploys", 0)) + float(expected["mean"]) if expected else None,
        "culprit": CulpritOut(**seen["culprit"]) if seen.get("culprit") else None,
        "is_automatic": row.is_automatic,
        "created_by": named.people.get(row.created_by) if row.created_by else None,
        "created_at": row.created_at,
        "finished_at": row.finished_at,
    }


def _settings(settings: BisectSettings) -> BisectSettingsIn:
    """Return the settings that users set, without values learned from earlier bisects."""
    visible = {name: value for name, value in to_json(settings).items() if name in BisectSettingsIn.model_fields}
    return BisectSettingsIn.model_validate(visible)


def make_bisect_list_item_out(row: Bisect, named: ReferencedNames) -> BisectListItemOut:
    """Return the response body of a listed bisect."""
    return BisectListItemOut(**_head(row, named), levels=int((row.summary or {}).get("levels", 0)))


def make_bisect_out(session: ReadSession, row: Bisect, now: datetime) -> BisectOut:
    """Return the response body of a bisect."""
    detail = bisect_views.get_bisect_detail(session, row)
    good, bad = bisect_views.get_range_boundaries(session, row)
    view, plan = detail.view, detail.plan
    head = _head(row, detail.named)
    head["sentence"] = _waiting(session, detail, now) or head["sentence"]
    return BisectOut(
        **head,
        good=_end(good),
        bad=_end(bad),
        repository_id=row.repository_id,
        comparison_id=row.comparison_id,
        signature=SignatureOut(**row.signature),
        settings=_settings(detail.settings),
        pause_reason=row.pause_reason,
        expires_at=row.expires_at,
        levels=[_level(row, plan, one) for one in view.levels] if plan is not None and view is not None else [],
        probes=[_probe(detail, one) for one in detail.probes],
        evidence=MeasurementsBySideOut(
            good=list(view.good) if view else [],
            bad=list(view.bad) if view else [],
            control=list(view.control) if view else [],
            baseline_good=list(view.known[0]) if view else [],
            baseline_bad=list(view.known[1]) if view else [],
            unit=row.signature["unit"],
            label=row.signature["label"],
        ),
        cost=_cost(detail, now),
        elsewhere=view.elsewhere if view else 0.0,
        events=[
            BisectEventOut(
                id=one.id,
                occurred_at=one.occurred_at,
                kind=one.kind,
                actor=detail.named.people.get(one.actor) if one.actor else None,
                sentence=wording.describe_event(one.kind, one.details),
            )
            for one in detail.events
        ],
        compiler=_compiler(session, row),
        problem=row.problem,
        job=_job(session, row),
        rest=_rest(session, row),
        needs_approval=row.state == BisectState.WAITING,
        revision=row.revision,
    )


def _compiler(session: ReadSession, row: Bisect) -> CulpritCompilationOut | None:
    found = culprit_compilation.find_compilation(session, row)
    if found is None:
        return None
    reasons = [
        CompilerReasonOut(function=one.function, sentence=describe_reason(one), file=one.file, line=one.line)
        for one in found.reasons
    ]
    return CulpritCompilationOut(
        state=found.state,
        reasons=reasons,
        problem=found.problem,
        comparison_id=found.comparison_id,
        missing=found.missing,
    )


def _rest(session: ReadSession, row: Bisect) -> RestOfIncreaseOut | None:
    found = rest_searches.find_rest_of_increase(session, row)
    if found is None:
        return None
    return RestOfIncreaseOut(good_sha=found.good_sha, bad_sha=found.bad_sha, bisect_id=found.bisect_id)


def _job(session: ReadSession, row: Bisect) -> JobOut | None:
    found = work.find_open_job(session, "bisect", row.id)
    return make_job_out(found) if found is not None else None


def _waiting(session: ReadSession, detail: BisectDetail, now: datetime) -> str | None:
    """Return why queued probes do not start, or None."""
    under_way = any(one.state in UNDER_WAY for one in detail.probes)
    if detail.row.state != BisectState.SEARCHING or under_way:
        return None
    asked = sum(one.state == ProbeState.QUEUED for one in detail.probes)
    hours = detail.settings.deployment_hours
    alive = any(one.is_alive(now) and detail.settings.is_for(one.row.labels) for one in runners.list_runners(session))
    allowed = hours is None or hours.allow(now)
    return wording.explain_waiting(asked, hours=allowed, runner=alive, labels=detail.settings.runner_labels)


def _end(end: RangeBoundary) -> RangeBoundaryOut:
    return RangeBoundaryOut(sha=end.sha, title=end.title, at=end.at)


def _level(row: Bisect, plan: SearchPlan, level: LevelView) -> LevelOut:
    opened = level.opened
    culprit = level.culprit
    return LevelOut(
        key=level.key,
        repository=opened.label,
        repository_id=_repository_id(row, plan, opened.module),
        module=None if opened.module in GO_LEVELS else opened.module or None,
        good=opened.good,
        bad=opened.bad,
        commits=opened.commits,
        candidate_count=opened.classes,
        pruned=[PrunedCommitsOut(reason=one.why, commits=one.commits) for one in opened.pruned],
        dependency_update=LevelDependencyUpdate(
            module=opened.bump[0], old_version=opened.bump[1], new_version=opened.bump[2]
        )
        if opened.bump
        else None,
        candidates=[_candidate(one) for one in level.candidates],
        bars=PosteriorBarsOut(posterior=list(level.belief), prior=list(level.before), probes=list(level.marks)),
        culprit=CulpritOut(repository=opened.label, sha=culprit.sha, title=culprit.title) if culprit else None,
    )


def _repository_id(row: Bisect, plan: SearchPlan, module: str) -> UUID | None:
    if not module:
        return row.repository_id
    return UUID(plan.modules[module]) if module in plan.modules else None


def _candidate(one: CandidateView) -> CandidateOut:
    return CandidateOut(
        id=one.node.id,
        sha=one.node.sha,
        title=one.node.title,
        members=max(len(one.node.members), 1),
        kind=one.node.kind,
        prior=one.share,
        posterior=one.belief,
        reason=one.node.why,
        verdict=one.verdict,
        probe_number=one.probe_number,
    )


def make_candidate_page_out(found: CandidatePageRows) -> CandidatePage:
    """Return the response body of a page of candidates."""
    return CandidatePage(
        items=[_candidate(one) for _, one in found.page],
        places=[place for place, _ in found.page],
        found=found.found,
        next_cursor=str(found.page[-1][0]) if found.more else None,
    )


def _would(would: PosteriorPreview | None) -> PosteriorPreviewOut | None:
    if would is None:
        return None
    return PosteriorPreviewOut(if_slower=_would_be(would.slower), if_not_slower=_would_be(would.not_slower))


def _would_be(top: tuple[CandidateNode, float] | None) -> LikeliestCandidate | None:
    return LikeliestCandidate(sha=top[0].sha, title=top[0].title, posterior=top[1]) if top else None


def _probe(detail: BisectDetail, one: Probe) -> ProbeOut:
    plan, view = detail.plan, detail.view
    node = plan.nodes.get(one.candidate) if plan else None
    title = node.title if node else "the bad boundary" if one.candidate == KNOWN_BAD else "the good boundary"
    return ProbeOut(
        number=one.number,
        run_id=one.run_id,
        purpose=one.purpose,
        level=plan.level_of(one.candidate) if plan and node else TOP,
        candidate=one.candidate,
        sha=node.sha if node else str(one.build["commit"]),
        title=title,
        overrides={**one.build["versions"], **one.build["modules"], **one.build.get("settings", {})},
        round=one.round,
        slot=one.slot,
        runner=detail.runners.get(one.runner_id) if one.runner_id else None,
        state=one.state,
        verdict=view.verdicts.get(one.number) if view else None,
        odds=view.odds.get(one.number) if view else None,
        posterior_preview=_would(view.would.get(one.number)) if view else None,
        reason=one.reason,
        queued_at=one.queued_at,
        leased_at=one.leased_at,
        deployed_at=one.deployed_at,
        ready_at=one.ready_at,
        ended_at=one.ended_at,
        measurements_requested=one.measurements_requested,
        measurements=[_window(each) for each in detail.windows.get(one.id, ())],
        log_tail=one.log_tail,
    )


def _window(one: ProbeMeasurement) -> ProbeMeasurementOut:
    return ProbeMeasurementOut(
        index=one.index,
        round=one.round,
        value=one.value,
        verdict=one.verdict,
        invalidated=one.invalidated,
        problem=one.problem,
        artifact_ids=[UUID(each) for each in one.artifact_ids],
        requests=one.requests,
        started_at=one.started_at,
        ended_at=one.ended_at,
    )


def _cost(detail: BisectDetail, now: datetime) -> BisectCost:
    deployed = [one for one in detail.probes if one.leased_at is not None]
    seen = detail.row.summary or {}
    expected: Mapping[str, float] | None = seen.get("expected")
    begun = detail.row.started_at or detail.row.created_at
    ends = [one.ended_at for one in deployed if one.ended_at is not None]
    return BisectCost(
        deployments=len(deployed),
        running=sum(one.ended_at is None for one in deployed),
        builds=len({repr(sorted(one.build.items(), key=lambda item: item[0])) for one in deployed}),
        rounds=max((one.round for one in deployed), default=0),
        expected_probes=CredibleIntervalOut(**expected) if expected else None,
        limit=seen.get("limit"),
        git_bisect_best_of_3_probes=estimate_git_bisect_cost(detail.plan, 3) if detail.plan else 0,
        git_bisect_best_of_5_probes=estimate_git_bisect_cost(detail.plan, 5) if detail.plan else 0,
        seconds=max(((detail.row.finished_at or now) - begun).total_seconds(), 0.0),
        seconds_per_deployment=max((max(ends) - begun).total_seconds(), 0.0) / len(ends) if ends else None,
    )


def make_bisect_proposal_out(session: ReadSession, offer: BisectProposal, now: datetime) -> BisectProposalOut:
    """Return the response body of a proposal."""
    known = _baselines(session, offer)
    return BisectProposalOut(
        origin=offer.origin,
        left_out=[LeftOutSignature(label=one.signature.label, reason=one.why) for one in offer.left_out],
        service=ServiceRef(id=offer.service[0], name=offer.service[1]) if offer.service else None,
        repository=RepositoryProposalOut(id=offer.repository[0], label=offer.repository[1], url=offer.repository[2])
        if offer.repository
        else None,
        good=_end(offer.good) if offer.good else None,
        bad=_end(offer.bad) if offer.bad else None,
        signatures=[
            SignatureProposalOut(
                kind=one.signature.kind,
                subject=one.signature.subject,
                label=one.signature.label,
                unit=one.signature.unit,
                before=one.before,
                after=one.after,
                separation=one.separation,
                is_separating=one.separates,
                reason=one.why,
                dashboard_selector=DashboardSelectorProposal(**asdict(one.board)) if one.board else None,
                production_baselines=known.get(one.signature),
            )
            for one in offer.signatures
        ],
        runners=[make_runner_out(one, now) for one in runners.list_runners(session)],
        environments=[EnvironmentRef(id=one, name=name) for one, name in offer.environments],
        missing_inputs=list(offer.missing),
    )


def _baselines(session: ReadSession, offer: BisectProposal) -> dict[Signature, ProductionBaselinesOut]:
    if offer.service is None or offer.good is None or offer.bad is None:
        return {}
    out, commits = {}, CommitMeasurements(session, ServiceId(offer.service[0]))
    for one in offer.signatures:
        found = production_baselines.find_production_baselines(commits, one.signature, offer.good.sha, offer.bad.sha)
        if found is not None:
            good, bad = found
            out[one.signature] = ProductionBaselinesOut(
                good=_baseline(good), bad=_baseline(bad), unit=good.unit, conditions=good.conditions
            )
    return out


def _baseline(baseline: CommitMeasurement) -> ProductionBaselineOut:
    return ProductionBaselineOut(
        build_id=baseline.build.id,
        value=baseline.value,
        error=baseline.error,
        files=len(baseline.artifacts),
        first_at=baseline.artifacts[0].created_at,
        last_at=baseline.artifacts[-1].created_at,
    )
