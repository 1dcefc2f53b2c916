"""Asking again, in the middle of a long answer, whether whoever listens still may."""

import pytest
from starlette.requests import Request

from slowpath.accounts import service
from slowpath.accounts.access import still_may
from slowpath.accounts.rules.roles import Right, TokenScope
from slowpath.core.sessions import Scope
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.house import House

pytestmark = pytest.mark.database


def listening(house: House, **headers: str) -> Request:
    return Request(
        {
            "type": "http",
            "method": "GET",
            "path": "/api/v1/events",
            "query_string": b"",
            "path_params": {},
            "headers": [
                (name.encode(), value.encode()) for name, value in {"host": "127.0.0.1:8080", **headers}.items()
            ],
            "app": house.app,
        }
    )


def test_a_token_that_was_revoked_hears_no_more(house: House, team: SomeTeam, people: AccountsFactory) -> None:
    token = people.token(team, TokenScope.READ)
    request = listening(house, authorization=f"Bearer {token.secret}")
    assert still_may(request, Right.READ)
    with house.database.writing(Scope(team.id, team.owner.user_id)) as session:
        service.revoke_token(session, people.caller(team), token.id, now=house.clock.now())
    assert not still_may(request, Right.READ)


def test_a_session_that_was_ended_hears_no_more(house: House, team: SomeTeam) -> None:
    request = listening(house, cookie=f"slowpath={team.owner.cookie}")
    assert still_may(request, Right.READ)
    house.asked(cookie=team.owner.cookie).delete("/api/v1/session")
    assert not still_may(request, Right.READ)


def test_who_was_removed_from_the_team_hears_no_more(house: House, team: SomeTeam, people: AccountsFactory) -> None:
    member = people.member(team)
    request = listening(house, cookie=f"slowpath={member.cookie}")
    assert still_may(request, Right.READ)
    assert not still_may(request, Right.MANAGE)
    house.asked(cookie=team.owner.cookie).delete(f"/api/v1/teams/{team.id}/members/{member.user_id}")
    assert not still_may(request, Right.READ)
