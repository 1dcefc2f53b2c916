"""Events of regressions and builds become notifications: one per channel, however often the event is delivered."""

from typing import Any
from uuid import UUID

import pytest

from slowpath.adapters.egress import create_outside
from slowpath.core.db_sessions import TeamScope
from slowpath.core.encryption import create_sealer
from slowpath.core.ids import BuildId, JobId, RegressionId, new_id
from slowpath.core.jobs import Job
from slowpath.inventory.catalog.tables import Build
from slowpath.sharing.notifications.rules import ChannelKind, ChannelTarget, NotificationEvent
from slowpath.sharing.notifications.service import channels
from slowpath.verdicts.regressions.jobs import BuildEvaluated, RegressionChanged, RegressionOpened
from slowpath.verdicts.regressions.tables import BuildVerdict, Regression
from tests.jobs.conftest import Bench

pytestmark = pytest.mark.database

COMMIT = "5f3c1e8" + "0" * 33
ALL = (NotificationEvent.OPENED, NotificationEvent.CHANGED, NotificationEvent.JUDGED)


class Team:
    """A team with a service, a build, a regression of it, and two channels: one of everything, one of another service."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        with self._writing() as session:
            asked = session.connection().exec_driver_sql
            self.service_id, self.other_id, self.build_id, self.regression_id = (new_id() for _ in range(4))
            for service_id, slug in ((self.service_id, "shop"), (self.other_id, "other")):
                asked(
                    "INSERT INTO service (team_id, id, slug, name, description) VALUES (%s, %s, %s, %s, '')",
                    (bench.team.id, service_id, slug, slug),
                )
            session.add(
                Build(
                    team_id=session.team_id,
                    id=self.build_id,
                    service_id=self.service_id,
                    commit=COMMIT,
                    branch="topic",
                    pull_request={"number": 12, "url": "https://code.example/12"},
                )
            )
            session.flush()
            session.add(self._regression())
            session.add(
                BuildVerdict(
                    team_id=session.team_id,
                    id=new_id(),
                    build_id=self.build_id,
                    service_id=self.service_id,
                    branch="topic",
                    ordered_at=bench.admin.execute("SELECT now()").fetchone()[0],  # type: ignore[index]  # one row
                    state="evaluating",
                    sentence="It is being investigated.",
                )
            )
        self.everything = self.add_channel("everything", None)
        self.elsewhere = self.add_channel("elsewhere", [str(self.other_id)])

    def _writing(self) -> Any:  # noqa: ANN401 - a session's context
        return self.bench.worker_context.database.writing(TeamScope(self.bench.team.id, self.bench.team.owner.user_id))

    def _regression(self) -> Regression:
        return Regression(
            team_id=self.bench.team.id,
            id=self.regression_id,
            number=3,
            service_id=self.service_id,
            branch="topic",
            state="new",
            confirmed=True,
            title="Clone takes more time: +15 %",
            sentence="Clone takes more time.",
            kind="profile.function",
            subject="Clone",
            unit="share",
            direction="worse",
            ratio=1.15,
            since_build_id=self.build_id,
            since_commit=COMMIT,
        )

    def add_channel(self, label: str, service_ids: list[str] | None, kind: ChannelKind = ChannelKind.WEBHOOK) -> UUID:
        settings = self.bench.worker_context.settings
        with self._writing() as session:
            added = channels.create_channel(
                session,
                create_sealer(settings),
                create_outside(settings),
                ChannelTarget(kind, "https://receiver.example"),
                label=label,
                events=ALL,
                service_ids=service_ids,
                mail_is_sent=False,
            )
            return added.channel.id

    def change(self, table: str, what: str) -> None:
        self.bench.admin.execute(f"UPDATE {table} SET {what}".encode())

    def does(self, job: Job) -> JobId:
        job_id = self.bench.write_down(job)
        assert self.bench.carry_out(job_id)["state"] == "done"
        return job_id

    def enqueued_notifications(self) -> list[tuple[UUID, dict[str, Any]]]:
        found = self.bench.admin.execute("SELECT channel_id, content FROM notification ORDER BY created_at").fetchall()
        return [(channel_id, content) for channel_id, content in found]


@pytest.fixture
def notifying_team(bench: Bench) -> Team:
    return Team(bench)


def test_a_confirmed_regression_is_sent_once_per_channel(notifying_team: Team) -> None:
    for _ in range(2):
        notifying_team.does(RegressionOpened(RegressionId(notifying_team.regression_id)))
    ((channel_id, content),) = notifying_team.enqueued_notifications()
    assert channel_id == notifying_team.everything
    assert content["regressions"][0]["service"] == "shop"
    assert content["url"].endswith(f"/regressions/{notifying_team.regression_id}")


def test_a_dismissed_regression_is_not_sent(notifying_team: Team) -> None:
    notifying_team.change("regression", "state = 'not-a-regression'")
    notifying_team.does(RegressionOpened(RegressionId(notifying_team.regression_id)))
    assert notifying_team.enqueued_notifications() == []


def test_each_state_change_is_sent_and_a_note_is_not(notifying_team: Team) -> None:
    regression_id = RegressionId(notifying_team.regression_id)
    notifying_team.does(RegressionChanged(regression_id, "note"))
    notifying_team.change("regression", "state = 'fixed'")
    job_id = notifying_team.does(RegressionChanged(regression_id, "fixed"))
    notifying_team.does(RegressionChanged(regression_id, "reopened"))
    notifying_team.change("regression", "state = 'fixed'")
    notifying_team.does(RegressionChanged(regression_id, "fixed"))
    notifying_team.bench.change(job_id, "state = 'waiting'")  # the first is carried out once more
    notifying_team.bench.carry_out(job_id)
    assert [content["what"] for _, content in notifying_team.enqueued_notifications()] == ["fixed", "reopened", "fixed"]


def test_a_verdict_is_sent_when_it_is_reached_and_again_when_it_changes(notifying_team: Team) -> None:
    build_id = BuildId(notifying_team.build_id)
    notifying_team.does(BuildEvaluated(build_id))
    assert notifying_team.enqueued_notifications() == []
    notifying_team.change("build_verdict", "state = 'passed', sentence = 'Nothing changed.'")
    for _ in range(2):
        notifying_team.does(BuildEvaluated(build_id))
    notifying_team.change(
        "build_verdict", f"state = 'changed', regression_ids = '[\"{notifying_team.regression_id}\"]'"
    )
    notifying_team.does(BuildEvaluated(build_id))
    (_, first), (_, second) = notifying_team.enqueued_notifications()
    assert (first["build"]["verdict"], first["regressions"]) == ("passed", [])
    assert (second["build"]["verdict"], second["regressions"][0]["number"]) == ("changed", 3)
    assert second["build"]["pull_request"] == 12


def test_people_are_notified_of_a_verdict_once_whatever_its_figures(notifying_team: Team) -> None:
    build_id = BuildId(notifying_team.build_id)
    people = notifying_team.add_channel("people", None, ChannelKind.SLACK)
    notifying_team.change("build_verdict", f"regression_ids = '[\"{notifying_team.regression_id}\"]'")
    for state, sentence in (("changed", "+166%"), ("changed", "+160%"), ("inconclusive", "Send more.")):
        notifying_team.change("build_verdict", f"state = '{state}', sentence = '{sentence}'")
        notifying_team.does(BuildEvaluated(build_id))
    sent = [
        (channel_id == people, content["build"]["sentence"])
        for channel_id, content in notifying_team.enqueued_notifications()
    ]
    assert [sentence for is_personal, sentence in sent if not is_personal] == ["+166%", "+160%", "Send more."]
    assert [sentence for is_personal, sentence in sent if is_personal] == ["+166%", "Send more."]
