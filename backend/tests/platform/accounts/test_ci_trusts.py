"""CI jobs exchange ID tokens for short-lived tokens: of the trusted repository only, and of nothing forged."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response
from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import Engine

from slowpath.adapters.system_clock import SystemClock
from slowpath.core.db_sessions import Database
from slowpath.platform.accounts.rules.ci_trust import CiProvider, find_issuer, read_job
from tests.factories.accounts import AccountsFactory
from tests.support.app_under_test import PUBLIC_URL, AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase
from tests.support.issuers import LyingIssuer

pytestmark = pytest.mark.database
SHA = 40 * "a"


def problem(answer: Response) -> str:
    return str(answer.json()["type"]).removeprefix("urn:slowpath:")


class Corp:
    """A team that trusts one repository of GitHub Actions, of an issuer whose every token can be changed."""

    def __init__(self, emptied: TestDatabase, engine: Engine, issuer: LyingIssuer) -> None:
        self.app: AppUnderTest = built(
            Database(engine), settings_for(emptied.app_url, egress_allowlist="127.0.0.1", outside="listed")
        )
        self.app.clock.at = SystemClock().now()
        self.issuer = issuer
        self.people = AccountsFactory(self.app)
        self.team = self.people.team()
        self.owner = self.app.asked(cookie=self.team.owner.cookie)
        self.account = self.made(f"/api/v1/teams/{self.team.id}/service-accounts", name="ci", role="member")

    def made(self, path: str, **body: object) -> dict[str, Any]:
        answer = self.owner.post(path, json=body)
        assert answer.status_code == 201, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def trust(self, **changed: object) -> dict[str, Any]:
        body = {
            "service_account_id": self.account["id"],
            "provider": "github",
            "issuer": self.issuer.address,
            "repository": "acme/ingester",
            "scopes": ["upload"],
        }
        return self.made(f"/api/v1/teams/{self.team.id}/ci-trusts", **{**body, **changed})

    def id_token(self, **changed: Any) -> str:  # noqa: ANN401 - claims of every type
        key, header = changed.pop("key", None), changed.pop("header", {})
        now = int(self.app.clock.now().timestamp())
        claims = {
            "iss": self.issuer.address,
            "aud": PUBLIC_URL,
            "sub": "repo:acme/ingester:ref:refs/heads/main",
            "iat": now,
            "exp": now + 300,
            "repository": "acme/ingester",
            "ref": "refs/heads/main",
            "ref_type": "branch",
            **changed,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        signing = key or self.issuer.key
        return jwt.encode({"alg": "RS256", "kid": self.issuer.key.kid, **header}, claims, signing)

    def exchange(self, id_token: str, team: str | None = None) -> Response:
        return self.app.asked().post("/api/v1/ci-tokens", json={"team": team or self.team.slug, "id_token": id_token})

    def program(self, answer: Response) -> TestClient:
        assert answer.status_code == 201, answer.text
        return self.app.asked(token=answer.json()["token"])


@pytest.fixture
def corp(emptied: TestDatabase, engine: Engine) -> Iterator[Corp]:
    with LyingIssuer().running() as issuer:
        yield Corp(emptied, engine, issuer)


def test_a_job_gets_a_token_that_uploads_for_a_quarter_of_an_hour(corp: Corp) -> None:
    trust = corp.trust()
    answer = corp.exchange(corp.id_token())
    program = corp.program(answer)
    assert answer.json()["scopes"] == ["upload"]
    assert program.post(f"/api/v1/builds/ingester/{SHA}", json={"branch": "main"}).status_code in {200, 201}
    assert program.get("/api/v1/services").status_code == 403, "it can only upload"
    assert corp.owner.get(f"/api/v1/teams/{corp.team.id}/tokens").json()["items"] == [], "it is in no list"
    assert corp.owner.get(f"/api/v1/teams/{corp.team.id}/ci-trusts").json() == [trust]
    events = corp.owner.get(f"/api/v1/teams/{corp.team.id}/audit-events", params={"action": "ci-"}).json()["items"]
    assert [event["action"] for event in events] == ["ci-token.issued", "ci-trust.created"]
    assert events[0]["details"]["subject"] == "repo:acme/ingester:ref:refs/heads/main"

    corp.app.clock.move(minutes=15)
    assert problem(program.post(f"/api/v1/builds/ingester/{SHA}", json={})) == "token-not-valid"


@pytest.mark.parametrize(
    "changed",
    [
        {"repository": "acme/other"},
        {"repository": "evil/ingester"},
        {"repository": "acme/ingester2"},
        {"repository": None},
        {"repository": ["acme/ingester"]},
        {"aud": "https://other.example"},
        {"aud": None},
        {"exp": 1_700_000_000},
        {"exp": None},
        {"iat": None},
        {"sub": None},
        {"sub": ""},
        {"nbf": 9_999_999_999},
        {"header": {"alg": "none"}},
        {"key": RSAKey.generate_key(2048)},
    ],
    ids=", ".join,
)
def test_other_jobs_and_forged_tokens_get_nothing(corp: Corp, changed: dict[str, Any]) -> None:
    corp.trust()
    if changed.get("header", {}).get("alg") == "none":
        header, claims, _ = corp.id_token().split(".")
        id_token = f"eyJhbGciOiJub25lIn0.{claims}."
        assert header != "eyJhbGciOiJub25lIn0"
    else:
        id_token = corp.id_token(**changed)
    refused = corp.exchange(id_token)
    assert refused.status_code == 401, refused.text


def test_branch_and_environment_are_compared(corp: Corp) -> None:
    corp.trust(branch="main", environment="production")
    right = {"environment": "production"}
    assert corp.exchange(corp.id_token(**right)).status_code == 201
    for wrong in (
        {},
        {"environment": "staging"},
        {**right, "ref": "refs/heads/main2"},
        {**right, "ref": "refs/pull/7/merge", "ref_type": "branch"},
        {**right, "ref": "refs/tags/main", "ref_type": "tag"},
        {**right, "ref": "main"},
    ):
        assert problem(corp.exchange(corp.id_token(**wrong))) == "ci-token-rejected"


def test_gitlab_states_the_project(corp: Corp) -> None:
    corp.trust(provider="gitlab", repository="acme/back/ingester", branch="main")
    stated = {"repository": None, "project_path": "acme/back/ingester", "ref": "main"}
    assert corp.exchange(corp.id_token(**stated)).status_code == 201
    assert corp.exchange(corp.id_token(**{**stated, "project_path": "acme/back"})).status_code == 401


def test_a_team_and_an_issuer_without_a_trust_are_not_asked(corp: Corp) -> None:
    other = corp.people.team()
    for team in (other.slug, "unknown-team"):
        assert problem(corp.exchange(corp.id_token(), team)) == "ci-token-rejected"
    corp.trust()
    assert problem(corp.exchange(corp.id_token(iss="http://169.254.169.254"))) == "ci-token-rejected"
    assert corp.issuer.asked == [], "keys were requested from an address of the token"


def test_an_issuer_cannot_redirect_or_be_private(corp: Corp) -> None:
    corp.trust()
    corp.issuer.redirects = True
    assert corp.exchange(corp.id_token()).status_code in {422, 502}
    body = {"service_account_id": corp.account["id"], "provider": "gitlab", "repository": "a/b", "scopes": ["upload"]}
    refused = corp.owner.post(
        f"/api/v1/teams/{corp.team.id}/ci-trusts", json={**body, "issuer": "http://169.254.169.254/latest"}
    )
    assert refused.status_code == 422


def test_the_end_of_a_trust_or_account_ends_its_tokens(corp: Corp) -> None:
    trust = corp.trust()
    program = corp.program(corp.exchange(corp.id_token()))
    accounts = f"/api/v1/teams/{corp.team.id}/service-accounts"
    corp.owner.patch(f"{accounts}/{corp.account['id']}", json={"disabled": True})
    assert program.post(f"/api/v1/builds/ingester/{SHA}", json={}).status_code == 401
    assert corp.exchange(corp.id_token()).status_code == 401
    corp.owner.patch(f"{accounts}/{corp.account['id']}", json={"disabled": False})
    assert program.post(f"/api/v1/builds/ingester/{SHA}", json={}).status_code != 401
    assert corp.owner.delete(f"/api/v1/teams/{corp.team.id}/ci-trusts/{trust['id']}").status_code == 204
    assert problem(program.post(f"/api/v1/builds/ingester/{SHA}", json={})) == "token-not-valid"
    assert corp.exchange(corp.id_token()).status_code == 401


def test_members_cannot_add_a_trust(corp: Corp) -> None:
    member = corp.app.asked(cookie=corp.people.member(corp.team).cookie)
    body = {
        "service_account_id": corp.account["id"], "provider": "github", "repository": "a/b", "scopes": ["upload"]
    }  # fmt: skip
    assert member.post(f"/api/v1/teams/{corp.team.id}/ci-trusts", json=body).status_code == 403


def test_scopes_beyond_the_account_are_rejected(corp: Corp) -> None:
    viewer = corp.made(f"/api/v1/teams/{corp.team.id}/service-accounts", name="reader", role="viewer")
    body = {"service_account_id": viewer["id"], "provider": "github", "repository": "a/b", "scopes": ["upload"]}
    refused = corp.owner.post(f"/api/v1/teams/{corp.team.id}/ci-trusts", json=body)
    assert problem(refused) == "scope-beyond-role"


@pytest.mark.parametrize(
    "text", ["", ".", "a.b.c", "a.W10.c", "a.bnVsbA.c", "a." + "W1tb" * 4_000 + ".c", "a.eyJpc3MiOjF9.c"]
)
def test_what_is_no_token_names_no_issuer(text: str) -> None:
    assert find_issuer(text) is None


def test_claims_of_other_types_are_no_job() -> None:
    assert read_job(CiProvider.GITHUB, {"sub": 1, "repository": "a/b"}) is None
    job = read_job(CiProvider.GITHUB, {"sub": "s", "repository": "a/b", "ref": 7, "ref_type": "branch"})
    assert job is not None
    assert job.branch is None
