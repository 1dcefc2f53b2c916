"""Every operation that changes something of a team is in its log, by whom and what.

The operations come from the app itself, so a new one is asked as soon as it exists.
"""

from collections.abc import Iterator

import psycopg
import pytest
from sqlalchemy import Engine

from slowpath.core.db_sessions import Database
from slowpath.platform.accounts.rules.roles import ROLE_FOR, Role
from tests.separation.test_tenant_isolation import SEEN_BY_LOOKING
from tests.support.app_under_test import built, settings_for
from tests.support.databases import TestDatabase
from tests.support.endpoints import Endpoint, all_endpoints
from tests.support.two_team_world import FullBlobStore, TwoTeamWorld, make_world

NOT_FOR_THE_LOG = {
    "uploads:put-part": "a part of a file; the file is in the log when it is whole",
    "uploads:create": "the same",
    "uploads:delete": "the same",
    "metrics:receive-remote-write": "samples come in by the second; what they are counts them",
    "otlp:metrics": "the same",
    "otlp:traces": "the same",
    "profile-sets:create": "opening profiles is reading: what a view is computed from stays as it is",
    "comparisons:create-assembly": "disassembling is reading: the executables stay as they are",
    "executables:create-assembly": "the same",
    "bisects:create-preflight": "checking a request is reading: nothing of the team changes",
    "probes:heartbeat": "a sign of life every few seconds; that a deploy was taken, measured and ended is in the log",
}
"""Changes that a log of who changed what leaves out, and why."""

BESIDE = {"audit_event", "audit_chain", "job", "idempotent_request"}
"""Tables that change because something else does."""


@pytest.fixture(scope="module")
def admin(migrated: TestDatabase) -> Iterator[psycopg.Connection]:
    with migrated.as_admin() as connection:
        yield connection


@pytest.fixture(scope="module")
def world(migrated: TestDatabase, engine: Engine, admin: psycopg.Connection) -> Iterator[TwoTeamWorld]:
    migrated.empty()
    made = make_world(built(Database(engine), settings_for(migrated.app_url), FullBlobStore()), admin)
    with made.stored.watched():
        yield made
    migrated.empty()


CHANGING = [each for each in all_endpoints() if each.method != "GET" and each.right in ROLE_FOR and not each.streams]


@pytest.mark.database
@pytest.mark.parametrize("endpoint", CHANGING, ids=lambda endpoint: endpoint.operation_id)
def test_changes_are_in_the_audit_log(world: TwoTeamWorld, endpoint: Endpoint) -> None:
    world.stored.restore()
    asked = endpoint.ask(world.browser(Role.OWNER), world.ids)
    found = world.stored.find_changes(world.team.id, but=SEEN_BY_LOOKING)
    changed, is_logged = found.keys() - BESIDE, found.get("audit_event", 0) > 0
    if asked.status < 300 and changed and not is_logged:
        assert endpoint.operation_id in NOT_FOR_THE_LOG, f"{changed} changed, and nothing was written down"
