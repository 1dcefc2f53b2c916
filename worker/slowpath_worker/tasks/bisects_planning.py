"""Find the candidates of a bisect, and what hides in one."""

import time
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from slowpath.adapters.clock import SystemClock
from slowpath.adapters.git import BinaryMirror, mirror_of
from slowpath.adapters.git_lines import MirrorLines
from slowpath.adapters.git_remotes import create_remotes
from slowpath.adapters.outside import create_outside
from slowpath.analysis.closure.modfile import MOST_BYTES, read_mod
from slowpath.analysis.closure.packages import Folders, Memory
from slowpath.bisects.jobs import OpenCandidate, PlanBisect
from slowpath.bisects.rules.nodes import Level
from slowpath.bisects.service import holding, planning, regressed_files
from slowpath.bisects.service.history import MAIN, History
from slowpath.bisects.service.planning import Copied, Ground
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import RepositoryId
from slowpath.core.sealing import create_sealer
from slowpath.core.sessions import WriteSession
from slowpath_worker.context import Cancelled, Context

__all__ = [
    "OpenCandidate", "PlanBisect", "open_candidate", "open_ended_badly", "plan_bisect", "plan_ended_badly",
]  # fmt: skip


TOLD_EVERY_S: Final = 1.0
"""Whoever looks at the bisect reads it again each time."""


def plan_bisect(job: PlanBisect, context: Context) -> None:
    """Find the commits between good and bad that change what is built, and what speaks for each."""
    with context.reading() as session:
        row = holding.find(session, job.bisect_id)
        ground = None if row.plan is not None else planning.lay(session, create_sealer(context.settings), row)
        tables = regressed_files.tables(session, row)
    if ground is None:
        with context.finishing():
            return
    ground = regressed_files.with_files(ground, tables, context.blobs)
    copies = Copies(context, ground)
    context.progress("looking for modules", 0.1)
    modules = copies.modules()
    context.progress("comparing what is built", 0.2)
    memory = copies.mirror(ground.main).remembered()
    history = History(copies.lines(ground.main), {}, ground.binary, {MAIN: memory}, _telling(context, 0.2, 0.9))
    level = history.top(ground.good, ground.bad)
    copies.mirror(ground.main).remember(memory)
    context.progress("weighing", 0.9)
    with context.finishing() as session:
        pruned = ground.binary.package is not None
        level = planning.weighed(session, ground.main.id, level, ground.regressed, pruned=pruned)
        plan = planning.begun(level, modules)
        planning.record_plan(session, job.bisect_id, plan, SystemClock().now())


