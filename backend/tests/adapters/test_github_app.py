"""GitHub Apps: access tokens with the least permissions, reused, renewed, refused, and hostile answers."""

import base64
import json
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from joserfc.jwk import RSAKey

from slowpath.adapters.egress import AllowlistedEgressClient
from slowpath.adapters.egress_policy import parse_allowlist
from slowpath.adapters.git_remotes import AllowedRemotes
from slowpath.adapters.system_clock import SystemClock
from slowpath.core.encryption import SecretEncryptor
from slowpath.core.errors import AddressNotAllowed, SlowpathError, TooLarge, UpstreamUnavailable
from slowpath.core.github_app import (
    READ_CODE,
    WRITE_ISSUES,
    WRITE_STATUSES,
    InstallationTokens,
    InvalidAppCredential,
    check_app_credential,
    find_api_url,
    find_repository_name,
    make_app_headers,
)
from slowpath.inventory.repositories.errors import InvalidGitCredentials
from slowpath.inventory.repositories.service.repositories import GitCredentials
from slowpath.sharing.notifications.errors import InvalidChannel
from slowpath.sharing.notifications.rules import ChannelKind, ChannelTarget
from slowpath.sharing.notifications.service.channel_types import CHANNEL_TYPES, open_code_host
from tests.support.fake_github import APP, INSTALLATION, FakeGitHub, serve_github

NOW = datetime(2026, 11, 28, tzinfo=UTC)


def credential(key: RSAKey, *, installation: str = INSTALLATION) -> str:
    return f"github-app:{APP}:{installation}:{base64.b64encode(key.as_pem(private=True)).decode()}"


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    with serve_github(NOW) as served:
        yield served


@pytest.fixture
def outside() -> AllowlistedEgressClient:
    return AllowlistedEgressClient(parse_allowlist("127.0.0.1"), only_listed=False)


def get_token(
    tokens: InstallationTokens,
    outside: AllowlistedEgressClient,
    github: FakeGitHub,
    secret: str | None = None,
    *,
    repository: str = "northwind/shop",
    permissions: dict[str, str] = READ_CODE,
    now: datetime = NOW,
    fails: bool = False,
) -> str:
    with ExitStack() as stack:
        peer = stack.enter_context(outside.opened(github.url))
        given = secret or credential(github.key)
        use = tokens.use(given, peer, api_url=github.url, repository=repository, permissions=permissions, now=now)
        token = stack.enter_context(use)
        if fails:
            raise UpstreamUnavailable("answered 401")
        return token


def test_a_token_has_the_permissions_of_its_use_for_one_repository(
    github: FakeGitHub, outside: AllowlistedEgressClient
) -> None:
    tokens = InstallationTokens()
    first = get_token(tokens, outside, github)
    assert first == get_token(tokens, outside, github), "the same use has the same token"
    assert first != get_token(tokens, outside, github, permissions=WRITE_STATUSES)
    github.repositories |= {"cart"}
    assert first != get_token(tokens, outside, github, repository="northwind/cart")
    assert github.issued == [
        {"repositories": ["shop"], "permissions": {"contents": "read"}},
        {"repositories": ["shop"], "permissions": {"pull_requests": "write", "statuses": "write"}},
        {"repositories": ["cart"], "permissions": {"contents": "read"}},
    ]
    assert get_token(tokens, outside, github, "ghp_of_a_person") == "ghp_of_a_person", "a token is used as it is"


def test_a_token_is_renewed_before_its_end_whatever_the_time_of_day_does(
    github: FakeGitHub, outside: AllowlistedEgressClient
) -> None:
    seconds = 0.0
    tokens = InstallationTokens(lambda: seconds)
    first = get_token(tokens, outside, github)
    seconds = 3299.0
    for jump in (timedelta(days=-400), timedelta(days=400)):
        assert get_token(tokens, outside, github, now=NOW + jump) == first
    seconds = 3301.0
    github.now = NOW + timedelta(seconds=3301)
    assert get_token(tokens, outside, github, now=github.now) != first


