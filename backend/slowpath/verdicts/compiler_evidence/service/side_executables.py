"""Find the executables of the sides of a comparison."""

from collections.abc import Sequence

from sqlalchemy import select

from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ArtifactId, BuildId, ComparisonId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.executables import service as executables
from slowpath.evidence.executables.tables import Executable
from slowpath.evidence.profiles.tables import Profile
from slowpath.verdicts.comparisons.rules import Side
from slowpath.verdicts.comparisons.service import comparisons


def find_side_executables(session: ReadSession, comparison_id: ComparisonId) -> dict[Side, Executable]:
    """Return the executable with a build ID of the profiles of each side, else the first among its artifacts.

    If the profiles name no build ID (Go before 1.24), it may also be the newest of their builds.

    A side without one is absent. Raises `ComparisonNotFound`.
    """
    comparisons.get_comparison(session, comparison_id)
    listed = comparisons.list_side_artifacts(session, comparison_id)
    found = {}
    for side in Side:
        executable = _find_executable(session, [each.artifact for each in listed if each.side == side])
        if executable is not None:
            found[side] = executable
    return found


def _find_executable(session: ReadSession, artifacts: Sequence[Artifact]) -> Executable | None:
    ids = [ArtifactId(each.id) for each in artifacts]
    build_ids = find_build_ids(session, artifacts)
    matched = executables.list_by_build_ids(session, build_ids)
    if matched:
        return matched[0]
    own = {row.id: row for row in session.scalars(select(Executable).where(Executable.id.in_(ids)))}
    first = next((own[each] for each in ids if each in own), None)
    if first is not None or build_ids:
        return first
    builds = {BuildId(each.build_id) for each in artifacts if each.build_id is not None}
    return next(iter(executables.list_by_builds(session, builds)), None)


def find_build_ids(session: ReadSession, artifacts: Sequence[Artifact]) -> set[str]:
    """Return the build IDs that the profiles among artifacts name, and those of the run metadata."""
    build_ids = {str(each.run_metadata.get("build_id") or "") for each in artifacts}
    for mappings in session.scalars(select(Profile.mappings).where(Profile.id.in_([each.id for each in artifacts]))):
        build_ids |= {str(each.get("build_id") or "") for each in mappings[:1]}
    return build_ids - {""}
