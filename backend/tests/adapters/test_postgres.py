"""Sessions on a real PostgreSQL."""

import pytest
from sqlalchemy import Engine, text

from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import TeamId, new_id
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database

COUNT_TEAMS = text("SELECT count(*) FROM team")


def test_a_read_session_sees_one_snapshot(migrated: TestDatabase, engine: Engine) -> None:
    """A row that is deleted between two queries of a session is found by both, or by none."""
    migrated.empty()
    team_id = TeamId(new_id())
    with migrated.as_admin() as admin:
        admin.execute("INSERT INTO team (id, name, slug) VALUES (%s, 'Payments', 'payments')", (team_id,))
        with Database(engine).reading(TeamScope(team_id)) as session:
            assert session.scalar(COUNT_TEAMS) == 1
            admin.execute("DELETE FROM team")
            assert session.scalar(COUNT_TEAMS) == 1
        with Database(engine).reading(TeamScope(team_id)) as session:
            assert session.scalar(COUNT_TEAMS) == 0
    migrated.empty()
