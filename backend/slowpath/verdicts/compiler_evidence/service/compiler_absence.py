"""Find why a comparison has no part of the compiler."""

from collections.abc import Sequence

from sqlalchemy import or_, select

from slowpath.analysis.kinds.registry import BINARY
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import BuildId, ComparisonId
from slowpath.evidence.artifacts.rules import ArtifactState
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.executables import service as executables
from slowpath.evidence.profiles.tables import Profile
from slowpath.verdicts.comparisons.rules import ComparisonState, Side
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.compiler_evidence import wording
from slowpath.verdicts.compiler_evidence.read_models import CompilerAbsence
from slowpath.verdicts.compiler_evidence.service.side_executables import find_build_ids, find_side_executables

MOST_CANDIDATES = 50
"""Artifacts of a side's builds among which an executable is searched."""
OPEN = (ArtifactState.RECEIVED, ArtifactState.DECODING)


def find_absence(session: ReadSession, comparison_id: ComparisonId) -> CompilerAbsence | None:
    """Return why a finished comparison of profiles has no part of the compiler; None if it has. Raises `ComparisonNotFound`."""
    row = comparisons.get_comparison(session, comparison_id)
    if row.state != ComparisonState.DONE or (row.result or {}).get("compiler") is not None:
        return None
    listed = comparisons.list_side_artifacts(session, comparison_id)
    of_profiles = select(Profile.id).where(Profile.id.in_([each.artifact.id for each in listed])).limit(1)
    if session.scalar(of_profiles) is None:
        return None
    found = find_side_executables(session, comparison_id)
    if len(found) == len(Side):
        base, candidate = found[Side.BASE].arch, found[Side.CANDIDATE].arch
        if base != candidate:
            return CompilerAbsence(
                (wording.describe_architectures(base, candidate),), "Compare builds for one platform."
            )
        return CompilerAbsence((wording.describe_later(),), "", can_compute_again=True)
    of_side = {side: [each.artifact for each in listed if each.side == side] for side in Side if side not in found}
    reasons = {side: _explain(session, side, artifacts) for side, artifacts in of_side.items()}
    if all(reason == wording.describe_missing(side) for side, reason in reasons.items()) and not found:
        return CompilerAbsence((wording.describe_none(),), wording.UPLOAD)
    is_changing = any(reason == wording.describe_decoding(side) for side, reason in reasons.items())
    return CompilerAbsence(tuple(reasons.values()), "" if is_changing else wording.UPLOAD, is_changing)


def _explain(session: ReadSession, side: Side, artifacts: Sequence[Artifact]) -> str:
    """Return why a side has no executable."""
    builds = {BuildId(each.build_id) for each in artifacts if each.build_id is not None}
    is_near = or_(Artifact.build_id.in_(builds), Artifact.id.in_([each.id for each in artifacts]))
    is_open = Artifact.kind.is_(None) & Artifact.state.in_(OPEN)
    near = select(Artifact).where(is_near, or_(Artifact.kind == BINARY.id, is_open))
    programs = session.scalars(near.order_by(Artifact.created_at.desc()).limit(MOST_CANDIDATES)).all()
    if any(each.state in OPEN for each in programs):
        return wording.describe_decoding(side)
    other = executables.list_by_builds(session, builds)
    if other:
        return wording.describe_other_build(side, other[0].build_id, find_build_ids(session, artifacts))
    if programs:
        return wording.describe_unread(side, programs[0].name)
    return wording.describe_missing(side)
