"""The service as a client of SCIM sees it: every check of scim2-tester, against the real app and database."""

import pytest
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_models import ScimProvider
from scim2_tester import CheckResult, Status, check_server

from slowpath.platform.accounts.rules.roles import TokenScope
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.support.app_under_test import PUBLIC_URL, AppUnderTest

pytestmark = pytest.mark.database
EXPECTED = (
    "search_with_attributes: ",  # POST /.search is not supported: it answers 405
    "PATCH modify() did not remove attribute 'active'",  # a user is active or not: there is no third state
)


def check(app: AppUnderTest, people: AccountsFactory, team: SomeTeam, *types: str) -> list[CheckResult]:
    http = app.asked(token=people.token(team, TokenScope.SCIM).secret)
    http.base_url = f"{PUBLIC_URL}/scim/v2"
    return check_server(SyncSCIMClient(http, provider=ScimProvider()), resource_types=list(types))


def test_discovery_and_users_conform(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> None:
    results = check(app, people, team, "User")

    failed = [f"{one.title}: {one.reason}" for one in results if one.status in {Status.ERROR, Status.CRITICAL}]
    unexpected = [one for one in failed if not any(known in one for known in EXPECTED)]
    assert unexpected == [], "\n".join(unexpected)
    assert len(failed) == len(EXPECTED)
    titles = {one.title for one in results if one.status is Status.SUCCESS}
    assert {"object_creation", "object_query", "object_replacement", "object_deletion"} <= titles
    assert len(results) >= 50
