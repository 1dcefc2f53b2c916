"""A worker context over a real database and fakes, and jobs to run in it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID

import psycopg
import pytest

from slowpath.core.db_sessions import TeamScope
from slowpath.core.ids import JobId, new_id
from slowpath.core.jobs import Job, Queue, enqueue
from slowpath.core.settings import Settings
from slowpath_worker.job_context import JobContext, WorkerContext
from slowpath_worker.job_execution import run_job
from slowpath_worker.job_handlers import HANDLERS, JobHandler, RecordFailure
from tests.conftest import (  # noqa: F401 - pytest finds fixtures by name
    app,
    emptied,
    engine,
    migrated,
    people,
    team,
)
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest, settings_for
from tests.support.databases import TestDatabase
from tests.support.worker_contexts import make_worker_context, with_settings

LEASE_SECONDS = 1.0


@dataclass(frozen=True)
class Errand(Job):
    """A job of the tests."""

    name: ClassVar[str] = "tests.errand"
    queue: ClassVar[Queue] = Queue.ANALYSE
    subject_kind: ClassVar[str] = "errand"
    max_attempts: ClassVar[int] = 3

    errand_id: UUID
    note: str = ""


@dataclass(frozen=True)
class Bench:
    """Enqueues jobs, runs them, and reads their rows."""

    worker_context: WorkerContext
    team: SomeTeam
    admin: psycopg.Connection

    def with_settings(self, settings: Settings) -> "Bench":
        """Return a bench with other settings, and with the adapters made from them."""
        return replace(self, worker_context=with_settings(self.worker_context, settings))

    def write_down(self, job: Job | None = None) -> JobId:
        """Enqueue a job."""
        with self.worker_context.database.writing(TeamScope(self.team.id, self.team.owner.user_id)) as session:
            return enqueue(session, job or Errand(new_id()))

    def carry_out(self, job_id: JobId) -> dict[str, Any]:
        """Run a job as a message would, and return its row."""
        run_job(self.worker_context, job_id)
        return self.row(job_id)

    def row(self, job_id: JobId) -> dict[str, Any]:
        """Return the row of a job."""
        cursor = self.admin.execute(
            "SELECT *, not_before > clock_timestamp() AS later FROM job WHERE id = %s", (job_id,)
        )
        found = cursor.fetchone()
        assert found is not None
        assert cursor.description is not None
        return dict(zip((column.name for column in cursor.description), found, strict=True))

    def change(self, job_id: JobId, what: str) -> None:
        """Change a row behind everybody's back."""
        self.admin.execute(f"UPDATE job SET {what} WHERE id = %s".encode(), (job_id,))


@pytest.fixture
def bench(app: AppUnderTest, team: SomeTeam, emptied: TestDatabase, tmp_path: Path) -> Iterator[Bench]:  # noqa: F811
    settings = settings_for(emptied.app_url, lease_seconds=LEASE_SECONDS)
    with emptied.as_admin() as admin:
        yield Bench(
            make_worker_context(settings, app.database, app.recorded_blobs, tmp_path),
            team,
            admin,
        )


HandleErrand = Callable[[Callable[[Any, JobContext], None], RecordFailure | None], None]


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> HandleErrand:
    """Say how errands are carried out."""

    def say(run: Callable[[Any, JobContext], None], ended_badly: RecordFailure | None = None) -> None:
        monkeypatch.setitem(HANDLERS, Errand.name, JobHandler(Errand, run, ended_badly))

    return say
