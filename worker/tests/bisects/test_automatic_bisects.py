"""A confirmed regression starts a bisect by itself where its service allows it."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from slowpath.core.ids import BisectId, RegressionId, RepositoryId, ServiceId, new_id
from slowpath.inventory.catalog.queries.catalog_entries import BuildIdentity
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.repositories.rules import CommitMetadata
from slowpath.inventory.repositories.service import commit_graph
from slowpath.inventory.repositories.tables import Repository, ServiceRepository
from slowpath.verdicts.bisects.service import automatic_bisects, bisect_monitor, search_planner
from slowpath.verdicts.regressions.jobs import RegressionOpened
from slowpath.verdicts.regressions.tables import Regression
from tests.bisects.conftest import Search, plan_of, sha, slower_from
from tests.factories.accounts import AccountsFactory

pytestmark = pytest.mark.database

MONDAY = datetime(2026, 11, 23, 10, 0, tzinfo=UTC)
HOURS = {"days": ["mon", "tue", "wed", "thu", "fri"], "from": "08:00", "to": "18:00", "zone": "UTC"}


@dataclass
class Service:
    """A service with a linked repository, and its regressions."""

    search: Search
    id: ServiceId
    regressions: int = 0

    def allow(self, **rules: Any) -> dict[str, Any]:  # noqa: ANN401 - members of a body
        """Turn automatic bisects on."""
        path = f"/api/v1/services/{self.id}/automatic-bisects"
        response = self.search.person.put(path, json={"enabled": True, "needs_approval": False, **rules})
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def regress(self) -> RegressionId:
        """Confirm a regression of the range 0..8."""
        self.regressions += 1
        with self.search.bench.worker_context.database.writing(self.search.scope) as session:
            row = Regression(
                team_id=session.team_id, id=new_id(), number=self.regressions, service_id=self.id, branch="main", state="new",
                confirmed=True, title="It got slower", sentence="It got slower", kind="profile.category",
                subject="stack-growth", unit="share", direction="worse", before=0.1, after=0.5, ratio=5.0, ratio_low=4.0,
                ratio_high=6.0, good_commit=sha(0), last_commit=sha(8), since_commit=sha(8), related_series=[],
            )  # fmt: skip
            session.add(row)
            session.flush()
            return RegressionId(row.id)

    def start(self, regression_id: RegressionId, now: datetime = MONDAY) -> BisectId | None:
        """Do what the job does."""
        with self.search.bench.worker_context.database.writing(self.search.scope) as session:
            row = automatic_bisects.start_automatic_bisect(session, regression_id, now=now)
            return None if row is None else BisectId(row.id)

    def plan(self, bisect_id: BisectId) -> None:
        """Find eight candidates."""
        self.search.bisect_id = bisect_id
        with self.search.bench.worker_context.database.writing(self.search.scope) as session:
            search_planner.record_plan(session, bisect_id, plan_of(8), self.search.now())
        self.search.work()

    def obstacle(self, regression_id: RegressionId, at: datetime = MONDAY) -> str | None:
        """Return the key of why there is no bisect, or why it waits."""
        with self.search.bench.worker_context.database.reading(self.search.scope) as session:
            _, found = automatic_bisects.explain_start(session, regression_id, now=at)
        return None if found is None else found.key

    def waiting_starts(self) -> int:
        """Count the starts that are considered again later."""
        statement = "SELECT count(*) FROM job WHERE name = 'bisects.start-automatic' AND state = 'waiting'"
        row = self.search.bench.admin.execute(statement).fetchone()
        assert row is not None
        return int(row[0])


@pytest.fixture
def service(search: Search) -> Service:
    with search.bench.worker_context.database.writing(search.scope) as session:
        row = catalog_entries.ensure_service(session, "checkout")
        repository = Repository(
            team_id=session.team_id, id=new_id(), label="mono", kind="other", url="https://git.example.com/mono.git",
            credentials="none", branch_heads={},
        )  # fmt: skip
        session.add(repository)
        session.flush()
        session.add(
            ServiceRepository(
                team_id=session.team_id,
                id=new_id(),
                service_id=row.id,
                repository_id=repository.id,
                directory="",
                main_package="",
            )
        )
        session.flush()
        commits = [CommitMetadata(sha(0), ()), *(CommitMetadata(sha(one), (sha(one - 1),)) for one in range(1, 9))]
        commit_graph.record_commits(session, RepositoryId(repository.id), commits)
        return Service(search, ServiceId(row.id))


def detail(service: Service, bisect_id: UUID) -> dict[str, Any]:
    found: dict[str, Any] = service.search.person.get(f"/api/v1/bisects/{bisect_id}").json()
    return found


def test_it_is_off_by_default(service: Service) -> None:
    rules = service.search.person.get(f"/api/v1/services/{service.id}/automatic-bisects").json()
    assert rules["enabled"] is False
    assert service.start(service.regress()) is None
    assert service.waiting_starts() == 0


def test_a_confirmed_regression_starts_one_bisect_once(service: Service) -> None:
    service.allow()
    regression_id = service.regress()
    bench = service.search.bench
    assert bench.carry_out(bench.write_down(RegressionOpened(regression_id)))["state"] == "done"
    assert service.waiting_starts() == 1, "its notification considers the start"
    bisect_id = service.start(regression_id)
    assert bisect_id is not None
    assert service.start(regression_id) is None
    found = detail(service, bisect_id)
    assert (found["is_automatic"], found["created_by"], found["state"]) == (True, None, "planned")
    assert (found["good"]["sha"], found["bad"]["sha"]) == (sha(0), sha(8))
    assert found["events"][-1]["sentence"] == "Started automatically for a confirmed regression"


def test_one_started_by_a_user_is_enough(service: Service) -> None:
    service.allow()
    regression_id = service.regress()
    made = service.search.person.post("/api/v1/bisects", json={"regression_id": str(regression_id)})
    assert made.status_code == 201, made.text
    assert made.json()["is_automatic"] is False
    assert service.start(regression_id) is None


def test_outside_the_hours_it_waits(service: Service) -> None:
    service.allow(deployment_hours=HOURS)
    regression_id = service.regress()
    assert service.start(regression_id, MONDAY.replace(hour=19)) is None
    assert service.waiting_starts() == 1
    assert service.start(regression_id, MONDAY - timedelta(days=1)) is None, "on Sunday"
    bisect_id = service.start(regression_id, MONDAY)
    assert bisect_id is not None
    assert detail(service, bisect_id)["settings"]["deployment_hours"] == HOURS


def test_a_regression_states_why_it_has_no_bisect(service: Service) -> None:
    regression_id = service.regress()
    path = f"/api/v1/regressions/{regression_id}/automatic-bisect"
    shown = service.search.person.get(path).json()["obstacle"]
    assert (shown["key"], shown["sentence"]) == ("off", "Automatic bisects are off for this service.")
    service.allow(deployment_hours=HOURS)
    assert service.obstacle(regression_id, MONDAY.replace(hour=19)) == "hours"
    assert service.obstacle(regression_id) == "former"
    bench = service.search.bench
    bench.admin.execute("UPDATE regression SET good_commit = NULL")
    assert service.obstacle(regression_id) == "incomplete"
    assert service.start(regression_id) is None
    bench.admin.execute("UPDATE regression SET good_commit = %s", [sha(0)])
    service.search.runner.leave()
    bisect_id = service.start(regression_id)
    assert bisect_id is not None
    assert service.obstacle(regression_id, service.search.now()) == "runner"
    service.search.runner.come()
    assert service.obstacle(regression_id, service.search.now()) is None
    service.search.person.patch(f"/api/v1/regressions/{regression_id}", json={"state": "fixed"})
    assert service.search.person.get(path).json() == {"service_id": str(service.id), "obstacle": None}


def test_the_history_records_why_none_started_once_per_reason(service: Service) -> None:
    service.allow(deployment_hours=HOURS)
    regression_id = service.regress()
    path = f"/api/v1/regressions/{regression_id}/events"
    evening = MONDAY.replace(hour=19)
    for at in (evening, evening + timedelta(minutes=15), evening + timedelta(minutes=30)):
        assert service.start(regression_id, at) is None
    [recorded] = service.search.person.get(path).json()["items"]
    assert (recorded["kind"], recorded["details"]["to"], recorded["actor"]) == ("bisect-not-started", "hours", None)
    assert recorded["details"]["sentence"].startswith("Deployments are not allowed now")
    service.search.bench.admin.execute("UPDATE regression SET good_commit = NULL")
    assert service.start(regression_id) is None
    newest = service.search.person.get(path).json()["items"][0]["details"]
    assert newest["to"] == "incomplete"
    statement = "SELECT count(*) FROM job WHERE name = 'regressions.notify-changed'"
    assert service.search.bench.admin.execute(statement).fetchone() == (0,), "it sends no notification"


@pytest.mark.processes
def test_it_stays_within_the_deployments_of_a_day(service: Service) -> None:
    service.allow(deployments_per_day=3)
    bisect_id = service.start(service.regress(), service.search.now())
    assert bisect_id is not None
    service.plan(bisect_id)
    found = service.search.run(slower_from(4))
    assert found["state"] == "stopped", found["sentence"]
    assert found["cost"]["deployments"] <= 3
    second = service.regress()
    assert service.start(second, service.search.now()) is None
    assert service.obstacle(second, service.search.now()) == "budget"
    assert service.waiting_starts() == 1
    assert service.start(second, service.search.now() + timedelta(days=1, minutes=1)) is not None


def test_each_round_waits_for_approval(service: Service) -> None:
    service.allow(needs_approval=True)
    bisect_id = service.start(service.regress())
    assert bisect_id is not None
    service.plan(bisect_id)
    assert detail(service, bisect_id)["state"] == "waiting-approval"
    assert service.search.runner.lease() == []
    assert service.obstacle(RegressionId(UUID(detail(service, bisect_id)["regression"]["id"]))) == "approval"
    service.search.ask("actions", {"action": "approve"})
    assert len(service.search.runner.lease()) == 1


def test_a_fix_cancels_it(service: Service) -> None:
    service.allow()
    regression_id = service.regress()
    bisect_id = service.start(regression_id)
    assert bisect_id is not None
    service.plan(bisect_id)
    [lease] = service.search.runner.lease()
    update = {"state": "fixed"}
    closed = service.search.person.patch(f"/api/v1/regressions/{regression_id}", json=update)
    assert closed.status_code == 200, closed.text
    with service.search.bench.worker_context.database.writing(service.search.scope) as session:
        bisect_monitor.monitor_bisect(session, bisect_id, None, now=service.search.now())
    found = detail(service, bisect_id)
    assert found["state"] == "cancelled"
    assert service.search.runner.beat(lease["run_id"])["command"] == "stop"
    service.search.runner.end(lease["run_id"])
    assert service.start(regression_id) is None, "a closed regression starts nothing"


def test_one_of_a_user_is_not_cancelled_by_a_fix(service: Service) -> None:
    regression_id = service.regress()
    made = service.search.person.post("/api/v1/bisects", json={"regression_id": str(regression_id)}).json()
    bisect_id = BisectId(UUID(made["id"]))
    service.plan(bisect_id)
    service.search.person.patch(f"/api/v1/regressions/{regression_id}", json={"state": "ignored"})
    with service.search.bench.worker_context.database.writing(service.search.scope) as session:
        bisect_monitor.monitor_bisect(session, bisect_id, None, now=service.search.now())
    assert detail(service, bisect_id)["state"] == "searching"


def test_services_share_the_slots_of_a_runner(service: Service) -> None:
    """One service has many queued probes that are older; the other one still gets the second slot."""
    search = service.search
    search.begin(plan_of(10), slots=4)
    service.allow()
    bisect_id = service.start(service.regress())
    assert bisect_id is not None
    service.plan(bisect_id)
    search.runner.slots = 2
    search.runner.come()
    leases = [*search.runner.lease(), *search.runner.lease()]
    assert {one["service"]["name"] for one in leases} == {"ingester", "checkout"}


def test_what_would_fix_it_starts_from_a_regression_and_from_a_build(service: Service) -> None:
    person, regression_id = service.search.person, service.regress()
    with service.search.bench.worker_context.database.writing(service.search.scope) as session:
        identity = BuildIdentity(service.id, sha(8), "go1.26", "linux", "amd64", "")
        build, _ = catalog_entries.register_build(session, identity, {})
        build_id = build.id
    body = {"variants": ["GOGC=400"], "blocks": 3}
    for subject, builds in (({"regression_id": str(regression_id)}, 3), ({"build_id": str(build_id)}, 2)):
        made = person.post("/api/v1/experiments", json={**body, **subject})
        assert made.status_code == 201, made.text
        assert (made.json()["state"], made.json()["expected_runs"]) == ("running", 3 * builds)
        listed = person.get("/api/v1/experiments", params=subject).json()
        assert made.json()["id"] in [one["id"] for one in listed]
        service.search.work()
        statement = "SELECT build->>'commit' FROM probe WHERE bisect_id = %s"
        queued = service.search.bench.admin.execute(statement, [made.json()["id"]]).fetchall()
        assert len(queued) == builds, "the good build of the regression is measured, too"
        assert {one[0] for one in queued} == ({sha(0), sha(8)} if builds == 3 else {sha(8)})
    assert len(listed) == 2, "those of a commit are listed whatever they started from"
    for wrong in ({}, {"regression_id": str(regression_id), "build_id": str(build_id)}):
        assert person.post("/api/v1/experiments", json={**body, **wrong}).status_code == 422
        assert person.get("/api/v1/experiments", params=wrong).status_code == 422
    usual = made.json()["measure"]
    for subject in ({"regression_id": str(regression_id)}, {"build_id": str(build_id)}):
        criterion = {"kind": "custom", "subject": "rss-MB"}
        chosen = person.post("/api/v1/experiments", json={**body, **subject, "signature": criterion})
        assert chosen.json()["measure"] == "rss-MB" != usual
        unknown = {**criterion, "kind": "nothing"}
        assert person.post("/api/v1/experiments", json={**body, **subject, "signature": unknown}).status_code == 422
    reverted = person.post("/api/v1/experiments", json={**body, "variants": ["revert"], "build_id": str(build_id)})
    assert reverted.status_code == 422
    assert service.obstacle(regression_id) == "off", "an experiment is no bisect"


def test_only_admins_set_the_rules(service: Service, people: AccountsFactory) -> None:
    path = f"/api/v1/services/{service.id}/automatic-bisects"
    for body in ({"enabled": 1}, {"enabled": True, "deployments_per_day": 0}, {"enabled": True, "unknown": 1}):
        assert service.search.person.put(path, json=body).status_code == 422
    assert service.search.runner.client.put(path, json={"enabled": True}).status_code == 403
