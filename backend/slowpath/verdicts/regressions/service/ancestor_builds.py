"""Find the earlier build that a build is compared with: the nearest ancestor with the same kinds under the same conditions.

Without one, the nearest whose conditions are partly unknown; never one with other conditions.

Ancestry is that of git where the repository has the commit; else of the parents that builds name; else of time on the branch. A
build of a pull request is compared with the merge base's: the nearest ancestor among the builds of the branch it is merged to.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from slowpath.analysis.kinds.registry import measured_kinds
from slowpath.core.db_sessions import ReadSession
from slowpath.core.ids import ServiceId
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.inventory.catalog.tables import Build
from slowpath.inventory.repositories.service.commit_graph import list_ancestors
from slowpath.verdicts.regressions import queries, wording
from slowpath.verdicts.regressions.read_models import AncestorAnswer
from slowpath.verdicts.regressions.rules import MOST_ANCESTORS, MOST_ANCESTORS_READ, guess_default_branch
from slowpath.verdicts.regressions.service.branch_history import LEAST_SHA
from slowpath.verdicts.regressions.service.build_conditions import (
    describe_conditions,
    list_unknown,
    match_conditions,
    read_conditions,
)
from slowpath.verdicts.regressions.service.evidence_comparisons import gather_artifacts, without_weak_kinds

ArtifactsByKind = Mapping[str, Sequence[Artifact]]


@dataclass(frozen=True)
class AncestorMatch:
    """An earlier build, the artifacts of both builds by stored kind, and the kinds to compare.

    `unknown_conditions`: names of the conditions that one of the builds does not state.
    """

    build: Build
    is_merge_base: bool
    base: ArtifactsByKind
    candidate: ArtifactsByKind
    kinds: tuple[str, ...]
    kinds_left_out: tuple[str, ...]
    unknown_conditions: tuple[str, ...]


def find_comparable_ancestor(session: ReadSession, build: Build) -> AncestorMatch | AncestorAnswer | None:
    """Return the earlier build to compare with, or why there is none; None if the build has no artifact to compare.

    The nearest build with all kinds of this one under equal conditions; without one, that with the most of them. Builds
    whose conditions are partly unknown are chosen in the same way, if none has equal ones.
    """
    candidate = gather_artifacts(session, [build])
    wanted = without_weak_kinds([kind for kind, rows in candidate.items() if rows])
    is_pull_request = build.pull_request is not None
    if not wanted:
        return None
    ancestors = list_ancestor_builds(session, build)
    if not ancestors:
        return AncestorAnswer("first-build", reason=wording.describe_first_build())
    best: AncestorMatch | None = None
    partly_known: AncestorMatch | None = None
    differing: tuple[Build, ArtifactsByKind] | None = None
    for each in ancestors[:MOST_ANCESTORS_READ]:
        base = gather_artifacts(session, [each])
        common = [kind for kind in wanted if base[kind]]
        conditions = {
            kind: (read_conditions(each, base[kind]), read_conditions(build, candidate[kind])) for kind in common
        }
        found = {kind: match_conditions(*conditions[kind]) for kind in common}
        alike = [kind for kind in common if found[kind] == "equal"]
        possible = [kind for kind in common if found[kind] != "other"]
        if common and not possible:
            differing = differing or (each, base)
        if alike and (best is None or len(alike) > len(best.kinds)):
            best = AncestorMatch(each, is_pull_request, base, candidate, tuple(alike), _without(wanted, alike), ())
        if possible and (partly_known is None or len(possible) > len(partly_known.kinds)):
            unknown = dict.fromkeys(name for kind in possible for name in list_unknown(*conditions[kind]))
            partly_known = AncestorMatch(
                each, is_pull_request, base, candidate, tuple(possible), _without(wanted, possible), tuple(unknown)
            )
        if best is not None and not best.kinds_left_out:
            break
    if best is not None or partly_known is not None:
        return best or partly_known
    if differing is not None:
        earlier, there = differing
        pairs = _differences(build, candidate, earlier, there, wanted)
        reason = wording.describe_other_conditions(earlier.commit, pairs)
        return AncestorAnswer("other-conditions", earlier.commit, is_pull_request, reason)
    nearest = ancestors[0].commit
    return AncestorAnswer("no-match", nearest, is_pull_request, wording.describe_missing_kinds(nearest))


def _without(kinds: Sequence[str], compared: Sequence[str]) -> tuple[str, ...]:
    return tuple(kind for kind in kinds if kind not in compared)


def _differences(
    build: Build, candidate: ArtifactsByKind, earlier: Build, base: ArtifactsByKind, kinds: Sequence[str]
) -> list[tuple[str, str]]:
    """Return the distinct pairs of conditions (there, here) of the kinds that both builds have."""
    sides = (
        (read_conditions(earlier, base[kind]), read_conditions(build, candidate[kind])) for kind in kinds if base[kind]
    )
    pairs = [(describe_conditions(there), describe_conditions(here)) for there, here in sides]
    return list(dict.fromkeys(pairs))


def list_ancestor_builds(session: ReadSession, build: Build) -> list[Build]:
    """Return the builds with evidence before a build, the nearest first."""
    service_id = ServiceId(build.service_id)
    builds = queries.select_builds_with_evidence(session, service_id, list(measured_kinds()), MOST_ANCESTORS)
    others = [each for each in builds if each.id != build.id and each.commit != build.commit]
    target = _target_branch(session, build)
    if target is not None:
        others = [each for each in others if each.branch == target and each.pull_request is None]
    by_commit: dict[str, list[Build]] = {}
    for each in others:
        by_commit.setdefault(each.commit, []).append(each)
    ancestors = list_ancestors(session, service_id, build.commit, list(by_commit))
    if ancestors is not None:
        return [each for commit in ancestors for each in by_commit[commit]]
    by_parent = _follow_parents(build, others)
    known = {each.id for each in (*by_parent, *_list_descendants(build, others))}
    return by_parent + [each for each in _list_earlier(build, others, target) if each.id not in known]


def _target_branch(session: ReadSession, build: Build) -> str | None:
    """Return the branch that a pull request is merged to; None for a build without one."""
    if build.pull_request is None:
        return None
    named = build.pull_request.get("base_branch")
    if isinstance(named, str) and named:
        return named
    counts = queries.count_builds_by_branch(session, ServiceId(build.service_id))
    return guess_default_branch({branch: count for branch, count in counts.items() if branch != build.branch})


def _follow_parents(build: Build, others: Sequence[Build]) -> list[Build]:
    """Return the builds of the parents that builds name, the nearest first."""
    by_short: dict[str, list[Build]] = {}
    for each in others:
        by_short.setdefault(each.commit[:LEAST_SHA], []).append(each)
    found: list[Build] = []
    parent, seen = build.parent, set[str]()
    while parent and parent[:LEAST_SHA] not in seen:
        seen.add(parent[:LEAST_SHA])
        of_parent = by_short.get(parent[:LEAST_SHA], [])
        found += of_parent
        parent = next((each.parent for each in of_parent if each.parent), None)
    return found


def _list_descendants(build: Build, others: Sequence[Build]) -> list[Build]:
    """Return the builds whose recorded parents lead to a build: they may have been uploaded before it."""
    found: list[Build] = []
    commits = {build.commit[:LEAST_SHA]}
    left = list(others)
    while children := [each for each in left if (each.parent or "")[:LEAST_SHA] in commits]:
        found += children
        commits = {each.commit[:LEAST_SHA] for each in children}
        left = [each for each in left if each not in children]
    return found


def _list_earlier(build: Build, others: Sequence[Build], target: str | None) -> list[Build]:
    """Return the builds before a build on its branch, newest first; those of the target branch for a pull request."""
    at, branch = build.committed_at or build.created_at, target if target is not None else build.branch
    return [each for each in others if each.branch == branch and (each.committed_at or each.created_at) < at]
