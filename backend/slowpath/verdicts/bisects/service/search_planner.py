"""Write down which commits are searched: the range at first, later what hid in a suspect."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from slowpath.analysis.bisect.commit_suspicion import CommitChanges, CommitSuspicion, RegressedCode, suspicion
from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.ids import BisectId, RepositoryId, ServiceId
from slowpath.inventory.repositories.errors import InvalidGitCredentials, RepositoryNotLinked
from slowpath.inventory.repositories.rules import MOST_REPOSITORIES, MOST_TITLE, truncate_text
from slowpath.inventory.repositories.service import commit_graph as commits
from slowpath.inventory.repositories.service import repositories, suspect_commits
from slowpath.inventory.repositories.tables import Repository
from slowpath.verdicts.bisects.errors import InvalidCommitRange
from slowpath.verdicts.bisects.rules import search_plan
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings, from_json
from slowpath.verdicts.bisects.rules.bisect_states import OPEN, BisectState
from slowpath.verdicts.bisects.rules.candidates import CandidateNode, SearchLevel
from slowpath.verdicts.bisects.rules.search_plan import SearchPlan
from slowpath.verdicts.bisects.service import bisect_locks, bisect_proposals, production_baselines
from slowpath.verdicts.bisects.service.candidate_discovery import BinaryInputs
from slowpath.verdicts.bisects.tables import Bisect

MOST_CANDIDATES: Final = 20_000
"""Of one level: more are a range to be narrowed first."""
SPOKEN: Final = frozenset({"file", "package", "bump-on-path", "bump", "toolchain", "size"})
NOTHING_SPEAKS: Final = "Nothing speaks for it or against it."


@dataclass(frozen=True)
class MirroredRepository:
    """A repository of the team, as a copy of it is made and asked."""

    id: RepositoryId
    label: str
    url: str | None
    authorization: str | None
    head: str | None
    """Where its default branch stands, as of the last fetch."""


@dataclass(frozen=True)
class PlanInputs:
    """What a plan is made of."""

    good: str
    bad: str
    settings: BisectSettings
    main: MirroredRepository
    others: tuple[MirroredRepository, ...]
    """The team's other repositories: modules may lie in them."""
    regressed: RegressedCode
    plan: SearchPlan | None

    @property
    def binary(self) -> BinaryInputs:
        """What is built."""
        said = self.settings
        target = BuildTarget(said.goos, said.goarch, frozenset(said.tags), said.cgo)
        package = None if said.main_package is None else said.main_package.strip("/").removeprefix("./")
        return BinaryInputs(said.directory.strip("/"), "" if package == "." else package, target)


def gather_plan_inputs(session: ReadSession, sealer: SecretEncryptor, row: Bisect) -> PlanInputs:
    """Return what is known before planning. Raises `InvalidCommitRange`."""
    copies = {
        one.id: one
        for one in (
            _copied(sealer, kept.row) for kept in repositories.list_repositories(session, None, MOST_REPOSITORIES)
        )
    }
    main = copies.pop(RepositoryId(row.repository_id), None) if row.repository_id is not None else None
    if main is None:
        raise InvalidCommitRange("The repository of this bisect was deleted.")
    settings = _with_package(session, row, from_json(row.settings))
    folder = "/".join(filter(None, (settings.directory, settings.main_package)))
    return PlanInputs(
        row.good_sha,
        row.bad_sha,
        settings,
        main,
        tuple(copies.values()),
        replace(bisect_proposals.find_regressed_code(session, row), main_directory=folder),
        search_plan.from_json(row.plan) if row.plan else None,
    )


def weigh_level(
    session: ReadSession,
    repository_id: RepositoryId | None,
    level: SearchLevel,
    regressed: RegressedCode,
    *,
    pruned: bool,
) -> SearchLevel:
    """Return a level whose candidates have weights and reasons, from what is recorded of their commits.

    A commit of which nothing is recorded weighs as one that nothing speaks for. `pruned`: what is left changes the binary.
    """
    shas = [one.sha for one in level.nodes]
    known = (
        suspect_commits.score_commits(session, repository_id, shas, regressed, changes_binary=pruned or None)
        if repository_id is not None
        else {}
    )
    return replace(level, nodes=tuple(_judged(one, known.get(one.sha), regressed) for one in level.nodes))


def make_plan(level: SearchLevel, modules: Mapping[str, RepositoryId]) -> SearchPlan:
    """Return the plan of a search. Raises `InvalidCommitRange` where there is nothing to search, or too much."""
    if not level.nodes:
        raise InvalidCommitRange("No commit between good and bad changes what the binary is built from.")
    if len(level.nodes) > MOST_CANDIDATES:
        raise InvalidCommitRange(
            "There are too many commits between good and bad.", limit=MOST_CANDIDATES, actual=len(level.nodes),
            unit="candidates", remedy="Name the main package, or choose commits that lie closer together.",
        )  # fmt: skip
    return search_plan.make_search_plan(level, {module: str(one) for module, one in modules.items()})