def plan_ended_badly(
    session: WriteSession, job: PlanBisect, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Say of the bisect why it can not begin."""
    if isinstance(error, Cancelled):
        planning.cancelled(session, job.bisect_id, SystemClock().now())
        return
    planning.fail(session, job.bisect_id, problem, SystemClock().now())


def open_candidate(job: OpenCandidate, context: Context) -> None:
    """Find what hides in a candidate: the branch of a merge, a bump among several, the commits between two versions."""
    with context.reading() as session:
        row = holding.find(session, job.bisect_id)
        ground = planning.lay(session, create_sealer(context.settings), row)
        tables = regressed_files.tables(session, row)
    plan = ground.plan
    if plan is None or job.candidate not in plan.line.hiding:
        with context.finishing() as session:  # done already
            planning.record_level(session, job.bisect_id, job.candidate, Level((), 0), SystemClock().now())
            return
    ground = regressed_files.with_files(ground, tables, context.blobs)
    copies = Copies(context, ground)
    context.progress("looking inside", 0.1)
    repositories = {module: RepositoryId(UUID(one)) for module, one in plan.modules.items()}
    there = {**{one.id: one for one in ground.others}, ground.main.id: ground.main}
    known = {module: there[one] for module, one in repositories.items() if one in there}
    lines = {module: copies.lines(one) for module, one in known.items()}
    history = History(copies.lines(ground.main), lines, ground.binary, None, _telling(context, 0.1, 0.9))
    level = history.inside(plan.nodes[job.candidate])
    of = ground.main if level.repository == MAIN else known[level.repository]
    with context.finishing() as session:
        pruned = level.repository != MAIN or ground.binary.package is not None
        level = planning.weighed(session, of.id, level, ground.regressed, pruned=pruned)
        planning.record_level(session, job.bisect_id, job.candidate, level, SystemClock().now())


def open_ended_badly(
    session: WriteSession, job: OpenCandidate, error: SlowpathError | Cancelled, problem: dict[str, Any]
) -> None:
    """Have the search go on without looking inside."""
    del error
    planning.not_opened(session, job.bisect_id, job.candidate, problem, SystemClock().now())


def _telling(context: Context, first: float, last: float) -> Callable[[int, int], None]:
    """Return what tells the job's progress between two parts of it, each second; ends it where somebody cancelled."""
    told_at = 0.0

    def tell(read: int, of: int) -> None:
        nonlocal told_at
        context.check()
        now = time.monotonic()
        if now - told_at >= TOLD_EVERY_S:
            told_at = now
            context.progress(f"read {read:,} of {of:,} commits", first + (last - first) * read / of)

    return tell


class Copies:
    """Copies of the team's repositories on this machine; one that lacks something is fetched, once."""

    def __init__(self, context: Context, ground: Ground) -> None:
        """Nothing is read yet."""
        self._context, self._ground = context, ground
        self._remotes = create_remotes(context.settings, create_outside(context.settings))
        self._lines: dict[RepositoryId, MirrorLines] = {}

    def mirror(self, one: Copied) -> BinaryMirror:
        """Return the copy of a repository."""
        return mirror_of(self._context.settings, self._remotes, self._context.team_id, one.id)

    def lines(self, one: Copied) -> MirrorLines:
        """Return how commits of a repository follow each other."""
        found = self._lines.get(one.id)
        if found is None:
            found = self._lines[one.id] = MirrorLines(
                one.label, self.mirror(one), self._context.check, lambda: self._bring(one)
            )
        return found

    def modules(self) -> dict[str, RepositoryId]:
        """Return which module lies in which repository: as was said, as its go.mod says, as its address looks like."""
        out: dict[str, RepositoryId] = {}
        for one in self._ground.others:
            self._context.check()
            for module in self._modules_of(one):
                out.setdefault(module, one.id)
        for name in self._required():  # a module below the root of a repository whose root is another one
            root = max((one for one in out if name.startswith(f"{one}/")), key=len, default=None)
            if root is not None:
                out.setdefault(name, out[root])
        said = self._ground.settings.module_repositories
        return {**out, **{module: RepositoryId(UUID(one)) for module, one in said.items()}}

    def _modules_of(self, one: Copied) -> list[str]:
        mirror = self.mirror(one)
        if one.head is not None and mirror.has(one.head):
            with mirror.objects() as objects:
                folders = Folders(objects, Memory(), self._ground.binary.target)
                entry = folders.at(objects.root(one.head), "go.mod")
                if entry is not None and entry.is_file:
                    module = read_mod(folders.text(entry, MOST_BYTES)).module
                    return [module] if module else []
        return [planning.path_of(one.url)] if one.url is not None else []

    def _required(self) -> list[str]:
        ground, lines = self._ground, self.lines(self._ground.main)
        lines.parents(ground.bad)  # have it there
        with lines.objects() as objects:
            folders = Folders(objects, Memory(), ground.binary.target)
            entry = folders.at(objects.root(ground.bad), "/".join(filter(None, (ground.binary.directory, "go.mod"))))
            if entry is None or not entry.is_file:
                return []
            return list(read_mod(folders.text(entry, MOST_BYTES)).requires)

    def _bring(self, one: Copied) -> None:
        if one.url is not None:
            self._context.progress(f"fetching {one.label}", 0.0)
            self.mirror(one).fetch(one.url, one.authorization, self._context.check)
