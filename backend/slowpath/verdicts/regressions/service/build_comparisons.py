"""Compare a build with an earlier one as soon as its evidence is decoded, and record the answer on its verdict."""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime

from slowpath.analysis.builds.comparison_answer import ComparisonAnswer
from slowpath.commit_names import short_commit
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import BuildId, ComparisonId, ServiceId
from slowpath.core.jobs import enqueue_unless_pending
from slowpath.inventory.catalog import service as catalog
from slowpath.inventory.catalog.tables import Build
from slowpath.verdicts.comparisons.errors import ComparisonNotFound
from slowpath.verdicts.comparisons.rules import ComparisonOrigin, ComparisonState, Side
from slowpath.verdicts.comparisons.service import comparisons
from slowpath.verdicts.comparisons.service.comparisons import SideRequest
from slowpath.verdicts.comparisons.tables import Comparison
from slowpath.verdicts.regressions import queries, wording
from slowpath.verdicts.regressions.jobs import RefreshBuildComparison
from slowpath.verdicts.regressions.read_models import AncestorAnswer
from slowpath.verdicts.regressions.rules import MOST_DESCENDANTS, SETTLE_SECONDS
from slowpath.verdicts.regressions.service.ancestor_builds import AncestorMatch, find_comparable_ancestor
from slowpath.verdicts.regressions.service.build_decision import dump_ancestor, load_ancestor
from slowpath.verdicts.regressions.service.build_verdicts import record_decision
from slowpath.verdicts.regressions.service.evidence_comparisons import find_common_deployments, make_side
from slowpath.verdicts.regressions.tables import BuildVerdict

MISSING = ("first-build", "no-match", "other-conditions")
"""States of a build whose comparison another build can make possible."""


def refresh_build_comparison(session: WriteSession, build: Build, row: BuildVerdict) -> None:
    """Compare a build with its nearest comparable ancestor, unless exactly these artifacts were compared already.

    The superseded comparison is deleted. The caller records the verdict.
    """
    queries.lock_history(session, ServiceId(build.service_id))
    _compare(session, build, row, find_comparable_ancestor(session, build))


def enqueue_descendant_comparisons(session: WriteSession, row: BuildVerdict) -> None:
    """Enqueue one job for each later build that is, or can now be, compared with a build that got more evidence.

    The build of a pull request is often decoded before that of its merge base.
    """
    for each in queries.select_possible_descendants(session, row, MISSING, MOST_DESCENDANTS):
        enqueue_unless_pending(session, RefreshBuildComparison(BuildId(each.build_id)), after_s=SETTLE_SECONDS)


def refresh_descendant_comparison(session: WriteSession, build: Build, now: datetime) -> None:
    """Compare an evaluated build again if its base is nearer or has more artifacts than before."""
    queries.lock_history(session, ServiceId(build.service_id))
    row = queries.select_build_verdict(session, BuildId(build.id))
    if row is None or row.evaluated_at is None:
        return  # its evaluation compares it
    found = find_comparable_ancestor(session, build)
    if row.comparison_id is not None and not _is_better_base(session, row, found):
        return
    _compare(session, build, row, found)
    record_decision(session, row, now)


def _compare(
    session: WriteSession, build: Build, row: BuildVerdict, found: AncestorMatch | AncestorAnswer | None
) -> None:
    if not isinstance(found, AncestorMatch):
        delete_build_comparison(session, row)
        row.ancestor_answer = None if found is None else dump_ancestor(found)
        row.compared_build_id = None
        return
    base = make_side(found.base, found.kinds, [found.build])
    candidate = make_side(found.candidate, found.kinds, [build])
    if _is_current(session, row, base, candidate):
        return
    delete_build_comparison(session, row)
    deployed = find_common_deployments(session, [found.build], [build])
    if deployed is not None:  # with their latency, for checks that require it; it decides nothing beside artifacts
        base, candidate = (
            replace(side, time_range=each[0]) for side, each in zip((base, candidate), deployed, strict=True)
        )
    name = f"{short_commit(build.commit)} against {short_commit(found.build.commit)}"
    created = comparisons.create_comparison(session, name, base, candidate, origin=ComparisonOrigin.BUILD)
    row.comparison_id, row.compared_build_id = created.id, found.build.id
    row.ancestor_answer = dump_ancestor(_pending(found))
    session.flush()


