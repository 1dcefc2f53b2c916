"""Rights are checked again during a long response."""

import pytest
from starlette.requests import Request

from slowpath.core.db_sessions import TeamScope
from slowpath.platform.accounts import service
from slowpath.platform.accounts.access import is_still_allowed
from slowpath.platform.accounts.rules.roles import Permission, TokenScope
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database


def listening(app: AppUnderTest, **headers: str) -> Request:
    return Request(
        {
            "type": "http",
            "method": "GET",
            "path": "/api/v1/updates",
            "query_string": b"",
            "path_params": {},
            "headers": [
                (name.encode(), value.encode()) for name, value in {"host": "127.0.0.1:8080", **headers}.items()
            ],
            "app": app.app,
        }
    )


def test_a_revoked_token_gets_no_more_events(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> None:
    token = people.token(team, TokenScope.READ)
    request = listening(app, authorization=f"Bearer {token.secret}")
    assert is_still_allowed(request, Permission.READ)
    with app.database.writing(TeamScope(team.id, team.owner.user_id)) as session:
        service.revoke_token(session, people.caller(team), token.id, now=app.clock.now())
    assert not is_still_allowed(request, Permission.READ)


def test_an_ended_session_gets_no_more_events(app: AppUnderTest, team: SomeTeam) -> None:
    request = listening(app, cookie=f"slowpath={team.owner.cookie}")
    assert is_still_allowed(request, Permission.READ)
    app.asked(cookie=team.owner.cookie).delete("/api/v1/session")
    assert not is_still_allowed(request, Permission.READ)


def test_a_removed_member_gets_no_more_events(app: AppUnderTest, team: SomeTeam, people: AccountsFactory) -> None:
    member = people.member(team)
    request = listening(app, cookie=f"slowpath={member.cookie}")
    assert is_still_allowed(request, Permission.READ)
    assert not is_still_allowed(request, Permission.MANAGE)
    app.asked(cookie=team.owner.cookie).delete(f"/api/v1/teams/{team.id}/members/{member.user_id}")
    assert not is_still_allowed(request, Permission.READ)
