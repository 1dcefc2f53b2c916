"""Find the candidates of a bisect, and expand a candidate."""

import time
from collections.abc import Callable
from typing import Final
from uuid import UUID

from slowpath.analysis.closure.closure_cache import dump_cache, load_cache
from slowpath.analysis.closure.go_module_files import MOST_BYTES, parse_go_mod
from slowpath.analysis.closure.go_packages import PackageCache, PackageReader
from slowpath.core.db_sessions import WriteSession
from slowpath.core.encryption import create_sealer
from slowpath.core.git_ports import GitMirrorHistory, GitMirrorPort
from slowpath.core.ids import RepositoryId
from slowpath.verdicts.bisects.errors import InvalidCommitRange
from slowpath.verdicts.bisects.jobs import ExpandCandidate, PlanBisect
from slowpath.verdicts.bisects.rules.candidates import SearchLevel
from slowpath.verdicts.bisects.service import bisect_locks, pair_steps, search_planner
from slowpath.verdicts.bisects.service.candidate_discovery import MAIN, MultiRepositoryHistory
from slowpath.verdicts.bisects.service.search_planner import MirroredRepository, PlanInputs
from slowpath_worker.job_context import Cancelled, JobContext, JobFailure

__all__ = [
    "ExpandCandidate",
    "PlanBisect",
    "expand_candidate",
    "plan_bisect",
    "record_expansion_failure",
    "record_plan_failure",
]  # fmt: skip


PROGRESS_INTERVAL_S: Final = 1.0
"""Each progress update makes open bisect pages reload."""


def plan_bisect(job: PlanBisect, context: JobContext) -> None:
    """Find the commits between good and bad that change the binary, and compute their prior."""
    with context.reading() as session:
        row = bisect_locks.get_bisect(session, job.bisect_id)
        inputs = (
            None
            if row.plan is not None
            else search_planner.gather_plan_inputs(session, create_sealer(context.settings), row)
        )
        tables = search_planner.list_function_tables(session, row)
    if inputs is None:
        with context.finishing():
            return
    if row.commit_comparison is not None:
        _begin_pairs(job, inputs, context)
        return
    inputs = search_planner.add_function_files(inputs, tables, context.blobs)
    mirrors = RepositoryMirrors(context, inputs)
    context.progress("finding modules", 0.1)
    modules = mirrors.modules()
    context.progress("comparing binaries", 0.2)
    memory = load_cache(mirrors.mirror(inputs.main).read_package_cache())
    history = MultiRepositoryHistory(
        mirrors.lines(inputs.main), {}, inputs.binary, {MAIN: memory}, _progress_callback(context, 0.2, 0.9)
    )
    level = history.top(inputs.good, inputs.bad)
    mirrors.mirror(inputs.main).write_package_cache(dump_cache(memory))
    context.progress("computing the prior", 0.9)
    with context.finishing() as session:
        pruned = inputs.binary.package is not None
        level = search_planner.weight_candidates(session, inputs.main.id, level, inputs.regressed, pruned=pruned)
        plan = search_planner.make_plan(level, modules)
        search_planner.record_plan(session, job.bisect_id, plan, context.clock.now())


def _begin_pairs(job: PlanBisect, inputs: PlanInputs, context: JobContext) -> None:
    """Find the merge base of two commits, and whether it builds from the same inputs."""
    lines = RepositoryMirrors(context, inputs).lines(inputs.main)
    lines.parents(inputs.bad)  # fetch it if it is missing
    base = lines.merge_base(inputs.good, inputs.bad)
    if base is None:
        raise InvalidCommitRange("The commits have no common history.", remedy="Choose commits of one history.")
    history = MultiRepositoryHistory(lines, {}, inputs.binary)
    is_equal = base == inputs.bad or history.has_equal_builds(base, inputs.bad)
    with context.finishing() as session:
        pair_steps.begin_pairs(session, job.bisect_id, base, is_equal=is_equal, now=context.clock.now())


def record_plan_failure(session: WriteSession, job: PlanBisect, failure: JobFailure) -> None:
    """Record on the bisect why it cannot start."""
    if isinstance(failure.error, Cancelled):
        search_planner.record_plan_cancelled(session, job.bisect_id, failure.at)
        return
    search_planner.record_plan_failure(session, job.bisect_id, failure.problem, failure.at)


