"""The workshop over a real database and quiet twins, and errands to carry out in it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar
from uuid import UUID

import psycopg
import pytest

from slowpath.core.ids import JobId, new_id
from slowpath.core.jobs import Job, Queue, enqueue
from slowpath.core.sessions import Scope
from slowpath_worker.context import Context, Workshop
from slowpath_worker.registry import HANDLERS, BadEnd, Handler
from slowpath_worker.running import run_job
from tests.conftest import (  # noqa: F401 - pytest finds fixtures by name
    emptied,
    engine,
    house,
    migrated,
    people,
    team,
)
from tests.factories.accounts import SomeTeam
from tests.support.databases import TestDatabase
from tests.support.house import House, settings_for

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
    """A place to write down jobs, carry them out, and see what became of them."""

    workshop: Workshop
    team: SomeTeam
    admin: psycopg.Connection

    def write_down(self, job: Job | None = None) -> JobId:
        """Enqueue a job."""
        with self.workshop.database.writing(Scope(self.team.id, self.team.owner.user_id)) as session:
            return enqueue(session, job or Errand(new_id()))

    def carry_out(self, job_id: JobId) -> dict[str, Any]:
        """Run a job as a message would, and return its row."""
        run_job(self.workshop, job_id)
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
def bench(house: House, team: SomeTeam, emptied: TestDatabase, tmp_path: Path) -> Iterator[Bench]:  # noqa: F811
    settings = settings_for(emptied.app_url, lease_seconds=LEASE_SECONDS)
    with emptied.as_admin() as admin:
        yield Bench(Workshop(settings, house.database, house.blobs, tmp_path), team, admin)


HandleErrand = Callable[[Callable[[Any, Context], None], BadEnd | None], None]


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> HandleErrand:
    """Say how errands are carried out."""

    def say(run: Callable[[Any, Context], None], ended_badly: BadEnd | None = None) -> None:
        monkeypatch.setitem(HANDLERS, Errand.name, Handler(Errand, run, ended_badly))

    return say
