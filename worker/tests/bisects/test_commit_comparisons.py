"""Pull requests are measured against their merge base by a runner, where the service allows it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np
import pytest

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BisectId, JobId, RepositoryId, ServiceId, new_id
from slowpath.inventory.catalog.service import catalog_entries
from slowpath.inventory.repositories.rules.pull_requests import PullRequestFacts
from slowpath.inventory.repositories.service import pull_requests
from slowpath.inventory.repositories.tables import Repository, ServiceRepository
from slowpath.inventory.webhooks.jobs import PullRequestChanged
from slowpath.sharing.notifications.service import notification_content
from slowpath.sharing.notifications.wording import comment, status
from slowpath.verdicts.bisects.rules.commit_comparisons import find_free_time
from slowpath.verdicts.bisects.service import commit_comparisons, pair_steps
from tests.bisects.conftest import Search, sha

pytestmark = pytest.mark.database

BASE, HEAD = sha(1), sha(2)
Measure = Callable[[dict[str, Any]], float | None]


@dataclass
class Service:
    """A service with a linked repository whose pull requests are measured."""

    search: Search
    id: ServiceId
    repository_id: RepositoryId

    def allow(self, code: int = 200, **rules: Any) -> dict[str, Any]:  # noqa: ANN401 - members of a body
        """Turn the measurement on."""
        path = f"/api/v1/services/{self.id}/pull-request-rules"
        response = self.search.person.put(path, json={"enabled": True, **rules})
        assert response.status_code == code, response.text
        found: dict[str, Any] = response.json()
        return found

    def push(self, head: str = HEAD, *, number: int = 7, base: str = "main", is_open: bool = True) -> str | None:
        """Do what the job of a delivery does; return the commit comparison that it starts, with its merge base found."""
        with self.search.bench.worker_context.database.writing(self.search.scope) as session:
            self.report(session, head, number=number, base=base, is_open=is_open)
            row = commit_comparisons.update_pull_request(
                session, self.id, self.repository_id, number, now=self.search.now()
            )
            if row is None:
                return None
            session.flush()
            self.search.bisect_id = BisectId(row.id)
        self.begin()
        return str(self.search.bisect_id)

    def report(
        self, session: WriteSession, head: str = HEAD, *, number: int = 7, base: str = "main", is_open: bool = True
    ) -> None:
        """Record what a delivery reports."""
        facts = PullRequestFacts(number, "https://x.test/7", head, BASE).with_branches("feature", base, is_open=is_open)
        pull_requests.record_pull_request(session, self.repository_id, facts, self.search.now())

    def begin(self, *, is_equal: bool = False) -> None:
        """Do what the job does that finds the merge base."""
        with self.search.bench.worker_context.database.writing(self.search.scope) as session:
            pair_steps.begin_pairs(session, self.search.bisect_id, BASE, is_equal=is_equal, now=self.search.now())
        self.search.work()

    def detail(self) -> dict[str, Any]:
        """Return the commit comparison as its page has it."""
        response = self.search.person.get(f"/api/v1/commit-comparisons/{self.search.bisect_id}")
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def run(self, measure: Measure, turns: int = 400) -> dict[str, Any]:
        """Go on until it has ended."""
        for _ in range(turns):
            self.search.runner.turn(measure)
            self.search.work()
            if self.detail()["finished_at"] is not None and not self.search.runner.running:
                break
        return self.detail()

    def carry_out(self, name: str) -> int:
        """Run the waiting jobs of a name; return their number."""
        bench = self.search.bench
        statement = f"SELECT id FROM job WHERE name = '{name}' AND state = 'waiting' ORDER BY created_at"
        jobs = bench.admin.execute(statement).fetchall()
        assert [bench.carry_out(JobId(job_id))["state"] for (job_id,) in jobs] == ["done"] * len(jobs)
        return len(jobs)

    def announced(self) -> Any:  # noqa: ANN401 - content or None
        """Return what is sent to the code host."""
        with self.search.bench.worker_context.database.reading(self.search.scope) as session:
            return notification_content.compose_ended(session, self.search.bisect_id, "https://slowpath.example")


@pytest.fixture
def service(search: Search) -> Service:
    with search.bench.worker_context.database.writing(search.scope) as session:
        row = catalog_entries.ensure_service(session, "checkout")
        repository = Repository(
            team_id=session.team_id, id=new_id(), label="mono", kind="other", url="https://git.example.com/mono.git",
            credentials="none", branch_heads={"main": BASE}, default_branch="main",
        )  # fmt: skip
        session.add(repository)
        session.flush()
        source = {"repository_id": RepositoryId(repository.id), "directory": "", "main_package": ""}
        session.add(ServiceRepository(team_id=session.team_id, id=new_id(), service_id=row.id, **source))
        session.flush()
        return Service(search, ServiceId(row.id), RepositoryId(repository.id))


def costs(factor: float, *, noise: float = 0.01, seed: int = 1) -> Measure:
    rng = np.random.default_rng(seed)

    def measure(lease: dict[str, Any]) -> float:
        return float((factor if lease["build"]["commit"] == HEAD else 1.0) * np.exp(noise * rng.standard_normal()))

    return measure


def test_it_is_off_by_default(service: Service) -> None:
    rules = service.search.person.get(f"/api/v1/services/{service.id}/pull-request-rules").json()
    assert rules["enabled"] is False
    assert service.push() is None


@pytest.mark.processes
def test_a_slower_head_fails_with_one_comment(service: Service) -> None:
    service.allow()
    service.push()
    found = service.run(costs(1.3))
    assert (found["verdict"], found["state"]) == ("slower", "found"), found
    assert found["ratio"] == pytest.approx(1.3, rel=0.05)
    assert found["low"] > 1.2
    taken = found["measurements"]
    assert [one["pair"] for one in taken] == sorted([*range(1, 14), *range(1, 14)])
    assert all({taken[2 * at]["is_candidate"], taken[2 * at + 1]["is_candidate"]} == {True, False} for at in range(13))
    assert len({taken[2 * at]["is_candidate"] for at in range(13)}) == 2, "the order within the pairs is random"
    content = service.announced()
    sent = status(content)
    assert (sent["state"], sent["context"]) == ("failure", "slowpath/checkout/measured")
    assert sent["description"].startswith("Slower: ×1.")
    assert content.is_announced
    assert content.thread() == "checkout#7:measured"
    assert "Slower" in comment(content)
    assert service.search.person.get("/api/v1/bisects").json()["items"] == []
    [listed] = service.search.person.get("/api/v1/commit-comparisons").json()["items"]
    assert listed["pull_request"]["number"] == 7


@pytest.mark.processes
def test_an_equal_head_passes_without_a_comment(service: Service) -> None:
    service.allow()
    service.push()
    found = service.run(costs(1.0))
    assert found["verdict"] == "not-slower"
    assert found["sentence"].startswith("No increase larger than 5%: ×")
    content = service.announced()
    assert status(content)["state"] == "success"
    assert not content.is_announced


def test_a_commit_has_a_pending_status_while_it_is_measured(service: Service) -> None:
    service.allow()
    service.push()
    content = service.announced()
    assert (status(content)["state"], content.is_status_only, content.is_announced) == ("pending", True, False)
    assert status(content)["description"] == "A runner measures it alternately with its merge base with main."
    [job] = service.search.bench.admin.execute("SELECT name FROM job WHERE name = 'bisects.notify-started'").fetchall()
    assert job
    events = service.search.person.get("/api/v1/events").json()["items"]
    assert events == [], "it is no event"


def test_measurements_are_listed_by_pull_request_and_commit(service: Service) -> None:
    service.allow()
    ids = [service.push(), service.push(sha(3)), service.push(sha(4), number=8)]

    def listed(**query: Any) -> list[Any]:  # noqa: ANN401 - parameters of a query
        found = service.search.person.get("/api/v1/commit-comparisons", params=query).json()
        return [one["id"] for one in found["items"]]

    assert listed() == ids[::-1]
    assert listed(pull_request=7) == [ids[1], ids[0]]
    assert listed(candidate=HEAD) == [ids[0]]
    assert listed(candidate="0" * 39) == ids[::-1]
    assert service.search.person.get("/api/v1/commit-comparisons", params={"candidate": "%"}).status_code == 422


def test_equal_builds_pass_without_a_deployment(service: Service) -> None:
    service.allow()
    with service.search.bench.worker_context.database.writing(service.search.scope) as session:
        service.report(session)
        row = commit_comparisons.update_pull_request(
            session, service.id, service.repository_id, 7, now=service.search.now()
        )
        assert row is not None
        service.search.bisect_id = BisectId(row.id)
    service.begin(is_equal=True)
    found = service.detail()
    assert (found["verdict"], found["sentence"]) == (
        "not-slower", "Not measured: both commits build from the same inputs.",
    )  # fmt: skip
    assert service.search.runner.lease() == []


def test_a_newer_push_cancels_the_measurement_of_the_former_head(service: Service) -> None:
    service.allow()
    first = service.push()
    [lease] = service.search.runner.lease()
    assert service.push() is None, "each head is measured once"
    second = service.push(sha(3))
    assert second not in {None, first}
    former = service.search.person.get(f"/api/v1/commit-comparisons/{first}").json()
    assert former["state"] == "cancelled"
    assert service.search.runner.beat(lease["run_id"])["command"] == "stop"
    service.search.runner.end(lease["run_id"])
    assert service.push(sha(3), is_open=False) is None
    assert service.detail()["state"] == "cancelled", "a closed pull request is not measured"
    assert status(service.announced())["state"] == "success", "a pending status is not left"


def test_only_pull_requests_to_the_chosen_branches_are_measured(service: Service) -> None:
    service.allow()
    assert service.push(base="release") is None
    service.allow(base_branches=["release"])
    assert service.push(base="release") is not None


def test_the_job_of_a_delivery_starts_it(service: Service) -> None:
    service.allow()
    bench = service.search.bench
    with bench.worker_context.database.writing(service.search.scope) as session:
        service.report(session)
    job = PullRequestChanged(service.id, service.repository_id, 7)
    assert bench.carry_out(bench.write_down(job))["state"] == "done"
    [listed] = service.search.person.get("/api/v1/commit-comparisons").json()["items"]
    assert (listed["state"], listed["candidate_sha"]) == ("planned", HEAD)


def test_open_pull_requests_are_measured_when_the_rules_are_turned_on(service: Service) -> None:
    for number, head in ((7, HEAD), (8, sha(3)), (9, sha(4))):
        assert service.push(head, number=number) is None
    assert service.push(sha(4), number=9, is_open=False) is None
    assert service.push(sha(5), number=8) is None
    service.allow()
    service.allow(minutes_per_day=60)
    assert service.carry_out("bisects.measure-open-pull-requests") == 1, "the repository has no code host with an API"
    assert service.carry_out("webhooks.pull-request-changed") == 2, "once, of what is open"
    listed = service.search.person.get("/api/v1/commit-comparisons").json()["items"]
    assert {(one["pull_request"]["number"], one["candidate_sha"]) for one in listed} == {(7, HEAD), (8, sha(5))}


def test_the_minutes_of_a_day_are_a_limit(service: Service) -> None:
    service.allow(minutes_per_day=1)
    service.push()
    service.search.runner.turn(costs(1.0))
    statement = "UPDATE probe SET leased_at = leased_at - interval '2 minutes' WHERE leased_at IS NOT NULL"
    service.search.bench.admin.execute(statement)
    found = service.run(costs(1.0))
    assert found["verdict"] == "inconclusive"
    assert len(found["measurements"]) == 2, "a begun pair is completed"
    assert found["sentence"].endswith("The time is used up.")
    assert service.push(sha(3)) is None, "the budget of the day is used up"
    listed = service.search.person.get("/api/v1/commit-comparisons").json()["items"]
    [refused] = [one for one in listed if one["candidate_sha"] == sha(3)]
    service.search.bisect_id = BisectId(UUID(refused["id"]))
    assert (service.detail()["state"], service.detail()["measurements"]) == ("cancelled", [])
    assert "limit of 1 minute of deployments" in status(service.announced())["description"]
    assert status(service.announced())["state"] == "success", "it is not slower"
    service.begin()
    assert service.detail()["state"] == "cancelled", "nothing of it is deployed"
    assert service.push(sha(3)) is None
    assert len(service.search.person.get("/api/v1/commit-comparisons").json()["items"]) == 2, "it is refused once"
    statement = "SELECT extract(epoch FROM due_at - clock_timestamp())::float FROM job WHERE name = 'bisects.measure-refused-pull-request'"
    [(wait,)] = service.search.bench.admin.execute(statement).fetchall()
    assert 23.9 * 3600 < wait < 24 * 3600, "when the deployment that used the minutes is a day old"
    service.search.bench.admin.execute("UPDATE probe SET leased_at = leased_at - interval '1 day'")
    service.search.bench.admin.execute(
        "UPDATE job SET due_at = now(), not_before = now() WHERE name = 'bisects.measure-refused-pull-request'"
    )
    assert service.carry_out("bisects.measure-refused-pull-request") == 1
    listed = service.search.person.get("/api/v1/commit-comparisons").json()["items"]
    assert (listed[0]["candidate_sha"], listed[0]["state"]) == (sha(3), "planned"), "without a new message"


def test_minutes_are_free_when_enough_deployments_are_a_day_old() -> None:
    now = datetime(2026, 11, 28, 12, tzinfo=UTC)
    spans = [(now - timedelta(hours=one), now - timedelta(hours=one) + timedelta(minutes=5)) for one in (2, 9, 23)]
    assert find_free_time(spans, 15 * 60, now) == now + timedelta(hours=1)
    assert find_free_time(spans, 10 * 60, now) == now + timedelta(hours=15)
    assert find_free_time(spans, 16 * 60, now) == now


def test_open_pull_requests_are_measured_on_demand_where_they_are_measured(service: Service) -> None:
    path = f"/api/v1/services/{service.id}/pull-request-rules/measure-open"
    refused = service.search.person.post(path)
    assert refused.status_code == 422
    assert "Turn the measurement" in refused.json()["resolution"]
    service.allow()
    service.carry_out("bisects.measure-open-pull-requests")
    for _ in range(2):
        assert service.search.person.post(path).status_code == 204
    assert service.carry_out("bisects.measure-open-pull-requests") == 1


def test_a_head_that_does_not_build_ends_it(service: Service) -> None:
    service.allow()
    service.push()
    found = service.run(lambda lease: None if lease["build"]["commit"] == HEAD else 1.0)
    assert (found["state"], found["verdict"]) == ("failed", None)
    assert "The head cannot be built" in found["sentence"]
    assert status(service.announced())["state"] == "success", "it is not slower"


def test_a_pair_is_measured_by_one_runner(service: Service) -> None:
    service.allow()
    service.push()
    service.search.runner.turn(costs(1.0))
    for _ in range(3):
        service.search.runner.turn(costs(1.0))
        service.search.work()
        if len(service.detail()["measurements"]) == 2:
            break
    other = type(service.search.runner)(service.search.runner.client, name="other", instance="two")
    other.come()
    assert other.lease() == [], "the other side was measured elsewhere"
    assert len(service.search.runner.lease()) == 1


def test_two_commits_are_measured_on_request_and_cancelled(service: Service) -> None:
    body = {"service_id": str(service.id), "base_sha": BASE, "candidate_sha": HEAD}
    made = service.search.person.post("/api/v1/commit-comparisons", json=body)
    assert made.status_code == 201, made.text
    service.search.bisect_id = BisectId(made.json()["id"])
    service.begin()
    assert service.detail()["state"] == "searching"
    cancelled = service.search.person.post(f"/api/v1/commit-comparisons/{service.search.bisect_id}/cancel")
    assert cancelled.json()["state"] == "cancelled"
    assert service.announced() is None
    same = service.search.person.post("/api/v1/commit-comparisons", json={**body, "base_sha": HEAD})
    assert same.status_code == 422


def test_only_admins_set_the_rules(service: Service) -> None:
    path = f"/api/v1/services/{service.id}/pull-request-rules"
    for wrong in ({"minutes_per_day": 0}, {"base_branches": ["a b"]}, {"unknown": 1}, {"smallest_change": 0}):
        service.allow(422, **wrong)
    assert service.search.runner.client.put(path, json={"enabled": True}).status_code == 403


@pytest.mark.processes
def test_the_files_of_both_sides_are_compared_and_their_headline_is_the_cause(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(type(service.search).work.__globals__, "STEPS", ("bisects.advance",))
    service.allow()
    service.push()
    runner, measure = service.search.runner, costs(1.3)
    for _ in range(200):
        runner.lease()
        for run_id, lease in list(runner.running.items()):
            if runner.beat(run_id)["command"] == "stop":
                runner.end(run_id)
            elif runner.taken.get(run_id, 0) == 0:
                sent = runner.client.put(
                    "/api/v1/artifacts/some.txt", content=run_id.encode(), params={"batch": run_id}
                )
                runner.measure(run_id, value=measure(lease), artifact_ids=[sent.json()["id"]])
        service.search.work()
        if service.detail()["finished_at"] is not None:
            break
    found = service.detail()
    assert found["verdict"] == "slower"
    compared = service.search.person.get(f"/api/v1/comparisons/{found['comparison_id']}").json()
    assert {compared[side]["artifacts"] for side in ("base", "candidate")} == {13}
    bench, scope = service.search.bench, service.search.scope
    with bench.worker_context.database.reading(scope) as session:
        now = service.search.now()
        bisect_id = service.search.bisect_id
        assert commit_comparisons.waits_for_cause(session, bisect_id, now)
        assert not commit_comparisons.waits_for_cause(session, bisect_id, now + timedelta(hours=1))
    bench.admin.execute("UPDATE comparison SET state = 'done', headline = 'json.Marshal takes more time.'")
    content = service.announced()
    assert "json.Marshal takes more time." in comment(content)
    assert f"/comparisons/{found['comparison_id']}" in comment(content)
