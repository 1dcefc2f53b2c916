import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.platform.accounts.rules.account_limits import session_expiry
from slowpath.platform.accounts.rules.account_names import make_slug, normalize_email
from slowpath.platform.accounts.rules.credentials import (
    LETTERS,
    looks_like_secret,
    looks_like_token,
    make_secret,
    make_token,
)
from slowpath.platform.accounts.rules.request_origin import (
    LOOPBACK_COOKIE,
    SAFE_COOKIE,
    choose_session_cookie,
    is_same_origin,
    rate_limit_key,
)
from slowpath.platform.accounts.rules.roles import (
    ROLE_FOR,
    SCOPES_FOR,
    Permission,
    Role,
    TokenScope,
    can_change_role,
    can_grant,
    can_remove_member,
    would_leave_no_owner,
)

VIEWER, MEMBER, ADMIN, OWNER = Role


def test_each_role_includes_those_before_it() -> None:
    assert [
        (role.reaches(VIEWER), role.reaches(MEMBER), role.reaches(ADMIN), role.reaches(OWNER)) for role in Role
    ] == [
        (True, False, False, False),
        (True, True, False, False),
        (True, True, True, False),
        (True, True, True, True),
    ]


def test_each_permission_has_its_requirements() -> None:
    """The walk over all endpoints relies on these two tables: here they are stated a second time."""
    assert ROLE_FOR == {
        Permission.READ: VIEWER, Permission.WAIT: VIEWER, Permission.UPLOAD: MEMBER, Permission.SEND: MEMBER, Permission.RUN: MEMBER, Permission.WRITE: MEMBER,
        Permission.DEPLOY: MEMBER, Permission.AUDIT: ADMIN,
        Permission.MANAGE: ADMIN, Permission.OWN: OWNER,
    }  # fmt: skip
    may = {scope: {right for right, scopes in SCOPES_FOR.items() if scope in scopes} for scope in TokenScope}
    assert may == {
        TokenScope.READ: {Permission.READ, Permission.WAIT},
        TokenScope.UPLOAD: {Permission.WAIT, Permission.UPLOAD, Permission.SEND},
        TokenScope.RUNNER: {Permission.WAIT, Permission.UPLOAD, Permission.RUN},
        TokenScope.DEPLOY: {Permission.DEPLOY},
        TokenScope.AUDIT: {Permission.AUDIT},
        TokenScope.SCIM: {Permission.SCIM},
        TokenScope.WRITE: {
            Permission.READ,
            Permission.WAIT,
            Permission.UPLOAD,
            Permission.SEND,
            Permission.DEPLOY,
            Permission.RUN,
            Permission.WRITE,
        },
    }


def test_only_admins_grant_roles() -> None:
    assert {(by, to) for by, to in itertools.product(Role, Role) if can_grant(by, to)} == {
        (ADMIN, VIEWER), (ADMIN, MEMBER), (ADMIN, ADMIN),
        (OWNER, VIEWER), (OWNER, MEMBER), (OWNER, ADMIN), (OWNER, OWNER),
    }  # fmt: skip


@given(st.sampled_from(Role), st.sampled_from(Role), st.sampled_from(Role))
def test_roles_above_the_own_cannot_be_changed(by: Role, current: Role, expected: Role) -> None:
    if can_change_role(by, current, expected):
        assert by.reaches(current)
        assert by.reaches(expected)
    if can_remove_member(by, current, oneself=False):
        assert by.reaches(current)
    assert can_remove_member(by, current, oneself=True)


@pytest.mark.parametrize(
    ("owners", "current", "expected", "refused"),
    [
        (1, OWNER, ADMIN, True),
        (1, OWNER, None, True),
        (1, OWNER, OWNER, False),
        (2, OWNER, None, False),
        (1, ADMIN, None, False),
    ],
)
def test_a_team_keeps_an_owner(owners: int, current: Role, expected: Role | None, refused: bool) -> None:
    assert would_leave_no_owner(owners, current, expected) is refused


# -- secrets ---------------------------------------------------------------------------------------


@given(st.binary(min_size=24, max_size=24))
def test_a_secret_keeps_every_bit(random_bytes: bytes) -> None:
    secret = make_secret(random_bytes)
    number = 0
    for letter in secret:
        number = number * 62 + LETTERS.index(letter)
    assert number.to_bytes(24) == random_bytes
    assert looks_like_secret(secret)


