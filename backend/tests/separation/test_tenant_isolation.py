"""Every endpoint and each kind of caller: no caller sees or changes what belongs to another team.

The endpoints, the right that each declares, and well-formed requests come from the app itself, so a
new endpoint is tested as soon as it exists; one that declares no right fails.

`npm test` sends the requests of the callers at the boundary of each permission: the lowest role and the
narrowest token that are allowed, the highest role and the broadest token that are refused, the other
team, and callers without a valid session or token. It does so with the filters in code switched off, so
that PostgreSQL alone separates the teams. `npm run test:long` adds every other caller, and repeats all
of them with the filters switched on.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine

from slowpath.core.db_sessions import Database
from slowpath.platform.accounts.rules.roles import ROLE_FOR, SCOPES_FOR, Permission, Role, TokenScope
from slowpath.platform.http.openapi_description import PREFIXES
from tests.support.app_under_test import built, settings_for
from tests.support.databases import TestDatabase
from tests.support.endpoints import Endpoint, EndpointRequest, all_endpoints, schema_app
from tests.support.two_team_world import CANARY, FullBlobStore, TwoTeamWorld, make_world

STRICTER = {
    "members:delete": Permission.MANAGE,
    "comments:update": Permission.OWN,
    "comments:delete": Permission.MANAGE,
}
"""Declared for members who may leave, or change what is their own; the made-up request names another member (the owner)."""

PASSWORD_ASKED = {
    "session:create",
    "session:get-second-factor",
    "session:verify-second-factor",
    "second-factors:create",
    "session:confirm",
    "ci-tokens:create",
    "users:change-password",
    "users:delete",
}
"""They answer 401 without the password, code or ID token, which is not what is tested here."""

NOTHING_THERE = {
    "deleted-teams:restore": "the team that was made up is open",
    "span-sets:trace": "no trace has an id that was made up",
    "gap-explanations:create": "no trace has an id that was made up",
    "comparisons:create-assembly": "the comparison that was made up has one side",
    "oidc:create-sign-in-request": "no issuer is set",
    "oidc:create-link-request": "no issuer is set",
    "oidc:create-confirmation-request": "no issuer is set",
    "oidc:callback": "no issuer is set",
    "saml:get-metadata": "no provider is set",
    "saml:create-sign-in-request": "no provider is set",
    "saml:create-link-request": "no provider is set",
    "saml:create-confirmation-request": "no provider is set",
    "saml:callback": "no provider is set",
    "saml:receive-response": "no provider is set",
    "webhooks:receive-gitlab": "the hook that was made up is one of GitHub",
    "webhooks:receive-bitbucket": "the hook that was made up is one of GitHub",
}
"""Why an allowed caller gets a 404 for a made-up row; of every other endpoint a 404 would prove nothing."""

SEEN_BY_LOOKING = {"api_token": {"last_used_at"}}

OPEN = {"health:alive", "health:ready", "health:metrics", "cli:download", "cli:list"}
"""Outside /api, for machines that watch; they tell no team's data."""


_Caller = TypeVar("_Caller", Role, TokenScope)
BOUNDARY_OUTSIDERS = ("anonymous", "revoked token")
OTHER_OUTSIDERS = ("anonymous naming the team", "ended session", "expired token", "broken token")


def needed_role(endpoint: Endpoint) -> Role | None:
    """Return the lowest role that the endpoint lets in; None if it lets in tokens only."""
    if endpoint.right is Permission.SCIM:
        return None
    return ROLE_FOR.get(STRICTER.get(endpoint.operation_id, endpoint.right), Role.VIEWER)


def is_allowed(endpoint: Endpoint, scope: TokenScope) -> bool:
    """Return whether the endpoint lets tokens of a scope in."""
    right = STRICTER.get(endpoint.operation_id, endpoint.right)
    return right is Permission.ANYONE or scope in SCOPES_FOR.get(right, ())


def boundary_roles(endpoint: Endpoint) -> set[Role]:
    """Return the lowest role that the endpoint lets in and the highest that it refuses."""
    needed = needed_role(endpoint)
    if needed is None:
        return {Role.OWNER}
    return {role for role in Role if role.rank in {needed.rank, needed.rank - 1}}


