"""Find the commit, service and module versions of the sides of a comparison."""

from datetime import datetime
from uuid import UUID

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId, ComparisonId, ServiceId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.comparisons.rules import Side
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.function_sources.read_models import ComparedCommits, SideCommit


def get_side_commits(
    session: ReadSession, comparison_id: ComparisonId, *, takes_newest: bool = False
) -> dict[Side, SideCommit]:
    """Return the commit of each side; of several, none or the newest. Raises `ComparisonNotFound`."""
    comparisons.get_comparison(session, comparison_id)
    listed = comparisons.list_side_artifacts(session, comparison_id)
    builds = {
        build_id: catalog_entries.build(session, BuildId(build_id))
        for build_id in {each.artifact.build_id for each in listed}
        if build_id is not None
    }
    return {
        side: make_side_commit(
            [each.artifact for each in listed if each.side == side], builds, takes_newest=takes_newest
        )
        for side in Side
    }


def get_compared_commits(session: ReadSession, comparison_id: ComparisonId) -> ComparedCommits:
    """Return the service and commits of a comparison. Raises `ComparisonNotFound`."""
    sides = get_side_commits(session, comparison_id)
    base, candidate = sides[Side.BASE], sides[Side.CANDIDATE]
    services = {base.service_id, candidate.service_id}
    return ComparedCommits(services.pop() if len(services) == 1 else None, base.commit, candidate.commit)


def make_side_commit(artifacts: list[Artifact], builds: dict[UUID, Build], *, takes_newest: bool = False) -> SideCommit:
    """Return the only commit of these artifacts; of several, the newest if `takes_newest`, else none."""
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
    if len(found) > 1 and not takes_newest:
        return SideCommit(None, "several-commits", commits=len(found))
    commit = max(found, key=lambda one: (found[one], one))
    build = of[commit]
    if build is None:
        go_version = str(artifacts[0].run_metadata.get("go_version") or "")
        return SideCommit(commit, None, go_version=go_version, commits=len(found))
    versions = {str(module): str(version) for module, version in (build.dependencies or {}).items()}
    return SideCommit(commit, None, ServiceId(build.service_id), build.go_version, versions, len(found))