def test_a_use_that_fails_gets_another_token_next_time(github: FakeGitHub, outside: AllowlistedEgressClient) -> None:
    tokens = InstallationTokens()
    first = get_token(tokens, outside, github)
    with pytest.raises(UpstreamUnavailable):
        get_token(tokens, outside, github, fails=True)
    assert get_token(tokens, outside, github) != first


def test_what_github_refuses_states_the_remedy(github: FakeGitHub, outside: AllowlistedEgressClient) -> None:
    other = credential(RSAKey.generate_key(2048))
    with pytest.raises(InvalidAppCredential, match="401") as raised:
        get_token(InstallationTokens(), outside, github, other)
    assert other[40:80] not in str(raised.value.facts())
    with pytest.raises(InvalidAppCredential, match="401"):
        get_token(InstallationTokens(), outside, github, now=NOW + timedelta(hours=1))
    with pytest.raises(InvalidAppCredential, match="422") as raised:
        get_token(InstallationTokens(), outside, github, permissions=WRITE_ISSUES)
    assert "issues: write" in (raised.value.remedy or "")
    github.hostile = 404, b"{}"
    with pytest.raises(InvalidAppCredential, match="404"):
        get_token(InstallationTokens(), outside, github)


@pytest.mark.parametrize(
    ("status", "content", "error"),
    [
        (201, b"", UpstreamUnavailable),
        (201, b"[" * 100_000, UpstreamUnavailable),
        (201, b"null", UpstreamUnavailable),
        (201, b'{"token": "ghs_0123456789"}', UpstreamUnavailable),
        (201, b'{"token": 7, "expires_at": "2026-11-28T01:00:00Z"}', UpstreamUnavailable),
        (201, b'{"token": "ghs_0123456789\\r\\nX: y", "expires_at": "2026-11-28T01:00:00Z"}', UpstreamUnavailable),
        (201, b'{"token": "ghs_0123456789", "expires_at": "2020-01-01T00:00:00Z"}', UpstreamUnavailable),
        (201, b'{"token": "ghs_0123456789", "expires_at": "2026-11-28T01:00:00"}', UpstreamUnavailable),
        (200, b'{"token": "ghs_0123456789", "expires_at": "2026-11-28T01:00:00Z"}', UpstreamUnavailable),
        (201, b" " * 300_000, TooLarge),
        (302, b"", AddressNotAllowed),
        (500, b"<html>", UpstreamUnavailable),
    ],
)
def test_hostile_answers_give_no_token(
    github: FakeGitHub, outside: AllowlistedEgressClient, status: int, content: bytes, error: type[SlowpathError]
) -> None:
    github.hostile = status, content
    tokens = InstallationTokens()
    with pytest.raises(error):
        get_token(tokens, outside, github)
    github.hostile = None
    assert get_token(tokens, outside, github).startswith("ghs_"), "nothing of it was stored"


def test_a_token_that_never_ends_is_renewed_after_an_hour(github: FakeGitHub, outside: AllowlistedEgressClient) -> None:
    seconds = 0.0
    tokens = InstallationTokens(lambda: seconds)
    github.hostile = 201, b'{"token": "ghs_forever_and_ever", "expires_at": "9999-01-01T00:00:00Z"}'
    assert get_token(tokens, outside, github) == "ghs_forever_and_ever"
    github.hostile, seconds = None, 3301.0
    assert get_token(tokens, outside, github) != "ghs_forever_and_ever"