def boundary_scopes(endpoint: Endpoint) -> set[TokenScope]:
    """Return the narrowest scope that the endpoint lets in and the broadest that it refuses."""

    def breadth(scope: TokenScope) -> int:
        return sum(scope in scopes for scopes in SCOPES_FOR.values())

    allowed = [scope for scope in TokenScope if is_allowed(endpoint, scope)]
    refused = [scope for scope in TokenScope if scope not in allowed]
    return {*sorted(allowed, key=breadth)[:1], *sorted(refused, key=breadth)[-1:]}


def cases(callers: type[_Caller], boundary: Callable[[Endpoint], set[_Caller]]) -> list[object]:
    """Pair every endpoint with every caller; those away from the boundary are left to the long proofs."""
    return [
        pytest.param(
            endpoint,
            caller,
            marks=() if caller in boundary(endpoint) else pytest.mark.long,
            id=f"{endpoint.operation_id}-{caller}",
        )
        for endpoint in all_endpoints()
        for caller in callers
    ]


@pytest.fixture(scope="module", params=[pytest.param("filters on", marks=pytest.mark.long), "filters off"])
def world(
    migrated: TestDatabase, engine: Engine, admin: psycopg.Connection, request: pytest.FixtureRequest
) -> Iterator[TwoTeamWorld]:
    migrated.empty()
    database = Database(engine, team_filter=request.param == "filters on")
    made = make_world(built(database, settings_for(migrated.app_url), FullBlobStore()), admin)
    with made.stored.watched():
        yield made
    migrated.empty()


@pytest.fixture(scope="module")
def admin(migrated: TestDatabase) -> Iterator[psycopg.Connection]:
    with migrated.as_admin() as connection:
        yield connection


@pytest.fixture(params=all_endpoints(), ids=lambda endpoint: endpoint.operation_id)
def endpoint(request: pytest.FixtureRequest) -> Endpoint:
    found = request.param
    assert isinstance(found, Endpoint)
    return found


def assert_no_disclosure(asked: EndpointRequest, who: str) -> None:
    assert CANARY.encode() not in asked.content, f"{who} saw {asked.content[:500]!r}"
    assert asked.status < 500, f"{who}: {asked.status} {asked.content[:500]!r}"


def test_every_endpoint_declares_what_it_asks_of_its_caller() -> None:
    undeclared = {endpoint.operation_id for endpoint in all_endpoints() if len(endpoint.rights) != 1}
    assert undeclared == set()


def test_nothing_outside_the_api_is_open_but_health() -> None:
    outside = {
        operation["operationId"]
        for path, operations in schema_app().openapi()["paths"].items()
        for operation in operations.values()
        if not path.startswith(PREFIXES)
    }
    assert outside == OPEN


def test_every_id_in_a_path_is_of_something_made_up_here(world: TwoTeamWorld, endpoint: Endpoint) -> None:
    assert endpoint.object_names <= world.ids.keys(), "tell its table in NAMED_OTHERWISE"


@pytest.mark.database
@pytest.mark.parametrize(
    "outsiders",
    [
        pytest.param(BOUNDARY_OUTSIDERS, id="boundary"),
        pytest.param(OTHER_OUTSIDERS, id="others", marks=pytest.mark.long),
    ],
)
def test_anonymous_and_foreign_callers_get_no_data(
    world: TwoTeamWorld, endpoint: Endpoint, outsiders: tuple[str, ...]
) -> None:
    assert {*BOUNDARY_OUTSIDERS, *OTHER_OUTSIDERS} == world.outsiders.keys()
    world.stored.restore()

    for who in outsiders:
        asked = endpoint.ask(world.outsider(who), world.ids)
        assert_no_disclosure(asked, who)
        if endpoint.right is not Permission.ANYONE:
            programs_are_refused_first = endpoint.right is Permission.SIGNED_IN and "token" in who
            assert asked.status == (403 if programs_are_refused_first else 401), f"{who}: {asked.content[:300]!r}"

    nothing_changed(world)


