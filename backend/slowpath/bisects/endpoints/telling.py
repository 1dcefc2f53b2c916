"""Rows and views as the API tells them."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from slowpath.analysis.bisect.line import KNOWN_BAD
from slowpath.bisects import wording
from slowpath.bisects.rules.nodes import Node
from slowpath.bisects.rules.offers import End, Offer, Signature
from slowpath.bisects.rules.plans import TOP, Plan
from slowpath.bisects.rules.settings import BisectSettings, to_json
from slowpath.bisects.rules.states import LEASE_SECONDS, UNDER_WAY, BisectState, ProbeState
from slowpath.bisects.rules.viewing import CandidateView, LevelView, Would, plain_bisect
from slowpath.bisects.schemas.asking import BisectSettingsIn
from slowpath.bisects.schemas.running import BuildTarget, CallbackTarget, LeaseOut, LeaseRepository, RunningProbe
from slowpath.bisects.schemas.telling import (
    BarsOut,
    BisectCost,
    BisectEventOut,
    BisectOffer,
    BisectOut,
    BisectRow,
    CandidateOut,
    CandidatePage,
    CulpritOut,
    EndOut,
    EnvironmentNamed,
    EvidenceStrip,
    KnownEnd,
    KnownEnds,
    LevelBump,
    LevelOut,
    OfferedBoard,
    OfferedRepository,
    OfferedSignature,
    ProbeOut,
    ProbeWindowOut,
    PrunedOut,
    RegressionNamed,
    RunnerOut,
    SpreadOut,
    WouldBe,
    WouldOut,
)
from slowpath.bisects.schemas.words import ServiceNamed, SignatureOut
from slowpath.bisects.service import known_ends, looking, runners
from slowpath.bisects.service.leasing import Lease
from slowpath.bisects.service.looking import Found, Named, Whole
from slowpath.bisects.service.runners import Seen
from slowpath.bisects.service.telling import sentence
from slowpath.bisects.tables import Bisect, Probe, ProbeWindow
from slowpath.core.ids import ServiceId
from slowpath.core.sessions import ReadSession
from slowpath.regressions.service.measured import Commits, OfCommit
from slowpath.work import service as work
from slowpath.work.schemas import JobOut, job_out


def _head(row: Bisect, named: Named) -> dict[str, Any]:
    """Return what list and page tell alike."""
    seen = row.seen or {}
    expected = seen.get("expected")
    regression = named.regressions.get(row.regression_id) if row.regression_id else None
    return {
        "id": row.id,
        "number": row.number,
        "title": row.title,
        "state": row.state,
        "sentence": sentence(row),
        "service": ServiceNamed(id=row.service_id, name=named.services.get(row.service_id, "")),
        "regression": RegressionNamed(id=row.regression_id, number=regression[0], title=regression[1])
        if row.regression_id and regression
        else None,
        "belief": float(seen.get("belief", 0.0)),
        "deploys": int(seen.get("deploys", 0)),
        "expected_deploys": float(seen.get("deploys", 0)) + float(expected["mean"]) if expected else None,
        "culprit": CulpritOut(**seen["culprit"]) if seen.get("culprit") else None,
        "created_by": named.people.get(row.created_by) if row.created_by else None,
        "created_at": row.created_at,
        "finished_at": row.finished_at,
    }


def _settings(settings: BisectSettings) -> BisectSettingsIn:
    """Return what people set; what was learned from earlier bisects is not among it."""
    kept = {name: value for name, value in to_json(settings).items() if name in BisectSettingsIn.model_fields}
    return BisectSettingsIn.model_validate(kept)


def row_out(row: Bisect, named: Named) -> BisectRow:
    """Return a row of the list."""
    return BisectRow(**_head(row, named), levels=int((row.seen or {}).get("levels", 0)))


def whole_out(session: ReadSession, row: Bisect, now: datetime) -> BisectOut:
    """Return a bisect with all its page shows."""
    told = looking.whole(session, row)
    good, bad = looking.ends(session, row)
    view, plan = told.view, told.plan
    head = _head(row, told.named)
    head["sentence"] = _waiting(session, told, now) or head["sentence"]
    return BisectOut(
        **head,
        good=_end(good),
        bad=_end(bad),
        repository_id=row.repository_id,
        comparison_id=row.comparison_id,
        signature=SignatureOut(**row.signature),
        settings=_settings(told.settings),
        pause_reason=row.pause_reason,
        levels=[_level(row, plan, one) for one in view.levels] if plan is not None and view is not None else [],
        probes=[_probe(told, one) for one in told.probes],
        evidence=EvidenceStrip(
            good=list(view.good) if view else [],
            bad=list(view.bad) if view else [],
            control=list(view.control) if view else [],
            known_good=list(view.known[0]) if view else [],
            known_bad=list(view.known[1]) if view else [],
            unit=row.signature["unit"],
            label=row.signature["label"],
        ),
        cost=_cost(told, now),
        elsewhere=view.elsewhere if view else 0.0,
        events=[
            BisectEventOut(
                id=one.id,
                at=one.at,
                kind=one.kind,
                who=told.named.people.get(one.who) if one.who else None,
                sentence=wording.event(one.kind, one.facts),
                facts=one.facts,
            )
            for one in told.events
        ],
        problem=row.problem,
        job=_job(session, row),
        approval_wanted=row.state == BisectState.WAITING,
        revision=row.revision,
    )


def _job(session: ReadSession, row: Bisect) -> JobOut | None:
    found = work.under_way(session, "bisect", row.id)
    return job_out(found) if found is not None else None


def _waiting(session: ReadSession, told: Whole, now: datetime) -> str | None:
    """Return why nothing moves, if nothing does."""
    under_way = any(one.state in UNDER_WAY for one in told.probes)
    if told.row.state != BisectState.SEARCHING or under_way:
        return None
    asked = sum(one.state == ProbeState.ASKED for one in told.probes)
    hours = told.settings.hours
    alive = any(one.is_alive(now) and told.settings.is_for(one.row.labels) for one in runners.listed(session))
    allowed = hours is None or hours.allow(now)
    return wording.waits(asked, hours=allowed, runner=alive, labels=told.settings.runner_labels)


def _end(end: End) -> EndOut:
    return EndOut(sha=end.sha, title=end.title, at=end.at)


def _level(row: Bisect, plan: Plan, level: LevelView) -> LevelOut:
    opened = level.opened
    culprit = level.culprit
    return LevelOut(
        key=level.key,
        repository=opened.label,
        repository_id=_repository_id(row, plan, opened.module),
        module=opened.module or None,
        good=opened.good,
        bad=opened.bad,
        commits=opened.commits,
        classes=opened.classes,
        pruned=[PrunedOut(why=one.why, commits=one.commits) for one in opened.pruned],
        bump=LevelBump(module=opened.bump[0], before=opened.bump[1], after=opened.bump[2]) if opened.bump else None,
        candidates=[_candidate(one) for one in level.candidates],
        bars=BarsOut(belief=list(level.belief), before=list(level.before), marks=list(level.marks)),
        culprit=CulpritOut(repository=opened.label, sha=culprit.sha, title=culprit.title) if culprit else None,
    )


def _repository_id(row: Bisect, plan: Plan, module: str) -> UUID | None:
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
        weight_share=one.share,
        belief=one.belief,
        why=one.node.why,
        verdict=one.verdict,
        probe_number=one.probe_number,
    )


def candidates_out(found: Found) -> CandidatePage:
    """Return candidates of a level."""
    return CandidatePage(
        items=[_candidate(one) for _, one in found.page],
        places=[place for place, _ in found.page],
        found=found.found,
        next_cursor=str(found.page[-1][0]) if found.more else None,
    )


def _would(would: Would | None) -> WouldOut | None:
    if would is None:
        return None
    return WouldOut(slower=_would_be(would.slower), not_slower=_would_be(would.not_slower))


def _would_be(told: tuple[Node, float] | None) -> WouldBe | None:
    return WouldBe(sha=told[0].sha, title=told[0].title, belief=told[1]) if told else None


def _probe(told: Whole, one: Probe) -> ProbeOut:
    plan, view = told.plan, told.view
    node = plan.nodes.get(one.candidate) if plan else None
    title = node.title if node else "the bad end" if one.candidate == KNOWN_BAD else "the good end"
    return ProbeOut(
        number=one.number,
        run_id=one.run_id,
        purpose=one.purpose,
        level=plan.level_of(one.candidate) if plan and node else TOP,
        candidate=one.candidate,
        sha=node.sha if node else str(one.build["commit"]),
        title=title,
        overrides={**one.build["versions"], **one.build["modules"]},
        round=one.round,
        slot=one.slot,
        runner=told.runners.get(one.runner_id) if one.runner_id else None,
        state=one.state,
        verdict=view.verdicts.get(one.number) if view else None,
        odds=view.odds.get(one.number) if view else None,
        would=_would(view.would.get(one.number)) if view else None,
        reason=one.reason,
        asked_at=one.asked_at,
        leased_at=one.leased_at,
        deployed_at=one.deployed_at,
        ready_at=one.ready_at,
        ended_at=one.ended_at,
        windows_wanted=one.windows_wanted,
        windows=[_window(each) for each in told.windows.get(one.id, ())],
        log_tail=one.log_tail,
    )


def _window(one: ProbeWindow) -> ProbeWindowOut:
    return ProbeWindowOut(
        index=one.index,
        round=one.round,
        value=one.value,
        verdict=one.verdict,
        annulled=one.annulled,
        problem=one.problem,
        artifact_ids=[UUID(each) for each in one.artifact_ids],
        requests=one.requests,
        started_at=one.started_at,
        ended_at=one.ended_at,
    )


def _cost(told: Whole, now: datetime) -> BisectCost:
    deployed = [one for one in told.probes if one.leased_at is not None]
    seen = told.row.seen or {}
    expected: Mapping[str, float] | None = seen.get("expected")
    begun = told.row.started_at or told.row.created_at
    return BisectCost(
        deploys=len(deployed),
        running=sum(one.ended_at is None for one in deployed),
        builds=len({repr(sorted(one.build.items(), key=lambda item: item[0])) for one in deployed}),
        rounds=max((one.round for one in deployed), default=0),
        expected=SpreadOut(**expected) if expected else None,
        limit=seen.get("limit"),
        git_bisect_best_of_3=plain_bisect(told.plan, 3) if told.plan else 0,
        git_bisect_best_of_5=plain_bisect(told.plan, 5) if told.plan else 0,
        seconds=max(((told.row.finished_at or now) - begun).total_seconds(), 0.0),
    )


def offer_out(session: ReadSession, offer: Offer, now: datetime) -> BisectOffer:
    """Return what a bisect would begin with."""
    known = _known_ends(session, offer)
    return BisectOffer(
        service=ServiceNamed(id=offer.service[0], name=offer.service[1]) if offer.service else None,
        repository=OfferedRepository(id=offer.repository[0], label=offer.repository[1], url=offer.repository[2])
        if offer.repository
        else None,
        good=_end(offer.good) if offer.good else None,
        bad=_end(offer.bad) if offer.bad else None,
        signatures=[
            OfferedSignature(
                kind=one.signature.kind,
                subject=one.signature.subject,
                label=one.signature.label,
                unit=one.signature.unit,
                before=one.before,
                after=one.after,
                separates=one.separates,
                why=one.why,
                board=OfferedBoard(**asdict(one.board)) if one.board else None,
                known=known.get(one.signature),
            )
            for one in offer.signatures
        ],
        runners=[runner_out(one, now) for one in runners.listed(session)],
        environments=[EnvironmentNamed(id=one, name=name) for one, name in offer.environments],
        missing=list(offer.missing),
    )


def _known_ends(session: ReadSession, offer: Offer) -> dict[Signature, KnownEnds]:
    if offer.service is None or offer.good is None or offer.bad is None:
        return {}
    out, commits = {}, Commits(session, ServiceId(offer.service[0]))
    for one in offer.signatures:
        found = known_ends.known(commits, one.signature, offer.good.sha, offer.bad.sha)
        if found is not None:
            good, bad = found
            out[one.signature] = KnownEnds(
                good=_known_end(good), bad=_known_end(bad), unit=good.unit, conditions=good.conditions
            )
    return out


def _known_end(told: OfCommit) -> KnownEnd:
    return KnownEnd(
        build_id=told.build.id,
        value=told.value,
        error=told.error,
        files=len(told.artifacts),
        first_at=told.artifacts[0].created_at,
        last_at=told.artifacts[-1].created_at,
    )


def runner_out(seen: Seen, now: datetime) -> RunnerOut:
    """Return a runner."""
    row = seen.row
    return RunnerOut(
        id=row.id,
        name=row.name,
        slots=row.slots,
        labels={str(name): str(value) for name, value in row.labels.items()},
        version=row.version,
        host=row.host,
        seen_at=row.seen_at,
        left_at=row.left_at,
        alive=seen.is_alive(now),
        running=seen.running,
    )


def _leased(lease: Lease, public_url: str) -> dict[str, Any]:
    probe, bisect = lease.probe, lease.bisect
    return {
        "run_id": probe.run_id,
        "bisect_id": bisect.id,
        "bisect_number": bisect.number,
        "number": probe.number,
        "purpose": probe.purpose,
        "slot": probe.slot or 0,
        "service": ServiceNamed(id=lease.service[0], name=lease.service[1]),
        "build": BuildTarget(**probe.build),
        "repositories": {
            module: LeaseRepository(url=url, name=name) for module, (url, name) in lease.repositories.items()
        },
        "signature": SignatureOut(**bisect.signature),
        "windows_wanted": probe.windows_wanted,
        "windows_taken": lease.taken,
        "window_seconds": lease.settings.window_seconds,
        "warm_up_seconds": lease.settings.warm_up_seconds,
        "deploy_seconds": lease.settings.deploy_seconds,
        "lease_seconds": float(LEASE_SECONDS),
        "callback": CallbackTarget(
            url=f"{public_url.rstrip('/')}/api/v1/probe-callbacks/{lease.secret}", token=lease.secret
        ),
    }


def lease_out(lease: Lease, public_url: str) -> LeaseOut:
    """Return what a runner is to deploy."""
    return LeaseOut(**_leased(lease, public_url))


def running_out(lease: Lease, public_url: str) -> RunningProbe:
    """Return what a runner has, and what is to become of it."""
    return RunningProbe(**_leased(lease, public_url), state=lease.probe.state, command=lease.command)
