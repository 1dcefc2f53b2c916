"""Plan searches: the candidates of the range, and later of expanded suspects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from slowpath.analysis.bisect.commit_suspicion import CommitChanges, CommitSuspicion, RegressedCode, suspicion
from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.ids import BisectId, BlobKey, RepositoryId
from slowpath.core.ports import BlobStore
from slowpath.inventory.repositories.errors import InvalidGitCredentials
from slowpath.inventory.repositories.rules import MOST_REPOSITORIES, MOST_TITLE, truncate_text
from slowpath.inventory.repositories.service import repositories, suspect_commits
from slowpath.inventory.repositories.tables import Repository
from slowpath.verdicts.bisects.errors import InvalidCommitRange
from slowpath.verdicts.bisects.rules import search_plan
from slowpath.verdicts.bisects.rules.bisect_settings import BisectSettings
from slowpath.verdicts.bisects.rules.bisect_states import OPEN, BisectState
from slowpath.verdicts.bisects.rules.candidates import NOT_SUSPECTED, CandidateNode, SearchLevel
from slowpath.verdicts.bisects.rules.go_releases import TOOLCHAIN
from slowpath.verdicts.bisects.rules.search_plan import SearchPlan
from slowpath.verdicts.bisects.rules.toolchain_levels import GO_LEVELS
from slowpath.verdicts.bisects.service import bisect_locks, production_baselines, regressed_code
from slowpath.verdicts.bisects.service.candidate_discovery import BinaryInputs
from slowpath.verdicts.bisects.service.main_packages import resolve_main_package
from slowpath.verdicts.bisects.tables import Bisect

MOST_CANDIDATES: Final = 20_000
"""Most candidates of one level."""
SPOKEN: Final = frozenset({"file", "package", "bump-on-path", "bump", "toolchain", "size"})
PROOF: Final = "Measured to prove that the next commit is the culprit, and no commit before it."
NOTHING_SPEAKS: Final = "No evidence for or against this commit."


@dataclass(frozen=True)
class MirroredRepository:
    """A repository of the team and the mirror to read it from."""

    id: RepositoryId
    label: str
    url: str | None
    authorization: str | None
    head: str | None
    """Head of its default branch, as of the last fetch."""
    kind: str = "other"
    """Kind of its code host."""


@dataclass(frozen=True)
class PlanInputs:
    """Inputs of a plan."""

    good: str
    bad: str
    settings: BisectSettings
    main: MirroredRepository
    others: tuple[MirroredRepository, ...]
    """The team's other repositories, which may contain modules."""
    regressed: RegressedCode
    plan: SearchPlan | None

    @property
    def binary(self) -> BinaryInputs:
        """Return the build target of the bisect."""
        settings = self.settings
        target = BuildTarget(settings.goos, settings.goarch, frozenset(settings.tags), settings.cgo)
        package = None if settings.main_package is None else settings.main_package.strip("/").removeprefix("./")
        return BinaryInputs(settings.directory.strip("/"), "" if package == "." else package, target)


def gather_plan_inputs(session: ReadSession, sealer: SecretEncryptor, row: Bisect) -> PlanInputs:
    """Return the inputs of a plan. Raises `InvalidCommitRange`."""
    copies = {
        one.id: one
        for one in (
            _mirrored(sealer, listed.row) for listed in repositories.list_repositories(session, None, MOST_REPOSITORIES)
        )
    }
    main = copies.pop(RepositoryId(row.repository_id), None) if row.repository_id is not None else None
    if main is None:
        raise InvalidCommitRange("The repository of this bisect was deleted.")
    settings = resolve_main_package(session, row)
    folder = "/".join(filter(None, (settings.directory, settings.main_package)))
    return PlanInputs(
        row.good_sha,
        row.bad_sha,
        settings,
        main,
        tuple(copies.values()),
        replace(regressed_code.find_regressed_code(session, regressed_code.subject_of(row)), main_directory=folder),
        search_plan.from_json(row.plan) if row.plan else None,
    )


def list_function_tables(session: ReadSession, row: Bisect) -> list[BlobKey]:
    """Return the blob keys of the function tables of a bisect's comparison."""
    return regressed_code.list_function_tables(session, regressed_code.subject_of(row))


def add_function_files(inputs: PlanInputs, keys: Sequence[BlobKey], blobs: BlobStore) -> PlanInputs:
    """Return the plan inputs with the files of regressed functions."""
    return replace(inputs, regressed=regressed_code.add_function_files(inputs.regressed, keys, blobs))


def weight_candidates(
    session: ReadSession,
    repository_id: RepositoryId | None,
    level: SearchLevel,
    regressed: RegressedCode,
    *,
    pruned: bool,
) -> SearchLevel:
    """Return a level with prior weights and reasons of its candidates, from recorded commits.

    A commit without a record gets the weight of one without evidence. `pruned`: the remaining commits change the binary.
    """
    if level.repository in GO_LEVELS:
        return level
    shas = [one.sha for one in level.nodes]
    known = (
        suspect_commits.score_commits(session, repository_id, shas, regressed, changes_binary=pruned or None)
        if repository_id is not None
        else {}
    )
    return replace(level, nodes=tuple(_weight_candidate(one, known.get(one.sha), regressed) for one in level.nodes))