def _is_better_base(session: ReadSession, row: BuildVerdict, found: AncestorMatch | AncestorAnswer | None) -> bool:
    """Return whether a match has more base artifacts than the comparison of a build, or a better base.

    A better base is nearer, or has the same known conditions where those of the former base are unknown.
    Artifacts beyond those that a side may have, and deleted ones, do not repeat a comparison.
    """
    if not isinstance(found, AncestorMatch) or row.comparison_id is None:
        return False
    members = comparisons.list_side_artifacts(session, ComparisonId(row.comparison_id))
    had = sum(each.side == Side.BASE for each in members)
    if sum(len(found.base[kind]) for kind in found.kinds) > had:
        return True
    if row.compared_build_id in (None, found.build.id):
        return False
    stored = load_ancestor(row.ancestor_answer)
    if stored is not None and stored.unknown_conditions and not found.unknown_conditions:
        return True
    former = catalog.build(session, BuildId(row.compared_build_id))
    return _get_time(found.build) > _get_time(former)


def _get_time(build: Build) -> datetime:
    return build.committed_at or build.created_at


def delete_build_comparison(session: WriteSession, row: BuildVerdict) -> None:
    """Delete the comparison of a build; one that a regression cites becomes its evidence."""
    if row.comparison_id is None:
        return
    comparison_id = ComparisonId(row.comparison_id)
    row.comparison_id = None
    session.flush()
    if queries.has_regression(session, comparison_id):
        comparisons.get_comparison(session, comparison_id).origin = ComparisonOrigin.REGRESSION
        return
    with suppress(ComparisonNotFound):  # a user deleted it
        comparisons.delete_comparison(session, comparison_id)


def record_answer(session: WriteSession, comparison: Comparison, answer: ComparisonAnswer, now: datetime) -> None:
    """Record the answer of a build's comparison, and decide the verdict on the build. Call it before other writes.

    Does nothing for other comparisons, and for one that newer artifacts superseded.
    """
    row = _lock_verdict(session, comparison)
    stored = load_ancestor(row.ancestor_answer) if row is not None else None
    if row is None or stored is None:
        return
    compared = AncestorAnswer(
        "compared",
        stored.commit,
        stored.is_merge_base,
        kinds_left_out=stored.kinds_left_out,
        comparison=answer,
        unknown_conditions=stored.unknown_conditions,
    )
    row.ancestor_answer = dump_ancestor(compared)
    record_decision(session, row, now)


def record_failed_comparison(session: WriteSession, comparison: Comparison, reason: str, now: datetime) -> None:
    """Record why the comparison of a build failed, so that clients stop waiting."""
    row = _lock_verdict(session, comparison)
    stored = load_ancestor(row.ancestor_answer) if row is not None else None
    if row is None or stored is None:
        return
    sentence = wording.describe_failed_comparison(stored.commit, reason)
    row.ancestor_answer = dump_ancestor(AncestorAnswer("failed", stored.commit, stored.is_merge_base, sentence))
    record_decision(session, row, now)


def _lock_verdict(session: WriteSession, comparison: Comparison) -> BuildVerdict | None:
    """Return the verdict that a comparison is the evidence of, after evaluations of the service ended."""
    if comparison.origin != ComparisonOrigin.BUILD:
        return None
    comparison_id = ComparisonId(comparison.id)
    row = queries.select_build_verdict_of_comparison(session, comparison_id)
    if row is None:
        return None
    queries.lock_history(session, ServiceId(row.service_id))
    session.refresh(row)  # an evaluation that ended meanwhile may have superseded the comparison
    return row if row.comparison_id == comparison_id else None


def _pending(found: AncestorMatch) -> AncestorAnswer:
    return AncestorAnswer(
        "pending",
        found.build.commit,
        found.is_merge_base,
        kinds_left_out=found.kinds_left_out,
        unknown_conditions=found.unknown_conditions,
    )


def _is_current(session: ReadSession, row: BuildVerdict, base: SideRequest, candidate: SideRequest) -> bool:
    """Return whether the build's comparison has exactly these artifacts and did not fail."""
    if row.comparison_id is None:
        return False
    comparison_id = ComparisonId(row.comparison_id)
    state = comparisons.get_comparison(session, comparison_id).state
    if state in (ComparisonState.FAILED, ComparisonState.CANCELLED):
        return False
    members = comparisons.list_side_artifacts(session, comparison_id)
    now = {side: {each.artifact.id for each in members if each.side == side} for side in Side}
    return now == {Side.BASE: set(base.artifact_ids), Side.CANDIDATE: set(candidate.artifact_ids)}
