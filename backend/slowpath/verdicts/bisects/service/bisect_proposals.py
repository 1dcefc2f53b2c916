"""Propose settings for a bisect of a regression, a comparison or a service."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from slowpath.analysis.builds.latency_measurements import LatencySubject
from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.kinds.finding_signatures import find_signature
from slowpath.analysis.kinds.metrics.changes.latency_change_points import kind_of
from slowpath.analysis.kinds.registry import measurement_ids, measurement_kind
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import (
    BuildId,
    ComparisonId,
    EnvironmentId,
    ProductionEventId,
    RegressionId,
    RepositoryId,
    ServiceId,
)
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build
from slowpath.inventory.repositories.errors import CommitNotFound, RepositoryNotLinked
from slowpath.inventory.repositories.service import commit_graph, repositories, suspect_commits
from slowpath.verdicts.bisects.rules.bisect_proposals import BisectProposal, RangeBoundary, Signature, SignatureProposal
from slowpath.verdicts.bisects.rules.latency_measurements import LATENCY
from slowpath.verdicts.bisects.service import latency_proposals
from slowpath.verdicts.bisects.service.latency_proposals import CLEAR, LatencyEnvironments
from slowpath.verdicts.bisects.service.regressed_code import find_comparison, list_worse_findings
from slowpath.verdicts.bisects.service.signature_ranking import (
    clearness,
    rank_signatures,
    ratio_of,
    separation_of_ratio,
)
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.comparisons.tables import Comparison
from slowpath.verdicts.production_events.service import event_views
from slowpath.verdicts.production_events.tables import ProductionEvent
from slowpath.verdicts.regressions import wording
from slowpath.verdicts.regressions.service import regression_views
from slowpath.verdicts.regressions.tables import Regression

CUSTOM: Final = Signature("custom", "", "The number that the runner's command prints", "")
MOST_OFFERED: Final = 12
MOST_LEFT_OUT: Final = 5
NS_PER_S: Final = 1e9


def propose_bisect(
    session: ReadSession,
    *,
    regression_id: RegressionId | None = None,
    event_id: ProductionEventId | None = None,
    comparison_id: ComparisonId | None = None,
    service_id: UUID | None = None,
) -> BisectProposal:
    """Return the proposal of a bisect with what is missing. Raises `NotFound`."""
    if regression_id is not None:
        return _of_regression(session, regression_views.get_regression(session, regression_id))
    if event_id is not None:
        return _of_event(session, event_views.get_event(session, event_id))
    if comparison_id is not None:
        return _of_comparison(session, comparisons.get_comparison(session, comparison_id))
    if service_id is not None:
        return _offer(session, ServiceId(service_id), (None, None), (), "")
    return BisectProposal(None, None, None, None, (_custom(),), ("Choose the service, the good and the bad commit.",))


def _of_regression(session: ReadSession, row: Regression) -> BisectProposal:
    found = find_comparison(session, row.comparison_id)
    findings = {key: one for one in list_worse_findings(found) if (key := find_signature(one))} if found else {}
    own = {"kind": row.kind, "subject": row.subject, "ratio": row.ratio}
    members: dict[tuple[str, str], Mapping[str, Any]] = {
        (str(one["kind"]), str(one["subject"])): one for one in (*row.related_series, own)
    }
    offered = [
        _offered(kind, subject, one, findings.get((kind, subject)), row)
        for (kind, subject), one in members.items()
        if kind != LATENCY
    ]
    offered = [replace(one, is_related=True) for one in offered]
    offered += [_found(one) for key, one in findings.items() if key not in members]
    offered += _latencies(session, row, members)
    offer = _offer(
        session, ServiceId(row.service_id), (row.good_commit, row.last_commit or row.since_commit), offered,
        row.title,
    )  # fmt: skip
    origin = "an unconfirmed regression" if row.number is None else f"regression {row.number}"
    return replace(offer, comparison_id=found.id if found else None, origin=f"{origin}, {row.title}")


def _of_event(session: ReadSession, row: ProductionEvent) -> BisectProposal:
    service_id, found = ServiceId(row.service_id), find_comparison(session, row.comparison_id)
    places = LatencyEnvironments(session, service_id)
    environment = catalog.environment(session, EnvironmentId(row.environment_id))
    subject = str(LatencySubject(environment.slug, "", row.signal))
    latency = None
    if kind_of(row.signal) == "latency":
        latency = latency_proposals.propose_from_series(
            subject, row.before * NS_PER_S, row.after * NS_PER_S, row.ratio_low, places
        )
    separation = separation_of_ratio(row.ratio, row.ratio_low, row.ratio_high)
    offered = [_found(one) for one in list_worse_findings(found)] if found else []
    offered += [] if latency is None else [replace(latency, separation=separation, why="Changed with the event.")]
    offer = _offer(session, service_id, (row.former_commit, row.commit), offered, row.title)
    origin = f"event {row.number}, {row.title}"
    return replace(offer, comparison_id=found.id if found else None, origin=origin)


def _latencies(
    session: ReadSession, row: Regression, members: Mapping[tuple[str, str], Mapping[str, Any]]
) -> list[SignatureProposal]:
    """Return latency signatures measured in production, and those that changed with a regression."""
    places = LatencyEnvironments(session, ServiceId(row.service_id))
    found = latency_proposals.propose_from_builds(session, places, row.good_build_id, row.since_build_id)
    known = {one.signature.subject for one in found}
    for kind, subject in members:
        if kind != LATENCY or subject in known:
            continue
        own = (kind, subject) == (row.kind, row.subject)
        values = (row.before, row.after, row.ratio_low) if own else (None, None, None)
        member = latency_proposals.propose_from_series(subject, *values, places)
        found += [member] if member is not None else []
    return found


def _of_comparison(session: ReadSession, row: Comparison) -> BisectProposal:
    good, bad = (_build_of(session, row, side) for side in ("base", "candidate"))
    service = bad or good
    if service is None:
        missing = (
            "The artifacts of a side of the comparison belong to several builds. Choose the service and both commits."
        )
        return BisectProposal(
            None, None, None, None, (*_best([_found(one) for one in list_worse_findings(row)]), _custom()), (missing,)
        )
    offer = _offer(
        session, ServiceId(service.service_id), (good.commit if good else None, bad.commit if bad else None),
        [*(_found(one) for one in list_worse_findings(row)), *_pair(session, service, good, bad)], row.name,
    )  # fmt: skip
    return replace(offer, comparison_id=row.id, origin=f"the comparison {row.name}")


def _pair(session: ReadSession, service: Build, good: Build | None, bad: Build | None) -> list[SignatureProposal]:
    places = LatencyEnvironments(session, ServiceId(service.service_id))
    return latency_proposals.propose_from_builds(session, places, good.id if good else None, bad.id if bad else None)


def _offer(
    session: ReadSession,
    service_id: ServiceId,
    spelled: tuple[str | None, str | None],
    offered: Sequence[SignatureProposal],
    title: str,
) -> BisectProposal:
    service = catalog.service(session, service_id)
    missing: list[str] = []
    repository: tuple[UUID, str, str | None] | None = None
    ends: list[RangeBoundary | None] = [None, None]
    try:
        row = repositories.get_repository(
            session, RepositoryId(commit_graph.get_service_source(session, service_id).repository_id)
        )
    except RepositoryNotLinked:
        missing.append(f"No repository is linked to {service.name}. Link one in Settings, Integrations.")
    else:
        repository = (row.id, row.label, row.url)
        if row.url is None:
            missing.append(
                f"{row.label} has no address, so its commits cannot be read. Add the address in Settings, Integrations."
            )
        ends = [_end(session, RepositoryId(row.id), one) for one in spelled]
        for word, one, end in zip(("good", "bad"), spelled, ends, strict=True):
            if one is None:
                missing.append(f"Choose the {word} commit.")
            elif end is None:
                missing.append(
                    f"The {word} commit {short_commit(one)} is not known in {row.label}. Fetch the repository."
                )
    places = LatencyEnvironments(session, service_id)
    measurable = [one for one in offered if one.signature.kind in measurement_ids()]
    ranked = rank_signatures(
        session, service_id, ends[0].sha if ends[0] else None, ends[1].sha if ends[1] else None, measurable
    )
    best = ranked.offered[:MOST_OFFERED]
    known = any(one.signature.kind == LATENCY for one in best)
    also = [] if known else latency_proposals.propose_default(places)
    return BisectProposal(
        (service.id, service.name), repository, ends[0], ends[1], (*best, _custom(), *also), tuple(missing), title, places.named(), ranked.left_out[:MOST_LEFT_OUT],
    )  # fmt: skip


def _end(session: ReadSession, repository_id: RepositoryId, spelled: str | None) -> RangeBoundary | None:
    if spelled is None:
        return None
    whole = commit_graph.resolve_commits(session, repository_id, [spelled]).get(spelled)
    if whole is None:
        return None
    try:
        row = suspect_commits.get_commit(session, repository_id, whole)
    except CommitNotFound:
        return RangeBoundary(whole)
    return RangeBoundary(whole, row.title, row.committed_at)


def _best(offered: Iterable[SignatureProposal]) -> list[SignatureProposal]:
    measurable = [one for one in offered if one.signature.kind in measurement_ids()]
    return sorted(measurable, key=lambda one: (not one.separates, -clearness(one)))[:MOST_OFFERED]


def _offered(
    kind: str, subject: str, member: Mapping[str, Any], finding: Finding | None, row: Regression
) -> SignatureProposal:
    """Return the signature of a series that changed with a regression."""
    if (kind, subject) == (row.kind, row.subject):
        before, after, unit = row.before, row.after, row.unit
    elif finding is not None:
        return _found(finding)
    else:  # only its ratio is stored
        before, after, unit = 1.0, member.get("ratio"), "times"
    ratio = ratio_of(before, after)
    why = f"Changed with the regression{_times(ratio)}."
    offered = SignatureProposal(
        make_signature(kind, subject, unit, before, after), before, after, _separates(ratio), why
    )
    if (kind, subject) != (row.kind, row.subject):
        return offered
    separation = separation_of_ratio(row.ratio, row.ratio_low, row.ratio_high)
    return replace(offered, separation=separation, is_confirmed=True)


def _found(finding: Finding) -> SignatureProposal:
    """Return the signature of a finding of a comparison."""
    before, after = finding.base, finding.candidate
    ratio = ratio_of(before, after)
    why = f"Found by the comparison{_times(ratio)}."
    kind, subject = find_signature(finding) or (finding.kind, finding.subject)
    signature = make_signature(kind, subject, finding.unit, before, after)
    return SignatureProposal(signature, before, after, _separates(ratio), why)


def make_signature(kind: str, subject: str, unit: str, before: float | None, after: float | None) -> Signature:
    """Return the signature of a worsened value; the direction of the change determines which way is worse."""
    named = wording.name_series(kind, subject)
    if kind != "profile.function" and named[:1].isupper() and named[1:2].islower():
        named = named[0].lower() + named[1:]
    label = measurement_kind(kind).label.format(named)
    larger = before is None or after is None or after >= before
    return Signature(kind, subject, label, unit, larger)


def _separates(ratio: float | None) -> bool:
    return ratio is None or not 1 / CLEAR < ratio < CLEAR


def _times(ratio: float | None) -> str:
    return "" if ratio is None else f", {wording.format_change(ratio)}"


def _custom() -> SignatureProposal:
    return SignatureProposal(
        CUSTOM, None, None, False, "Measure anything else: a command on the runner prints the value."
    )


def _build_of(session: ReadSession, row: Comparison, side: str) -> Build | None:
    ids = {
        one.artifact.build_id
        for one in comparisons.list_side_artifacts(session, ComparisonId(row.id))
        if one.side == side
    }
    if len(ids) != 1 or (build_id := ids.pop()) is None:
        return None
    return catalog.build(session, BuildId(build_id))