def test_git_gets_a_token_instead_of_the_key(github: FakeGitHub, outside: AllowlistedEgressClient) -> None:
    secret = credential(github.key)
    github.now = SystemClock().now()
    # A GitHub Enterprise Server has its API below /api/v3.
    answer = github.answer
    github.answer = lambda method, path, *rest: answer(method, path.removeprefix("/api/v3"), *rest)  # type: ignore[method-assign]
    remote = AllowedRemotes(outside).opened(f"{github.url}/northwind/shop.git", secret)
    header = remote.environment["GIT_CONFIG_VALUE_0"].removeprefix("Authorization: Basic ")
    assert base64.b64decode(header).startswith(b"x-access-token:ghs_")
    assert secret not in repr(remote)
    assert secret not in json.dumps([*remote.environment.values(), *remote.options])
    assert github.issued[-1] == {"repositories": ["shop"], "permissions": {"contents": "read"}}


def test_a_channel_uses_the_app_and_recovers_from_a_revoked_token(
    github: FakeGitHub, outside: AllowlistedEgressClient
) -> None:
    secret = credential(github.key)
    channel = CHANNEL_TYPES[ChannelKind.GITHUB]
    target, stored = channel.validate(
        ChannelTarget(ChannelKind.GITHUB, url=github.url, repository="northwind/shop", token=secret), outside
    )
    sealer, row = SecretEncryptor("of the tests, and no secret"), uuid4()
    assert secret.encode() not in sealer.seal(stored or "", row)

    def check() -> None:
        with open_code_host(outside, ChannelKind.GITHUB, target, stored or "", WRITE_STATUSES, now=NOW) as host:
            host.check_access()

    check()
    check()
    assert len(github.issued) == 1
    github.revoked = True
    with pytest.raises(UpstreamUnavailable):
        check()
    github.revoked = False
    check()
    assert len(github.issued) == 2
    assert github.requests[-1][:2] == ("GET", "/repos/northwind/shop")

    gitlab = CHANNEL_TYPES[ChannelKind.GITLAB]
    with pytest.raises(InvalidChannel):
        gitlab.validate(
            ChannelTarget(ChannelKind.GITHUB, url=github.url, repository="northwind/shop", token=secret), outside
        )


def test_repositories_accept_apps_of_github_only() -> None:
    secret = credential(RSAKey.generate_key(2048))
    assert GitCredentials("bearer", token=secret).header("github") == secret
    with pytest.raises(InvalidGitCredentials):
        GitCredentials("bearer", token=secret).header("gitlab")
    with pytest.raises(InvalidAppCredential):
        GitCredentials("bearer", token=secret[:-700]).header("github")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda secret: secret.replace(INSTALLATION, "../1"),
        lambda secret: secret.replace(APP, ""),
        lambda secret: secret[:600],
        lambda secret: secret + "\n",
        lambda secret: secret.replace("github-app:", "github-app::"),
    ],
)
def test_a_malformed_credential_is_rejected_without_showing_it(spoil: object) -> None:
    assert callable(spoil)
    secret = spoil(credential(RSAKey.generate_key(2048)))
    with pytest.raises(InvalidAppCredential) as raised:
        check_app_credential(secret)
    assert secret[60:120] not in str(raised.value.facts())


def test_public_and_short_keys_are_rejected() -> None:
    key = RSAKey.generate_key(2048)
    public = base64.b64encode(key.as_pem(private=False) * 2).decode()
    short = rsa.generate_private_key(65537, 1024).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    for text in (public, base64.b64encode(short).decode()):
        with pytest.raises(InvalidAppCredential):
            check_app_credential(f"github-app:{APP}:{INSTALLATION}:{text}")


def test_addresses_and_headers() -> None:
    assert find_api_url("https://github.com/northwind/shop.git") == "https://api.github.com"
    assert find_api_url("https://code.example:8443/northwind/shop") == "https://code.example:8443/api/v3"
    assert {find_repository_name(one) for one in ("a/shop", "https://github.com/a/shop.git", "https://x/a/shop/")} == {
        "shop"
    }
    headers = make_app_headers(credential(RSAKey.generate_key(2048)), NOW)
    assert headers["Authorization"].startswith("Bearer ey")