def expand_candidate(job: ExpandCandidate, context: JobContext) -> None:
    """Expand a candidate: into a merged branch, single dependency updates, or the commits between two versions."""
    with context.reading() as session:
        row = bisect_locks.get_bisect(session, job.bisect_id)
        inputs = search_planner.gather_plan_inputs(session, create_sealer(context.settings), row)
        tables = search_planner.list_function_tables(session, row)
    plan = inputs.plan
    if plan is None or job.candidate not in plan.line.hiding:
        with context.finishing() as session:  # already expanded
            search_planner.record_level(session, job.bisect_id, job.candidate, SearchLevel((), 0), context.clock.now())
            return
    inputs = search_planner.add_function_files(inputs, tables, context.blobs)
    mirrors = RepositoryMirrors(context, inputs)
    context.progress("expanding the candidate", 0.1)
    repositories = {module: RepositoryId(UUID(one)) for module, one in plan.modules.items()}
    repositories_by_id = {**{one.id: one for one in inputs.others}, inputs.main.id: inputs.main}
    known_repositories = {
        module: repositories_by_id[one] for module, one in repositories.items() if one in repositories_by_id
    }
    lines = {module: mirrors.lines(one) for module, one in known_repositories.items()}
    history = MultiRepositoryHistory(
        mirrors.lines(inputs.main), lines, inputs.binary, None, _progress_callback(context, 0.1, 0.9)
    )
    level = history.inside(plan.nodes[job.candidate])
    of = known_repositories.get(level.repository, inputs.main)
    with context.finishing() as session:
        pruned = level.repository != MAIN or inputs.binary.package is not None
        level = search_planner.weight_candidates(session, of.id, level, inputs.regressed, pruned=pruned)
        search_planner.record_level(session, job.bisect_id, job.candidate, level, context.clock.now())


def record_expansion_failure(session: WriteSession, job: ExpandCandidate, failure: JobFailure) -> None:
    """Let the search continue without expanding the candidate."""
    search_planner.record_expansion_failure(session, job.bisect_id, job.candidate, failure.problem, failure.at)


def _progress_callback(context: JobContext, first: float, last: float) -> Callable[[int, int], None]:
    """Return a callback that reports progress from `first` to `last` once per second. It raises like `check`."""
    reported_at = 0.0

    def report(read: int, of: int) -> None:
        nonlocal reported_at
        context.check()
        now = time.monotonic()
        if now - reported_at >= PROGRESS_INTERVAL_S:
            reported_at = now
            context.progress(f"read {read:,} of {of:,} commits", first + (last - first) * read / of)

    return report


class RepositoryMirrors:
    """Mirrors of the team's repositories on this machine; a mirror that lacks a commit is fetched once."""

    def __init__(self, context: JobContext, inputs: PlanInputs) -> None:
        """Set the inputs; nothing is read yet."""
        self._context, self._inputs = context, inputs
        self._lines: dict[RepositoryId, GitMirrorHistory] = {}

    def mirror(self, one: MirroredRepository) -> GitMirrorPort:
        """Return the mirror of a repository."""
        return self._context.mirrors.get_mirror(self._context.team_id, one.id)

    def lines(self, one: MirroredRepository) -> GitMirrorHistory:
        """Return the commit graph of a repository."""
        found = self._lines.get(one.id)
        if found is None:
            found = self._lines[one.id] = self._context.mirrors.get_history(
                self._context.team_id, one.id, one.label, self._context.check, lambda: self._fetch(one)
            )
        return found

    def modules(self) -> dict[str, RepositoryId]:
        """Return the repository of each module: from the settings, else from go.mod, else from the repository's URL."""
        out: dict[str, RepositoryId] = {}
        for one in self._inputs.others:
            self._context.check()
            for module in self._modules_of(one):
                out.setdefault(module, one.id)
        for name in self._required():  # a module in a subfolder of the repository of another module
            root = max((one for one in out if name.startswith(f"{one}/")), key=len, default=None)
            if root is not None:
                out.setdefault(name, out[root])
        configured = self._inputs.settings.module_repositories
        return {**out, **{module: RepositoryId(UUID(one)) for module, one in configured.items()}}

    def _modules_of(self, one: MirroredRepository) -> list[str]:
        mirror = self.mirror(one)
        if one.head is not None and mirror.has(one.head):
            with mirror.objects() as objects:
                folders = PackageReader(objects, PackageCache(), self._inputs.binary.target)
                entry = folders.at(objects.root(one.head), "go.mod")
                if entry is not None and entry.is_file:
                    module = parse_go_mod(folders.text(entry, MOST_BYTES)).module
                    return [module] if module else []
        return [search_planner.parse_module_path(one.url)] if one.url is not None else []

    def _required(self) -> list[str]:
        inputs, lines = self._inputs, self.lines(self._inputs.main)
        lines.parents(inputs.bad)  # fetch it if it is missing
        with lines.objects() as objects:
            folders = PackageReader(objects, PackageCache(), inputs.binary.target)
            entry = folders.at(objects.root(inputs.bad), "/".join(filter(None, (inputs.binary.directory, "go.mod"))))
            if entry is None or not entry.is_file:
                return []
            return list(parse_go_mod(folders.text(entry, MOST_BYTES)).requires)

    def _fetch(self, one: MirroredRepository) -> None:
        if one.url is not None:
            self._context.progress(f"fetching {one.label}", 0.0)
            self.mirror(one).fetch(one.url, one.authorization, self._context.check)
