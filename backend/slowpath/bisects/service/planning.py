"""Write down which commits are searched: the range at first, later what hid in a suspect."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlsplit

from slowpath.analysis.closure.constraints import Target
from slowpath.analysis.suspicion import Regressed, Suspicion, Touched, suspicion
from slowpath.bisects.errors import BadRange
from slowpath.bisects.rules import plans
from slowpath.bisects.rules.nodes import Level, Node
from slowpath.bisects.rules.plans import Plan
from slowpath.bisects.rules.settings import BisectSettings, from_json
from slowpath.bisects.rules.states import OPEN, BisectState
from slowpath.bisects.service import holding, known_ends, offering
from slowpath.bisects.service.history import Binary
from slowpath.bisects.tables import Bisect
from slowpath.commits.errors import CredentialsRefused, NoRepository
from slowpath.commits.rules import MOST_REPOSITORIES, MOST_TITLE, clipped
from slowpath.commits.service import history as commits
from slowpath.commits.service import keeping, suspecting
from slowpath.commits.tables import Repository
from slowpath.core.ids import BisectId, RepositoryId, ServiceId
from slowpath.core.sealing import Sealer
from slowpath.core.sessions import ReadSession, WriteSession

MOST_CANDIDATES: Final = 20_000
"""Of one level: more are a range to be narrowed first."""
SPOKEN: Final = frozenset({"file", "package", "bump-on-path", "bump", "toolchain", "size"})
NOTHING_SPEAKS: Final = "Nothing speaks for it or against it."


@dataclass(frozen=True)
class Copied:
    """A repository of the team, as a copy of it is made and asked."""

    id: RepositoryId
    label: str
    url: str | None
    authorization: str | None
    head: str | None
    """Where its default branch stands, as of the last fetch."""


@dataclass(frozen=True)
class Ground:
    """What a plan is made of."""

    good: str
    bad: str
    settings: BisectSettings
    main: Copied
    others: tuple[Copied, ...]
    """The team's other repositories: modules may lie in them."""
    regressed: Regressed
    plan: Plan | None

    @property
    def binary(self) -> Binary:
        """What is built."""
        said = self.settings
        target = Target(said.goos, said.goarch, frozenset(said.tags), said.cgo)
        package = None if said.main_package is None else said.main_package.strip("/").removeprefix("./")
        return Binary(said.directory.strip("/"), "" if package == "." else package, target)


def lay(session: ReadSession, sealer: Sealer, row: Bisect) -> Ground:
    """Return what is known before planning. Raises `BadRange`."""
    copies = {
        one.id: one
        for one in (_copied(sealer, kept.row) for kept in keeping.repositories(session, None, MOST_REPOSITORIES))
    }
    main = copies.pop(RepositoryId(row.repository_id), None) if row.repository_id is not None else None
    if main is None:
        raise BadRange("The repository of this bisect was deleted.")
    settings = _with_package(session, row, from_json(row.settings))
    folder = "/".join(filter(None, (settings.directory, settings.main_package)))
    return Ground(
        row.good_sha,
        row.bad_sha,
        settings,
        main,
        tuple(copies.values()),
        replace(offering.regressed(session, row), main_directory=folder),
        plans.from_json(row.plan) if row.plan else None,
    )


def weighed(
    session: ReadSession, repository_id: RepositoryId | None, level: Level, regressed: Regressed, *, pruned: bool
) -> Level:
    """Return a level whose candidates have weights and reasons, from what is recorded of their commits.

    A commit of which nothing is recorded weighs as one that nothing speaks for. `pruned`: what is left changes the binary.
    """
    shas = [one.sha for one in level.nodes]
    known = (
        suspecting.suspicions(session, repository_id, shas, regressed, changes_binary=pruned or None)
        if repository_id is not None
        else {}
    )
    return replace(level, nodes=tuple(_judged(one, known.get(one.sha), regressed) for one in level.nodes))


def begun(level: Level, modules: Mapping[str, RepositoryId]) -> Plan:
    """Return the plan of a search. Raises `BadRange` where there is nothing to search, or too much."""
    if not level.nodes:
        raise BadRange("No commit between good and bad changes what the binary is built from.")
    if len(level.nodes) > MOST_CANDIDATES:
        raise BadRange(
            "There are too many commits between good and bad.", limit=MOST_CANDIDATES, actual=len(level.nodes),
            unit="candidates", remedy="Name the main package, or choose commits that lie closer together.",
        )  # fmt: skip
    return plans.begun(level, {module: str(one) for module, one in modules.items()})


