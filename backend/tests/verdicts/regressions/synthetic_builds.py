"""A small service whose builds have given costs: measurements are recorded like the worker's, then evaluated."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
from sqlalchemy import select

from slowpath.analysis.findings.build_measurements import KindMeasurement, RouteCost, SubjectValues
from slowpath.core.db_sessions import Database, TeamScope, WriteSession
from slowpath.core.ids import BuildId, new_id
from slowpath.core.jobs import JobRow
from slowpath.inventory.catalog.tables import Build, Service
from slowpath.verdicts.regressions.rules import BuildVerdictState
from slowpath.verdicts.regressions.service import build_evaluation, build_measurements
from slowpath.verdicts.regressions.service.build_measurements import PackedMeasurement, PendingBuildMeasurement
from slowpath.verdicts.regressions.tables import BuildChangePoint, BuildVerdict, Regression
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest

COSTS = {"decode": 30.0, "clone": 12.0, "cloneBytes": 0.0, "write": 38.0, "gc-mark": 20.0}
"""The cost of each part per request (us) of a default build."""
CALLERS = {
    "app.Handle": (),
    "app.decode": ("app.Handle",),
    "app.Store": ("app.Handle",),
    "app.clone": ("app.Store", "app.Handle"),
    "app.cloneBytes": ("app.Store", "app.Handle"),
    "app.write": ("app.Store", "app.Handle"),
}
NOISE = 0.02
BEGUN = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass
class SyntheticBuilds:
    """A line of builds of one service, made one after the other."""

    database: Database
    team: SomeTeam
    rng: np.random.Generator
    service_id: UUID = field(default_factory=new_id)
    made: list[UUID] = field(default_factory=list)
    clock: datetime = BEGUN

    @classmethod
    def opened(cls, app: AppUnderTest, team: SomeTeam, seed: int) -> "SyntheticBuilds":
        """Open one with a service."""
        synthetic = cls(app.database, team, np.random.default_rng(seed))
        with synthetic.writing() as session:
            session.add(Service(team_id=team.id, id=synthetic.service_id, slug="ingester", name="ingester"))
        return synthetic

    def writing(self) -> Any:  # noqa: ANN401 - a context manager of a session
        """Give a session of the team."""
        return self.database.writing(
            TeamScope(self.team.id, self.team.owner.user_id)
        )  # a job belongs to the user who uploaded

    def build(self, costs: dict[str, float] | None = None, **fields: Any) -> UUID:  # noqa: ANN401 - what a build may say
        """Make, measure and judge a build."""
        build_id = self.prepare(costs, **fields)
        self.judge(build_id)
        return build_id

    def prepare(
        self,
        costs: dict[str, float] | None = None,
        *,
        branch: str | None = "main",
        machine: str = "one",
        at: datetime | None = None,
        parent: str | None = None,
    ) -> UUID:
        """Make and measure a build."""
        with self.writing() as session:
            return self._prepared(session, costs, branch=branch, machine=machine, at=at, parent=parent)

    def _prepared(
        self,
        session: WriteSession,
        costs: dict[str, float] | None = None,
        *,
        branch: str | None = "main",
        machine: str = "one",
        at: datetime | None = None,
        parent: str | None = None,
    ) -> UUID:
        build_id = new_id()
        self.clock += timedelta(hours=1)
        build = Build(
            team_id=self.team.id,
            id=build_id,
            service_id=self.service_id,
            commit=f"{len(self.made) + 1:07x}" + "0" * 33,
            branch=branch,
            committed_at=at or self.clock,
            parent=parent,
            run_metadata={},
        )
        self.made.append(build_id)
        session.add(build)
        session.flush()
        build_measurements.set_history_position(session, build)
        self.measure(session, build_id, costs, machine=machine)
        return build_id

    def measure(
        self,
        session: WriteSession,
        build_id: UUID,
        costs: dict[str, float] | None = None,
        *,
        machine: str = "one",
        profiles: int = 3,
    ) -> None:
        """Write down measures of a build."""
        source = PendingBuildMeasurement("profile.cpu", (), (), f"1 {build_id} {profiles}", machine)
        made = [PackedMeasurement(each.kind, each.pack(), source) for each in self._measures(costs or {}, profiles)]
        build_measurements.record_measurements(session, BuildId(build_id), made)

    def judge(self, build_id: UUID) -> None:
        """Judge a build."""
        with self.writing() as session:
            build_evaluation.evaluate_build(session, session.get_one(Build, (self.team.id, build_id)), self.clock)

    def builds(self, count: int, costs: dict[str, float] | None = None, **fields: Any) -> list[UUID]:  # noqa: ANN401 - as above
        """Make, measure and judge many builds alike."""
        return [self.build(costs, **fields) for _ in range(count)]

    def history(self, count: int = 60) -> list[UUID]:
        """Create and measure default builds, and evaluate the last: the history of a service."""
        with self.writing() as session:
            made = [self._prepared(session) for _ in range(count)]
        self.judge(made[-1])
        return made

    def _measures(self, costs: dict[str, float], profiles: int) -> list[KindMeasurement]:
        true = {**COSTS, **costs}
        common = self.rng.normal(1, NOISE / 2)
        parts = {name: cost * common * self.rng.normal(1, NOISE) for name, cost in true.items()}
        store = parts["clone"] + parts["cloneBytes"] + parts["write"]
        handle = store + parts["decode"]
        functions = {
            "app.Handle": handle,
            "app.decode": parts["decode"],
            "app.Store": store,
            "app.clone": parts["clone"],
            "app.cloneBytes": parts["cloneBytes"],
            "app.write": parts["write"],
        }
        total = handle + parts["gc-mark"]
        stored = {name: value for name, value in functions.items() if value > 0}
        return [
            _measure("profile.category", {"app": handle, "gc-mark": parts["gc-mark"], "total": total}, profiles),
            _measure("profile.function", {**stored, "total": total}, profiles),
        ]

    def rows(self, table: type[Any]) -> list[Any]:
        """Return all rows of a table of the team, in the order in which they were made."""
        with self.database.reading(TeamScope(self.team.id, None)) as session:
            return list(session.scalars(select(table).order_by(table.created_at)).all())

    def regressions(self, *, confirmed: bool = True) -> list[Regression]:
        """Return the regressions (or candidates)."""
        return [row for row in self.rows(Regression) if row.confirmed == confirmed]

    def change_points(self) -> list[BuildChangePoint]:
        """Return the change points."""
        return self.rows(BuildChangePoint)

    def judgements(self) -> dict[UUID, BuildVerdict]:
        """Return what is known, by build."""
        return {row.build_id: row for row in self.rows(BuildVerdict)}

    def states(self) -> list[BuildVerdictState]:
        """Return what is known of each build, in the order in which they were made."""
        known = self.judgements()
        return [BuildVerdictState(known[build_id].state) for build_id in self.made]

    def jobs(self, name: str) -> list[dict[str, Any]]:
        """Return the payloads of the jobs of a name, in order."""
        return [row.payload for row in self.rows(JobRow) if row.name == name]


def _measure(kind: str, values: dict[str, float], profiles: int) -> KindMeasurement:
    numbers = np.array(list(values.values()))
    held = SubjectValues("us/request", numbers, numbers * NOISE / np.sqrt(profiles))
    names = tuple(values)
    if kind == "profile.category":
        costs = {f"/{name}": RouteCost(float(held.value[at]), float(held.error[at])) for at, name in enumerate(names)}
        return KindMeasurement(kind, profiles, names, {"per_request": held}, routes=costs)
    callers = tuple(CALLERS.get(name, ()) for name in names)
    return KindMeasurement(kind, profiles, names, {"per_request": held}, callers, tuple("app" for _ in names))
