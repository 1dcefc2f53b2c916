"""Search builds, branches and tags, and deployments that a side can be; those without evidence are offered with the reason."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy import Row

from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId, DeployId, EnvironmentId, ServiceId
from slowpath.evidence.artifacts.service.build_evidence import EvidenceCounts, count_evidence
from slowpath.evidence.metric_sources.service import federated_services
from slowpath.evidence.metrics.service import service_signals
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build, Deployment
from slowpath.inventory.repositories.service import service_refs
from slowpath.verdicts.comparison_previews import queries
from slowpath.verdicts.comparison_previews.read_models import SourceMatch
from slowpath.verdicts.comparisons.rules.side_sources import BuildSource, DeploymentSource, RefSource

SearchedType = Literal["build", "ref", "deployment"]


def search_sources(
    session: ReadSession,
    searched: SearchedType,
    *,
    service_id: ServiceId | None,
    text: str,
    limit: int,
    now: datetime,
) -> list[SourceMatch]:
    """Return at most `limit` matches of a type, newest first. Raises `ServiceNotFound`."""
    if service_id is not None:
        catalog.service(session, service_id)
    if searched == "build":
        return _search_builds(session, service_id, text, limit)
    if searched == "ref":
        return _search_refs(session, service_id, text, limit)
    return _search_deployments(session, service_id, text, limit, now)


def _search_builds(session: ReadSession, service_id: ServiceId | None, text: str, limit: int) -> list[SourceMatch]:
    filters = catalog.BuildFilter(service_id=service_id, search=text or None)
    rows = catalog.builds(session, None, limit, filters)
    counts = count_evidence(session, [row.id for row in rows])
    return [_make_build_match(row, counts[row.id]) for row in rows]


def _make_build_match(row: Build, counts: EvidenceCounts) -> SourceMatch:
    return SourceMatch(
        source=BuildSource(BuildId(row.id)),
        title=row.display_name or short_commit(row.commit),
        subtitle=_join(row.branch, row.title, _describe_platform(row)),
        service_id=ServiceId(row.service_id),
        at=row.created_at,
        evidence=counts.kinds,
        disabled_reason=counts.missing_reason,
        build_id=BuildId(row.id),
        commit=row.commit,
    )


def _describe_platform(row: Build) -> str:
    """Return what distinguishes builds of one commit: Go version, platform and flags."""
    platform = "/".join(part for part in (row.goos, row.goarch) if part)
    return " ".join(part for part in (row.go_version, platform, row.flags) if part)


def _search_refs(session: ReadSession, service_id: ServiceId | None, text: str, limit: int) -> list[SourceMatch]:
    """Return branches of builds, the newest first, then branches and tags of mirrors that no build names."""
    branches = queries.select_branches(session, service_id, text, limit)
    heads = {(row[0], row[1]): row[2] for row in branches}
    found = {(ServiceId(row.service_id), row.branch): row for row in _newest_builds(session, list(heads))}
    mirrored = _list_mirrored_refs(session, service_id, text)
    rest = {key: commits for key, commits in mirrored.items() if key not in heads}
    of_commits = _builds_of_refs(session, rest)
    ordered = sorted(rest, key=lambda key: (key not in of_commits, _version_order(key[1]), key[0]))
    counts = count_evidence(session, [row.id for row in (*found.values(), *of_commits.values())])
    matches = [
        _make_ref_match(key, found.get((ServiceId(key[0]), key[1])), counts, at, None) for key, at in heads.items()
    ]
    matches += [_make_ref_match(key, of_commits.get(key), counts, None, rest[key][0]) for key in ordered]
    return matches[:limit]


def _newest_builds(session: ReadSession, branches: Sequence[tuple[UUID, str]]) -> Sequence[Build]:
    return queries.select_newest_builds_of_branches(session, branches) if branches else ()


def _list_mirrored_refs(
    session: ReadSession, service_id: ServiceId | None, text: str
) -> dict[tuple[UUID, str], list[str]]:
    """Return the commits of branches and tags whose name contains a text; a branch comes before a tag of its name."""
    found: dict[tuple[UUID, str], list[str]] = {}
    for refs in service_refs.list_service_refs(session, None if service_id is None else [service_id]):
        for of_type in (refs.branch_heads, refs.tags):
            for name, commit in of_type.items():
                if text.lower() in name.lower():
                    found.setdefault((refs.service_id, name), []).append(str(commit))
    return found


def _builds_of_refs(
    session: ReadSession, refs: Mapping[tuple[UUID, str], Sequence[str]]
) -> dict[tuple[UUID, str], Build]:
    """Return the newest build of each ref's commit, one with evidence if there is any."""
    pairs = {(service_id, commit) for (service_id, _), commits in refs.items() for commit in commits}
    rows = queries.select_builds_of_commits(session, pairs) if pairs else ()
    counts = count_evidence(session, [row.id for row in rows])
    usable = {(row.service_id, row.commit): row for row in rows if counts[row.id].kinds}
    return {
        key: build
        for key, commits in refs.items()
        if (build := next((usable[key[0], each] for each in commits if (key[0], each) in usable), None)) is not None
    }