def path_of(url: str) -> str:
    """Return what an address says of the module that lies there: host and path, as an import path spells them."""
    parts = urlsplit(url)
    return f"{parts.hostname or ''}{parts.path}".rstrip("/").removesuffix(".git").rstrip("/")


def _judged(node: CandidateNode, found: CommitSuspicion | None, regressed: RegressedCode) -> CandidateNode:
    title = truncate_text(node.title, MOST_TITLE)
    if node.bump is not None:  # of the commit only this one version change is built
        found = suspicion(CommitChanges((), (node.bump[0],), None, None), regressed)
    if found is None:
        return replace(node, title=title, why="")
    spoken = " ".join(one.sentence for one in found.reasons if one.kind in SPOKEN)
    return replace(node, title=title, weight=found.weight, why=spoken or NOTHING_SPEAKS)


def _with_package(session: ReadSession, row: Bisect, settings: BisectSettings) -> BisectSettings:
    """Return settings with the main package as the service's repository says it, where nobody said another."""
    if settings.main_package is not None:
        return settings
    try:
        built = commits.get_service_source(session, ServiceId(row.service_id))
    except RepositoryNotLinked:
        return settings
    if built.repository_id != row.repository_id or settings.directory not in {"", built.directory}:
        return settings
    return replace(settings, directory=built.directory, main_package=built.main_package)


def _copied(sealer: SecretEncryptor, row: Repository) -> MirroredRepository:
    url, authorization = row.url, None
    try:
        authorization = repositories.authorization(row, sealer)
    except InvalidGitCredentials:  # what is copied already can still be read
        url = None
    head = row.branch_heads.get(row.default_branch or "")
    return MirroredRepository(RepositoryId(row.id), truncate_text(row.label, MOST_TITLE), url, authorization, head)


def record_plan(session: WriteSession, bisect_id: BisectId, plan: SearchPlan, now: datetime) -> None:
    """Have the search begin, unless it was cancelled meanwhile."""
    row = bisect_locks.lock_bisect(session, bisect_id)
    if row.plan is not None or row.state not in OPEN:
        return
    row.plan = search_plan.to_json(plan)
    if row.state == BisectState.PLANNED:
        row.state = BisectState.SEARCHING
    row.started_at = row.started_at or now
    top = plan.levels[search_plan.TOP]
    bisect_locks.record_bisect_event(
        session, row, "planned", {"commits": top.commits, "candidates": top.classes}, now=now
    )
    production_baselines.record_production_baselines(session, row, plan, now)
    bisect_locks.publish_bisect_change(session, row, step=True)


def record_level(session: WriteSession, bisect_id: BisectId, candidate: str, level: SearchLevel, now: datetime) -> None:
    """Put in the place of a candidate what hides in it; nothing: it is as small as can be. Told again, nothing changes."""
    row = bisect_locks.lock_bisect(session, bisect_id)
    if row.expanding_candidate == candidate:
        row.expanding_candidate = None
    plan = None if row.plan is None else search_plan.from_json(row.plan)
    if plan is not None and candidate in plan.line.hiding:
        node = plan.nodes[candidate]
        row.plan = search_plan.to_json(search_plan.expand_candidate(plan, candidate, level))
        if level.nodes:
            facts = {
                "candidate": candidate, "sha": node.sha, "title": node.title, "repository": level.label,
                "commits": level.commits, "candidates": len(level.nodes),
            }  # fmt: skip
            bisect_locks.record_bisect_event(session, row, "opened", facts, now=now)
    bisect_locks.publish_bisect_change(session, row, step=True)


def record_plan_cancelled(session: WriteSession, bisect_id: BisectId, now: datetime) -> None:
    """Write down that somebody did not want to wait for the plan."""
    row = bisect_locks.lock_bisect(session, bisect_id)
    if row.state in OPEN and row.plan is None:
        row.state, row.finished_at = BisectState.CANCELLED, now
        bisect_locks.record_bisect_event(session, row, "cancelled", {}, now=now)
        bisect_locks.publish_bisect_change(session, row)


def record_plan_failure(session: WriteSession, bisect_id: BisectId, problem: dict[str, Any], now: datetime) -> None:
    """Write down why there is no plan."""
    row = bisect_locks.lock_bisect(session, bisect_id)
    if row.state in OPEN and row.plan is None:
        row.state, row.problem, row.finished_at = BisectState.FAILED, problem, now
        bisect_locks.record_bisect_event(session, row, "failed", {"detail": problem.get("detail", "")}, now=now)
        bisect_locks.publish_bisect_change(session, row)


def record_expansion_failure(
    session: WriteSession, bisect_id: BisectId, candidate: str, problem: dict[str, Any], now: datetime
) -> None:
    """Go on without looking into a candidate: what hides in it can not be read."""
    row = bisect_locks.lock_bisect(session, bisect_id)
    if row.state not in OPEN:
        return
    bisect_locks.record_bisect_event(
        session, row, "not-opened", {"candidate": candidate, "detail": problem.get("detail", "")}, now=now
    )
    record_level(session, bisect_id, candidate, SearchLevel((), 0), now)