@given(st.binary(min_size=24, max_size=24), st.integers(4, 42), st.sampled_from(LETTERS))
def test_a_token_with_a_typing_error_is_recognized(random_bytes: bytes, at: int, letter: str) -> None:
    token = make_token(random_bytes)
    assert looks_like_token(token)
    assert len(token) == 43
    if token[at] != letter:
        assert not looks_like_token(token[:at] + letter + token[at + 1 :])


@given(st.text(max_size=60))
def test_any_text_may_be_asked_whether_it_is_a_token(text: str) -> None:
    assert not looks_like_token(text)


def test_a_secret_of_another_length_is_a_fault() -> None:
    with pytest.raises(ValueError, match="24 bytes"):
        make_secret(b"short")


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Ingest & Query", "ingest-query-00001"),
        ("  ", "team-00001"),
        ("日本", "team-00001"),
        ("../../etc", "etc-00001"),
        ("x" * 100, "x" * 40 + "-00001"),
    ],
)
def test_a_slug_is_plain_whatever_the_name(name: str, slug: str) -> None:
    assert make_slug(name, b"\x00\x00\x00\x01") == slug


def test_an_address_of_ipv6_counts_with_its_household() -> None:
    assert rate_limit_key("2001:db8:1:2:3:4:5:6") == rate_limit_key("2001:db8:1:2::1")
    assert rate_limit_key("2001:db8:1:3::1") != rate_limit_key("2001:db8:1:2::1")
    assert rate_limit_key("192.0.2.7") == "192.0.2.7"
    assert rate_limit_key("testclient") == "testclient"


def test_case_does_not_make_two_people_of_one() -> None:
    assert normalize_email(" Jo@Example.com ") == normalize_email("jo@example.COM")


def test_a_session_lasts_thirty_days() -> None:
    assert session_expiry(datetime(2026, 1, 1, tzinfo=UTC)) == datetime(2026, 1, 31, tzinfo=UTC)


# -- the address people open -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("public_url", "authority", "cookie"),
    [
        ("https://slowpath.example", "slowpath.example", SAFE_COOKIE),
        ("https://slowpath.example", "10.0.0.1:8080", SAFE_COOKIE),
        ("http://127.0.0.1:8080", "127.0.0.1:8080", LOOPBACK_COOKIE),
        ("http://127.0.0.1:8080", "localhost:8080", LOOPBACK_COOKIE),
        ("http://127.0.0.1:8080", "[::1]:8080", LOOPBACK_COOKIE),
        ("http://127.0.0.1:8080", "192.168.1.5:8080", None),
        ("http://slowpath.example", "slowpath.example", None),
        ("http://slowpath.example", "127.0.0.1.slowpath.example", None),
        ("http://127.0.0.1:8080", "localhost.example", None),
        ("http://127.0.0.1:8080", "", None),
        ("http://127.0.0.1:8080", "[::1", None),
    ],
)
def test_the_cookie_never_travels_in_the_open(public_url: str, authority: str, cookie: object) -> None:
    assert choose_session_cookie(public_url, authority) == cookie


@pytest.mark.parametrize(
    ("origin", "public_url", "same"),
    [
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080", True),
        ("http://localhost:8080", "http://127.0.0.1:8080", True),
        ("http://[::1]:8080", "http://127.0.0.1:8080", True),
        ("http://localhost:8081", "http://127.0.0.1:8080", False),
        ("https://localhost:8080", "http://127.0.0.1:8080", False),
        ("https://slowpath.example", "https://slowpath.example", True),
        ("https://slowpath.example:443", "https://slowpath.example", True),
        ("https://evil.example", "https://slowpath.example", False),
        ("https://slowpath.example.evil.example", "https://slowpath.example", False),
        ("http://slowpath.example", "https://slowpath.example", False),
        ("http://localhost:8080", "https://slowpath.example", False),
        ("null", "http://127.0.0.1:8080", False),
        ("http://127.0.0.1:99999999", "http://127.0.0.1:8080", False),
        ("", "http://127.0.0.1:8080", False),
        ("https://evilslowpath.example", "https://slowpath.example", False),
        ("https://evil.slowpath.example", "https://slowpath.example", False),
    ],
)
def test_only_our_own_pages_may_ask_for_changes(origin: str, public_url: str, same: bool) -> None:
    assert is_same_origin(origin, public_url) is same
