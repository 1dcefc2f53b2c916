"""Resolve the source of a side: the artifacts, the time range of metrics and the label that it selects now."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import assert_never
from uuid import UUID

from slowpath.analysis.findings.wording import join_list
from slowpath.analysis.kinds.registry import PROFILE, kind_of, name_stored_kind
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BuildId, EnvironmentId, ServiceId
from slowpath.evidence.artifacts.service import artifacts
from slowpath.evidence.artifacts.service.build_evidence import count_evidence
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build, Deployment
from slowpath.inventory.repositories.service import service_refs
from slowpath.verdicts.comparisons import queries
from slowpath.verdicts.comparisons.errors import EmptySide, RefNotFound
from slowpath.verdicts.comparisons.read_models import ResolvedSource
from slowpath.verdicts.comparisons.rules import MAX_ARTIFACTS_A_SIDE, MAX_WINDOW_MS, Side, TimeRange
from slowpath.verdicts.comparisons.rules.side_sources import (
    ArtifactsSource,
    BuildSource,
    DeploymentSource,
    RefSource,
    SideEvidence,
    SideSource,
    TimeRangeSource,
    format_source,
    from_ms,
    to_ms,
)
from slowpath.verdicts.comparisons.service.comparisons import SideRequest

CLOCK_SKEW = timedelta(days=1)
"""An artifact may state a later time than that at which it was received, by this much."""


def resolve_source(session: ReadSession, source: SideSource, now: datetime) -> ResolvedSource:
    """Return what a source selects now; it may be empty, with the reason.

    Raises `ArtifactNotFound`, `BuildNotFound`, `DeploymentNotFound`, `ServiceNotFound`, `EnvironmentNotFound`, `RefNotFound`.
    """
    found = _resolve(session, source, now)
    if not source.labels:
        return found
    # With labels only profiles are compared: nothing else has samples with labels.
    profiles = tuple(each for each in found.evidence if each.kind is None or kind_of(each.kind) is PROFILE)
    reason = found.empty_reason if profiles else "It has no profiles, whose samples have labels."
    return replace(found, evidence=profiles, time_range=None, empty_reason=reason, labels=source.labels)


def _resolve(session: ReadSession, source: SideSource, now: datetime) -> ResolvedSource:
    match source:
        case ArtifactsSource():
            return _resolve_artifacts(session, source)
        case BuildSource():
            return _resolve_build(session, catalog.build(session, source.build_id))
        case RefSource():
            return _resolve_ref(session, source)
        case DeploymentSource():
            return _resolve_deployment(session, catalog.deploy(session, source.deployment_id), now)
        case TimeRangeSource():
            return _resolve_time_range(session, source.time_range)
    assert_never(source)


def make_side_request(
    session: ReadSession, side: Side, source: SideSource, label: str | None, now: datetime
) -> SideRequest:
    """Return the request of a side with what its source selects now.

    Raises `EmptySide` with the reason, and what `resolve_source` does.
    """
    found = resolve_source(session, source, now)
    if not found.evidence and found.time_range is None:
        raise EmptySide(
            f"The source of the {side} side has nothing to compare: {found.empty_reason or 'it has no files.'}",
            limit=1,
            actual=0,
            unit="artifacts",
            remedy="Choose another source, or upload files.",
        )
    stored = {
        "source": format_source(source),
        "build_id": str(found.build.id) if found.build else None,
        "left_out": describe_left_out(found.left_out),
    }
    default = ", ".join(str(each) for each in source.labels) or found.label
    return SideRequest(found.artifact_ids, label or default, found.time_range, source.labels, stored)


def _resolve_artifacts(session: ReadSession, source: ArtifactsSource) -> ResolvedSource:
    """Return all listed artifacts in their order; the limit of a side is checked when the comparison is created."""
    rows = artifacts.get_artifacts(session, list(dict.fromkeys(source.artifact_ids)))
    by_id = {each.artifact_id: each for each in queries.select_evidence_by_id(session, [row.id for row in rows])}
    found = tuple(by_id[ArtifactId(row.id)] for row in rows if row.id in by_id)
    reason = None if found else "None of these files can be compared."
    return ResolvedSource(found, empty_reason=reason)


def _resolve_build(session: ReadSession, build: Build) -> ResolvedSource:
    evidence, left_out = select_newest(queries.select_evidence_of_build(session, BuildId(build.id)))
    counts = count_evidence(session, [build.id])[build.id]
    reason = None if evidence else counts.missing_reason
    return ResolvedSource(evidence, _label_build(build), build=build, left_out=left_out, empty_reason=reason)


def _resolve_ref(session: ReadSession, source: RefSource) -> ResolvedSource:
    build, is_known = find_build_of_ref(session, source.service_id, source.ref)
    if build is not None:
        return replace(_resolve_build(session, build), label=source.ref)
    if not is_known:
        raise RefNotFound(
            "The service has no branch or tag of this name.",
            remedy="Choose a branch of its builds, or a branch or tag of its repository.",
        )
    return ResolvedSource((), source.ref, empty_reason="No build of it has files that can be compared.")


def find_build_of_ref(session: ReadSession, service_id: ServiceId, ref: str) -> tuple[Build | None, bool]:
    """Return the newest build with evidence of a branch or tag, and whether the ref is known. Raises `ServiceNotFound`.

    A branch of builds comes first; then the commit to which the mirror's branch or tag points.
    """
    catalog.service(session, service_id)
    if (build := queries.select_newest_build(session, service_id, branch=ref)) is not None:
        return build, True
    refs = service_refs.find_service_refs(session, service_id)
    commits = [] if refs is None else [each[ref] for each in (refs.branch_heads, refs.tags) if ref in each]
    for commit in commits:
        if (build := queries.select_newest_build_of_commit(session, service_id, commit)) is not None:
            return build, True
    return None, bool(commits) or queries.has_build_of_branch(session, service_id, ref)


def _resolve_deployment(session: ReadSession, deployment: Deployment, now: datetime) -> ResolvedSource:
    """Return what was recorded while it ran; of longer than the longest time range, the newest part of the metrics."""
    service_id, environment_id = ServiceId(deployment.service_id), EnvironmentId(deployment.environment_id)
    begin_ms, end_ms = to_ms(deployment.started_at), to_ms(min(deployment.ended_at or now, now))
    build = catalog.build(session, BuildId(deployment.build_id)) if deployment.build_id else None
    found: Sequence[SideEvidence] = ()
    if build is not None and end_ms > begin_ms:
        found = queries.select_evidence_between(session, [build.id], environment_id, begin_ms, end_ms)
    evidence, left_out = select_newest(found)
    label = deployment.label or (build.display_name if build else None) or short_commit(deployment.commit)
    window = TimeRange(service_id, environment_id, max(begin_ms, end_ms - MAX_WINDOW_MS), end_ms)
    return ResolvedSource(
        evidence,
        label or None,
        time_range=window if end_ms > begin_ms else None,
        build=build,
        left_out=left_out,
        empty_reason=None if end_ms > begin_ms else "It has not started yet.",
    )


def _resolve_time_range(session: ReadSession, window: TimeRange) -> ResolvedSource:
    service = catalog.service(session, window.service_id)
    catalog.environment(session, window.environment_id)
    evidence, left_out = select_newest(_select_recorded(session, window))
    return ResolvedSource(evidence, service.name, time_range=window, left_out=left_out)


def _select_recorded(session: ReadSession, window: TimeRange) -> list[SideEvidence]:
    """Return artifacts recorded in a time range, each while its build ran in the environment.

    If no deployment of the service in the environment is known, every build of the service may have run there.
    """
    begin, end = from_ms(window.from_ms), from_ms(window.to_ms)
    service_id, environment_id = window.service_id, window.environment_id
    if not queries.has_deployments(session, service_id, environment_id):
        builds = queries.select_builds_recorded_since(session, service_id, begin - CLOCK_SKEW)
        return queries.select_evidence_between(session, builds, environment_id, window.from_ms, window.to_ms)
    running: dict[UUID, list[tuple[int, int]]] = {}
    for row in queries.select_deployments_during(session, service_id, environment_id, begin, end):
        if row.build_id is not None:
            until = window.to_ms if row.ended_at is None else to_ms(row.ended_at)
            running.setdefault(row.build_id, []).append((to_ms(row.started_at), until))
    found = queries.select_evidence_between(session, list(running), environment_id, window.from_ms, window.to_ms)
    return [
        each
        for each in found
        if each.build_id and any(start <= each.recorded_ms < until for start, until in running[each.build_id])
    ]


def select_newest(
    found: Sequence[SideEvidence], most: int = MAX_ARTIFACTS_A_SIDE
) -> tuple[tuple[SideEvidence, ...], Mapping[str | None, int]]:
    """Return at most `most` artifacts of a list that is newest first, and the number of those left out by kind.

    Kinds with few artifacts are complete; the remaining places are shared equally by the others.
    """
    by_kind = Counter(each.kind for each in found)
    quotas: dict[str | None, int] = {}
    left = most
    for place, (kind, count) in enumerate(sorted(by_kind.items(), key=lambda item: item[1])):
        quotas[kind] = min(count, left // (len(by_kind) - place))
        left -= quotas[kind]
    taken: Counter[str | None] = Counter()
    selected = []
    for each in found:
        if taken[each.kind] < quotas[each.kind]:
            taken[each.kind] += 1
            selected.append(each)
    return tuple(selected), {kind: count - taken[kind] for kind, count in by_kind.items() if count > taken[kind]}


def describe_left_out(left_out: Mapping[str | None, int]) -> str | None:
    """Return the sentence that states which artifacts of a source are not used, or None."""
    if not left_out:
        return None
    parts = [
        f"{count:,} older {name_stored_kind(kind) if kind else 'files that are still being decoded'}"
        for kind, count in sorted(left_out.items(), key=lambda item: -item[1])
    ]
    verb = "is" if sum(left_out.values()) == 1 else "are"
    return f"{join_list(parts)} {verb} left out: a side has at most {MAX_ARTIFACTS_A_SIDE} files."


def _label_build(build: Build) -> str:
    return build.display_name or short_commit(build.commit)
