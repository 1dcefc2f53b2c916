"""Find the commit, service and module versions of the sides of a comparison."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId, ComparisonId, ServiceId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.comparisons.rules import Side
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.function_sources.read_models import ComparedCommits, SideCommit

TakenCommit = Literal["only", "newest", "oldest"]
"""Which of several commits of a side is taken; "only": none of them."""


def get_side_commits(
    session: ReadSession, comparison_id: ComparisonId, *, takes: TakenCommit = "only"
) -> dict[Side, SideCommit]:
    """Return the commit of each side; of several, none or the newest. Raises `ComparisonNotFound`."""
    comparisons.get_comparison(session, comparison_id)
    listed = comparisons.list_side_artifacts(session, comparison_id)
    builds = _read_builds(session, [each.artifact for each in listed])
    return {
        side: make_side_commit([each.artifact for each in listed if each.side == side], builds, takes=takes)
        for side in Side
    }


def get_compared_commits(session: ReadSession, comparison_id: ComparisonId) -> ComparedCommits:
    """Return the service and the commits between which the change is. Raises `ComparisonNotFound`."""
    comparisons.get_comparison(session, comparison_id)
    listed = comparisons.list_side_artifacts(session, comparison_id)
    builds = _read_builds(session, [each.artifact for each in listed])
    base, candidate = ([each.artifact for each in listed if each.side == side] for side in (Side.BASE, Side.CANDIDATE))
    return make_compared_commits(
        make_side_commit(base, builds, takes="newest"), make_side_commit(candidate, builds, takes="oldest")
    )


def make_compared_commits(base: SideCommit, candidate: SideCommit) -> ComparedCommits:
    """Return the commits between which the change is; none if a side has several that are not all before the other's."""
    services = {base.service_id, candidate.service_id}
    service_id = services.pop() if len(services) == 1 else None
    has_several = base.commits > 1 or candidate.commits > 1
    if has_several and base.at is not None and candidate.at is not None and base.at >= candidate.at:
        return ComparedCommits(service_id, None, None)  # the sides overlap, or the candidate is the older one
    return ComparedCommits(service_id, base.commit, candidate.commit)


def _read_builds(session: ReadSession, artifacts: Sequence[Artifact]) -> dict[UUID, Build]:
    ids = {artifact.build_id for artifact in artifacts if artifact.build_id is not None}
    return {build_id: catalog_entries.build(session, BuildId(build_id)) for build_id in ids}


def make_side_commit(
    artifacts: Sequence[Artifact], builds: Mapping[UUID, Build], *, takes: TakenCommit = "only"
) -> SideCommit:
    """Return the only commit of these artifacts; of several none, the newest or the oldest."""
    found: dict[str, datetime] = {}
    of: dict[str, Build | None] = {}
    for artifact in artifacts:
        build = builds.get(artifact.build_id) if artifact.build_id else None
        commit = build.commit if build is not None else str(artifact.run_metadata.get("commit") or "")
        if commit:
            at = artifact.created_at if build is None else build.committed_at or build.created_at
            found[commit] = max(at, found.get(commit, at))
            of.setdefault(commit, build)
    if not found:
        return SideCommit(None, "no-commit")
    if len(found) > 1 and takes == "only":
        return SideCommit(None, "several-commits", commits=len(found))
    commit = (min if takes == "oldest" else max)(found, key=lambda one: (found[one], one))
    build = of[commit]
    if build is None:
        go_version = str(artifacts[0].run_metadata.get("go_version") or "")
        return SideCommit(commit, None, go_version=go_version, commits=len(found), at=found[commit])
    versions = {str(module): str(version) for module, version in (build.dependencies or {}).items()}
    return SideCommit(commit, None, ServiceId(build.service_id), build.go_version, versions, len(found), found[commit])