@pytest.mark.database
def test_another_team_gets_no_data(world: TwoTeamWorld, endpoint: Endpoint) -> None:
    world.stored.restore()
    of_a_team = endpoint.right in ROLE_FOR

    # their owner names our team
    asked = endpoint.ask(world.other_browser(world.team.id), world.ids)
    assert_no_disclosure(asked, "the other owner, naming the team")
    if of_a_team:
        assert asked.status == 404, asked.content[:300]

    # their owner stays in their team and names what is ours
    if not endpoint.streams:
        theirs_and_ours = {**world.ids, "team_id": world.other.id}
        asked = endpoint.ask(world.other_browser(world.other.id), theirs_and_ours)
        assert_no_disclosure(asked, "the other owner, naming our things")
        if endpoint.object_names and endpoint.right is Permission.SCIM:
            assert asked.status == 403, asked.content[:300]
        elif endpoint.object_names and endpoint.right is not Permission.ANYONE:
            assert asked.status == 404, asked.content[:300]
        if asked.names & world.ids.keys():
            assert 400 <= asked.status < 500, "a body that names a thing of another team was accepted"
        nothing_changed(world)

    # their program (their owner may have deleted their own team a moment ago)
    world.stored.restore()
    if not endpoint.streams or "team_id" in endpoint.path:
        asked = endpoint.ask(world.other_program(), world.ids)
        assert_no_disclosure(asked, "the other team's token")
        if of_a_team and (endpoint.object_names or "team_id" in endpoint.path):
            assert asked.status in {403, 404}, asked.content[:300]

    nothing_changed(world)


@pytest.mark.database
@pytest.mark.parametrize(("endpoint", "role"), cases(Role, boundary_roles))
def test_a_role_reaches_as_far_as_declared(world: TwoTeamWorld, endpoint: Endpoint, role: Role) -> None:
    world.stored.restore()
    needed = needed_role(endpoint)
    reaches = needed is not None and role.reaches(needed)
    if reaches and endpoint.streams:
        pytest.skip("its answer does not end")

    asked = endpoint.ask(world.browser(role), world.ids)

    text = f"{asked.status} {asked.content[:500]!r}"
    if reaches:
        assert asked.status not in {401, 403} or endpoint.operation_id in PASSWORD_ASKED, text
        assert asked.status < 500, text
        of_owner = set() if role is Role.OWNER else {"identity_id", "factor_id"}
        of_others = {"session_id"} | of_owner
        sees = role in {needed, Role.OWNER} and endpoint.object_names - of_others
        if sees and endpoint.operation_id not in NOTHING_THERE:
            assert asked.status != 404, f"{text}: then the 404 of others means nothing"
    else:
        assert asked.status == 403, text
        nothing_changed(world)


@pytest.mark.database
@pytest.mark.parametrize(("endpoint", "scope"), cases(TokenScope, boundary_scopes))
def test_a_token_reaches_as_far_as_declared(world: TwoTeamWorld, endpoint: Endpoint, scope: TokenScope) -> None:
    world.stored.restore()
    right = STRICTER.get(endpoint.operation_id, endpoint.right)
    reaches = is_allowed(endpoint, scope)
    if reaches and endpoint.streams:
        pytest.skip("its answer does not end")

    asked = endpoint.ask(world.program(scope), world.ids)

    text = f"{asked.status} {asked.content[:500]!r}"
    if right is Permission.ANYONE:
        assert asked.status < 500, text
    elif reaches:
        assert asked.status not in {401, 403}, text
        assert asked.status < 500, text
    else:
        assert asked.status == 403, text
        nothing_changed(world)


def nothing_changed(world: TwoTeamWorld) -> None:
    assert world.stored.find_changes(world.team.id, but=SEEN_BY_LOOKING) == {}


@pytest.mark.database
def test_the_comparison_of_tables_covers_every_column(world: TwoTeamWorld) -> None:
    """What is asked here would show a leak if there was one: the owner does see the canary."""
    world.stored.restore()
    client: TestClient = world.browser(Role.OWNER)
    seen = {
        endpoint.operation_id
        for endpoint in all_endpoints()
        if endpoint.method == "GET"
        and endpoint.right in ROLE_FOR
        and not endpoint.streams
        and CANARY.encode() in endpoint.ask(client, world.ids).content
    }
    assert {"teams:get", "members:list", "tokens:list", "invitations:list", "audit-events:list"} <= seen
    assert {"artifacts:list", "services:get", "comparisons:list", "jobs:list"} <= seen