def make_plan(level: SearchLevel, modules: Mapping[str, RepositoryId]) -> SearchPlan:
    """Return the plan of a search. Raises `InvalidCommitRange` if there are no candidates, or too many."""
    if not level.nodes:
        raise InvalidCommitRange("No commit between good and bad changes the inputs of the binary.")
    if len(level.nodes) > MOST_CANDIDATES:
        raise InvalidCommitRange(
            "The range has too many candidates.", limit=MOST_CANDIDATES, actual=len(level.nodes),
            unit="candidates", remedy="Set the main package, or choose commits closer together.",
        )  # fmt: skip
    return search_plan.make_search_plan(level, {module: str(one) for module, one in modules.items()})


def parse_module_path(url: str) -> str:
    """Return the module path of a repository URL: host and path."""
    parts = urlsplit(url)
    return f"{parts.hostname or ''}{parts.path}".rstrip("/").removesuffix(".git").rstrip("/")


def _weight_candidate(node: CandidateNode, found: CommitSuspicion | None, regressed: RegressedCode) -> CandidateNode:
    title = truncate_text(node.title, MOST_TITLE)
    if node.kind in NOT_SUSPECTED:
        return replace(node, title=title, why=PROOF)
    if node.bump is not None:  # only this dependency update of the commit is built
        module = "toolchain" if node.bump[0] == TOOLCHAIN else node.bump[0]
        found = suspicion(CommitChanges((), (module,), None, None), regressed)
    if found is None:
        return replace(node, title=title, why="")
    spoken = " ".join(one.sentence for one in found.reasons if one.kind in SPOKEN)
    return replace(node, title=title, weight=found.weight, why=spoken or NOTHING_SPEAKS)


def _mirrored(sealer: SecretEncryptor, row: Repository) -> MirroredRepository:
    url, authorization = row.url, None
    try:
        authorization = repositories.authorization(row, sealer)
    except InvalidGitCredentials:  # the existing mirror can still be read
        url = None
    head = row.branch_heads.get(row.default_branch or "")
    return MirroredRepository(
        RepositoryId(row.id), truncate_text(row.label, MOST_TITLE), url, authorization, head, row.kind
    )


def record_plan(session: WriteSession, bisect_id: BisectId, plan: SearchPlan, now: datetime) -> None:
    """Record the plan and start the search, unless it was cancelled."""
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
    """Replace a candidate by its level; an empty level means it cannot be expanded. Idempotent."""
    row = bisect_locks.lock_bisect(session, bisect_id)
    if row.expanding_candidate == candidate:
        row.expanding_candidate = None
    plan = None if row.plan is None else search_plan.from_json(row.plan)
    if plan is not None and candidate in plan.line.hiding:
        node = plan.nodes[candidate]
        row.plan = search_plan.to_json(search_plan.expand_candidate(plan, candidate, level))
        if level.commits:
            facts = {
                "candidate": candidate, "sha": node.sha, "title": node.title, "repository": level.label,
                "commits": level.commits, "candidates": level.classes,
            }  # fmt: skip
            bisect_locks.record_bisect_event(session, row, "expanded", facts, now=now)
    bisect_locks.publish_bisect_change(session, row, step=True)


def record_plan_cancelled(session: WriteSession, bisect_id: BisectId, now: datetime) -> None:
    """Record that planning was cancelled."""
    row = bisect_locks.lock_bisect(session, bisect_id)
    if row.state in OPEN and row.plan is None:
        row.state, row.finished_at = BisectState.CANCELLED, now
        bisect_locks.record_bisect_event(session, row, "cancelled", {}, now=now)
        bisect_locks.publish_bisect_change(session, row)


def record_plan_failure(session: WriteSession, bisect_id: BisectId, problem: dict[str, Any], now: datetime) -> None:
    """Record why planning failed."""
    row = bisect_locks.lock_bisect(session, bisect_id)
    if row.state in OPEN and row.plan is None:
        row.state, row.problem, row.finished_at = BisectState.FAILED, problem, now
        bisect_locks.record_bisect_event(session, row, "failed", {"detail": problem.get("detail", "")}, now=now)
        bisect_locks.publish_bisect_change(session, row)


def record_expansion_failure(
    session: WriteSession, bisect_id: BisectId, candidate: str, problem: dict[str, Any], now: datetime
) -> None:
    """Record that a candidate could not be expanded, and continue without."""
    row = bisect_locks.lock_bisect(session, bisect_id)
    if row.state not in OPEN:
        return
    bisect_locks.record_bisect_event(
        session, row, "expansion-failed", {"candidate": candidate, "detail": problem.get("detail", "")}, now=now
    )
    record_level(session, bisect_id, candidate, SearchLevel((), 0), now)