def _version_order(name: str) -> tuple[int, ...]:
    """Return the order of names in which later versions come first: v1.10 before v1.9."""
    numbers = "".join(char if char.isdecimal() and char.isascii() else " " for char in name).split()
    return tuple(-int(number[:18]) for number in numbers[:6])


def _make_ref_match(
    key: tuple[UUID, str],
    build: Build | None,
    counts: Mapping[UUID, EvidenceCounts],
    at: datetime | None,
    head: str | None,
) -> SourceMatch:
    commit = build.commit if build else head
    reason = None
    if build is None:
        of_commit = f" ({short_commit(head)})" if head else ""
        reason = f"No build of it{of_commit} has files that can be compared."
    return SourceMatch(
        source=RefSource(ServiceId(key[0]), key[1]),
        title=key[1],
        subtitle=_join(short_commit(commit) if commit else None, build.title if build else None),
        service_id=ServiceId(key[0]),
        at=build.created_at if build else at,
        evidence=counts[build.id].kinds if build else {},
        disabled_reason=reason,
        build_id=BuildId(build.id) if build else None,
        commit=commit,
    )


def _search_deployments(
    session: ReadSession, service_id: ServiceId | None, text: str, limit: int, now: datetime
) -> list[SourceMatch]:
    rows = queries.select_deployments(session, service_id, text, limit)
    counted: dict[UUID, dict[str, int]] = {}
    for deployment_id, kind, count in queries.count_evidence_of_deployments(session, [row[0].id for row in rows], now):
        counted.setdefault(deployment_id, {})[kind] = count
    environment_ids = {EnvironmentId(row[0].environment_id) for row in rows}
    measured = {each: list_services_with_latency(session, each) for each in environment_ids}
    return [_make_deployment_match(row, counted.get(row[0].id, {}), measured, now) for row in rows]


def list_services_with_latency(session: ReadSession, environment_id: EnvironmentId) -> set[ServiceId]:
    """Return the services of an environment whose latency is stored, or whose samples are at a source."""
    stored = {each.service_id for each in service_signals.of_environment(session, environment_id) if each.latency}
    return stored | set(federated_services.services_of(session, environment_id))


def _make_deployment_match(
    found: Row[Deployment, str, str, str],
    evidence: Mapping[str, int],
    measured: Mapping[EnvironmentId, set[ServiceId]],
    now: datetime,
) -> SourceMatch:
    row, service, environment, branch = found
    service_id, environment_id = ServiceId(row.service_id), EnvironmentId(row.environment_id)
    has_metrics = service_id in measured[environment_id]
    reason = None
    if row.started_at >= now:
        reason = "It has not started yet."
    elif not evidence and not has_metrics:
        reason = "No files of its build were recorded while it ran, and the service has no latency metrics there."
    return SourceMatch(
        source=DeploymentSource(DeployId(row.id)),
        title=row.label or short_commit(row.commit) or "unknown commit",
        subtitle=_join(f"{service} in {environment}", branch),
        service_id=service_id,
        at=row.started_at,
        evidence=evidence,
        disabled_reason=reason,
        environment_id=environment_id,
        build_id=BuildId(row.build_id) if row.build_id else None,
        commit=row.commit or None,
        has_metrics=has_metrics,
    )


def _join(*parts: str | None) -> str:
    return ", ".join(part for part in parts if part)
