import itertools
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.accounts.rules.credentials import LETTERS, looks_like_secret, looks_like_token, secret_from, token_from
from slowpath.accounts.rules.limits import session_ends
from slowpath.accounts.rules.naming import email_key, slug_from
from slowpath.accounts.rules.origins import LOOPBACK_COOKIE, SAFE_COOKIE, address_key, cookie_for, same_origin
from slowpath.accounts.rules.roles import (
    ROLE_FOR,
    SCOPES_FOR,
    Right,
    Role,
    TokenScope,
    leaves_no_owner,
    may_change,
    may_grant,
    may_remove,
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


def test_what_each_right_asks_for() -> None:
    """The walk over all endpoints believes these two tables: here they are said a second time."""
    assert ROLE_FOR == {
        Right.READ: VIEWER, Right.WAIT: VIEWER, Right.UPLOAD: MEMBER, Right.SEND: MEMBER, Right.RUN: MEMBER, Right.WRITE: MEMBER,
        Right.DEPLOY: MEMBER,
        Right.MANAGE: ADMIN, Right.OWN: OWNER,
    }  # fmt: skip
    may = {scope: {right for right, scopes in SCOPES_FOR.items() if scope in scopes} for scope in TokenScope}
    assert may == {
        TokenScope.READ: {Right.READ, Right.WAIT},
        TokenScope.UPLOAD: {Right.WAIT, Right.UPLOAD, Right.SEND},
        TokenScope.RUNNER: {Right.WAIT, Right.UPLOAD, Right.RUN},
        TokenScope.DEPLOY: {Right.DEPLOY},
        TokenScope.WRITE: {Right.READ, Right.WAIT, Right.UPLOAD, Right.SEND, Right.DEPLOY, Right.RUN, Right.WRITE},
    }


def test_nobody_below_an_admin_grants_a_role() -> None:
    assert {(by, to) for by, to in itertools.product(Role, Role) if may_grant(by, to)} == {
        (ADMIN, VIEWER), (ADMIN, MEMBER), (ADMIN, ADMIN),
        (OWNER, VIEWER), (OWNER, MEMBER), (OWNER, ADMIN), (OWNER, OWNER),
    }  # fmt: skip


@given(st.sampled_from(Role), st.sampled_from(Role), st.sampled_from(Role))
def test_nobody_reaches_above_themselves(by: Role, current: Role, wanted: Role) -> None:
    if may_change(by, current, wanted):
        assert by.reaches(current)
        assert by.reaches(wanted)
    if may_remove(by, current, oneself=False):
        assert by.reaches(current)
    assert may_remove(by, current, oneself=True)


@pytest.mark.parametrize(
    ("owners", "current", "wanted", "refused"),
    [
        (1, OWNER, ADMIN, True),
        (1, OWNER, None, True),
        (1, OWNER, OWNER, False),
        (2, OWNER, None, False),
        (1, ADMIN, None, False),
    ],
)
def test_a_team_keeps_an_owner(owners: int, current: Role, wanted: Role | None, refused: bool) -> None:
    assert leaves_no_owner(owners, current, wanted) is refused


# -- secrets ---------------------------------------------------------------------------------------


@given(st.binary(min_size=24, max_size=24))
def test_a_secret_keeps_every_bit(random_bytes: bytes) -> None:
    secret = secret_from(random_bytes)
    number = 0
    for letter in secret:
        number = number * 62 + LETTERS.index(letter)
    assert number.to_bytes(24) == random_bytes
    assert looks_like_secret(secret)


@given(st.binary(min_size=24, max_size=24), st.integers(4, 42), st.sampled_from(LETTERS))
def test_a_token_with_a_wrong_letter_is_told_from_a_whole_one(random_bytes: bytes, at: int, letter: str) -> None:
    token = token_from(random_bytes)
    assert looks_like_token(token)
    assert len(token) == 43
    if token[at] != letter:
        assert not looks_like_token(token[:at] + letter + token[at + 1 :])


@given(st.text(max_size=60))
def test_any_text_may_be_asked_whether_it_is_a_token(text: str) -> None:
    assert not looks_like_token(text)


def test_a_secret_of_another_length_is_a_fault() -> None:
    with pytest.raises(ValueError, match="24 bytes"):
        secret_from(b"short")


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
    assert slug_from(name, b"\x00\x00\x00\x01") == slug


def test_an_address_of_ipv6_counts_with_its_household() -> None:
    assert address_key("2001:db8:1:2:3:4:5:6") == address_key("2001:db8:1:2::1")
    assert address_key("2001:db8:1:3::1") != address_key("2001:db8:1:2::1")
    assert address_key("192.0.2.7") == "192.0.2.7"
    assert address_key("testclient") == "testclient"


def test_case_does_not_make_two_people_of_one() -> None:
    assert email_key(" Jo@Example.com ") == email_key("jo@example.COM")


def test_a_session_lasts_thirty_days() -> None:
    assert session_ends(datetime(2026, 1, 1, tzinfo=UTC)) == datetime(2026, 1, 31, tzinfo=UTC)


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
    assert cookie_for(public_url, authority) == cookie


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
    assert same_origin(origin, public_url) is same
