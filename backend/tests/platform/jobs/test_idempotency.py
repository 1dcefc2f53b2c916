"""A request that is repeated is done once, also when both come at the same moment."""

import threading
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import pytest

from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.errors import Conflict
from slowpath.platform.jobs import service
from slowpath.platform.jobs.errors import IdempotencyKeyReused
from tests.factories.accounts import SomeTeam
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database


@pytest.fixture
def database(app: AppUnderTest) -> Database:
    return app.database


def test_without_a_key_it_is_done_each_time(database: Database, team: SomeTeam) -> None:
    with database.writing(TeamScope(team.id)) as session:
        assert service.run_idempotent(session, "op", None, {}, uuid4) != service.run_idempotent(
            session, "op", None, {}, uuid4
        )


def test_a_key_is_of_one_operation_and_one_team(database: Database, team: SomeTeam) -> None:
    with database.writing(TeamScope(team.id)) as session:
        first = service.run_idempotent(session, "op", "k", {"a": 1}, uuid4)
        assert service.run_idempotent(session, "op", "k", {"a": 1}, uuid4) == first
        assert service.run_idempotent(session, "other", "k", {"a": 1}, uuid4) != first
        with pytest.raises(IdempotencyKeyReused):
            service.run_idempotent(session, "op", "k", {"a": 2}, uuid4)


def test_at_the_same_moment_one_does_it_and_the_other_waits_for_its_answer(database: Database, team: SomeTeam) -> None:
    made: list[UUID] = []
    both = threading.Barrier(4)

    def make() -> UUID:
        made.append(uuid4())
        return made[-1]

    def ask(_: int) -> UUID:
        both.wait(5)
        with database.writing(TeamScope(team.id)) as session:
            return service.run_idempotent(session, "op", "k", {}, make)

    with ThreadPoolExecutor(4) as pool:
        answers = set(pool.map(ask, range(4)))

    assert len(made) == 1
    assert answers == set(made)


def test_a_failed_request_releases_its_idempotency_key(database: Database, team: SomeTeam) -> None:
    def fail() -> UUID:
        raise Conflict("not now")

    with pytest.raises(Conflict), database.writing(TeamScope(team.id)) as session:
        service.run_idempotent(session, "op", "k", {}, fail)
    with database.writing(TeamScope(team.id)) as session:
        made = uuid4()
        assert service.run_idempotent(session, "op", "k", {}, lambda: made) == made