def path_of(url: str) -> str:
    """Return what an address says of the module that lies there: host and path, as an import path spells them."""
    parts = urlsplit(url)
    return f"{parts.hostname or ''}{parts.path}".rstrip("/").removesuffix(".git").rstrip("/")


def _judged(node: Node, found: Suspicion | None, regressed: Regressed) -> Node:
    title = clipped(node.title, MOST_TITLE)
    if node.bump is not None:  # of the commit only this one version change is built
        found = suspicion(Touched((), (node.bump[0],), None, None), regressed)
    if found is None:
        return replace(node, title=title, why="")
    spoken = " ".join(one.sentence for one in found.reasons if one.kind in SPOKEN)
    return replace(node, title=title, weight=found.weight, why=spoken or NOTHING_SPEAKS)


def _with_package(session: ReadSession, row: Bisect, settings: BisectSettings) -> BisectSettings:
    """Return settings with the main package as the service's repository says it, where nobody said another."""
    if settings.main_package is not None:
        return settings
    try:
        built = commits.built_from(session, ServiceId(row.service_id))
    except NoRepository:
        return settings
    if built.repository_id != row.repository_id or settings.directory not in {"", built.directory}:
        return settings
    return replace(settings, directory=built.directory, main_package=built.main_package)


def _copied(sealer: Sealer, row: Repository) -> Copied:
    url, authorization = row.url, None
    try:
        authorization = keeping.authorization(row, sealer)
    except CredentialsRefused:  # what is copied already can still be read
        url = None
    head = row.heads.get(row.default_branch or "")
    return Copied(RepositoryId(row.id), clipped(row.label, MOST_TITLE), url, authorization, head)


def record_plan(session: WriteSession, bisect_id: BisectId, plan: Plan, now: datetime) -> None:
    """Have the search begin, unless it was cancelled meanwhile."""
    row = holding.hold(session, bisect_id)
    if row.plan is not None or row.state not in OPEN:
        return
    row.plan = plans.to_json(plan)
    if row.state == BisectState.PLANNED:
        row.state = BisectState.SEARCHING
    row.started_at = row.started_at or now
    top = plan.levels[plans.TOP]
    holding.write(session, row, "planned", {"commits": top.commits, "candidates": top.classes}, now=now)
    known_ends.lay(session, row, plan, now)
    holding.changed(session, row, step=True)


def record_level(session: WriteSession, bisect_id: BisectId, candidate: str, level: Level, now: datetime) -> None:
    """Put in the place of a candidate what hides in it; nothing: it is as small as can be. Told again, nothing changes."""
    row = holding.hold(session, bisect_id)
    if row.opening == candidate:
        row.opening = None
    plan = None if row.plan is None else plans.from_json(row.plan)
    if plan is not None and candidate in plan.line.hiding:
        node = plan.nodes[candidate]
        row.plan = plans.to_json(plans.opened(plan, candidate, level))
        if level.nodes:
            facts = {
                "candidate": candidate, "sha": node.sha, "title": node.title, "repository": level.label,
                "commits": level.commits, "candidates": len(level.nodes),
            }  # fmt: skip
            holding.write(session, row, "opened", facts, now=now)
    holding.changed(session, row, step=True)


def cancelled(session: WriteSession, bisect_id: BisectId, now: datetime) -> None:
    """Write down that somebody did not want to wait for the plan."""
    row = holding.hold(session, bisect_id)
    if row.state in OPEN and row.plan is None:
        row.state, row.finished_at = BisectState.CANCELLED, now
        holding.write(session, row, "cancelled", {}, now=now)
        holding.changed(session, row)


def fail(session: WriteSession, bisect_id: BisectId, problem: dict[str, Any], now: datetime) -> None:
    """Write down why there is no plan."""
    row = holding.hold(session, bisect_id)
    if row.state in OPEN and row.plan is None:
        row.state, row.problem, row.finished_at = BisectState.FAILED, problem, now
        holding.write(session, row, "failed", {"detail": problem.get("detail", "")}, now=now)
        holding.changed(session, row)


def not_opened(
    session: WriteSession, bisect_id: BisectId, candidate: str, problem: dict[str, Any], now: datetime
) -> None:
    """Go on without looking into a candidate: what hides in it can not be read."""
    row = holding.hold(session, bisect_id)
    if row.state not in OPEN:
        return
    holding.write(session, row, "not-opened", {"candidate": candidate, "detail": problem.get("detail", "")}, now=now)
    record_level(session, bisect_id, candidate, Level((), 0), now)
