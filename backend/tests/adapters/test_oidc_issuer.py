"""A malicious issuer is rejected: each attack on the code flow of OpenID Connect, one after the other."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from joserfc.jwk import RSAKey
from pydantic import SecretStr, ValidationError

from slowpath.adapters import oidc_issuer
from slowpath.adapters.oidc_issuer import OidcIssuer, create_issuer
from slowpath.core.errors import AddressNotAllowed, NotAuthenticated, UpstreamUnavailable
from slowpath.core.ports import ExternalIdentity
from tests.support.app_under_test import settings_for
from tests.support.issuers import CLIENT_ID, CLIENT_SECRET, RETURN_URL, LyingIssuer

NONCE = "of this sign-in"


@pytest.fixture
def lying() -> Iterator[LyingIssuer]:
    issuer = LyingIssuer()
    issuer.nonce = NONCE
    with issuer.running():
        yield issuer


def known(lying: LyingIssuer) -> OidcIssuer:
    made = create_issuer(
        settings_for(
            "postgresql://unused",
            oidc_issuer=lying.address,
            oidc_client_id=CLIENT_ID,
            oidc_client_secret=SecretStr(CLIENT_SECRET),
        )
    )
    assert made is not None
    return made


def finished(
    lying: LyingIssuer, issuer: OidcIssuer | None = None, stated_issuer: str | None = None
) -> ExternalIdentity:
    return (issuer or known(lying)).finish(
        code="code",
        stated_issuer=stated_issuer,
        redirect_uri=RETURN_URL,
        nonce=NONCE,
        verifier="v" * 43,
        now=datetime.fromtimestamp(lying.now, UTC),
    )


def test_a_valid_signature_is_accepted(lying: LyingIssuer) -> None:
    assert finished(lying) == ExternalIdentity(lying.address, "7", "mira@corp.example", True, "Mira")


def test_the_browser_is_sent_with_state_nonce_and_a_challenge(lying: LyingIssuer) -> None:
    url = known(lying).begin(redirect_uri=RETURN_URL, state="s", nonce="n", verifier="v" * 43)
    sent = parse_qs(urlsplit(url).query)
    assert url.startswith(f"{lying.address}/auth?")
    assert (sent["state"], sent["nonce"], sent["code_challenge_method"]) == (["s"], ["n"], ["S256"])
    assert (sent["redirect_uri"], sent["response_type"]) == ([RETURN_URL], ["code"])
    assert "v" * 43 not in url
    assert CLIENT_SECRET not in url


def test_the_browser_is_sent_to_where_the_issuer_signs_it_out(lying: LyingIssuer) -> None:
    assert known(lying).leave(id_token="a.b.c", returns_to=RETURN_URL) is None, "it names no such place"
    lying.document = {"end_session_endpoint": f"{lying.address}/end?of=x"}
    url = known(lying).leave(id_token="a.b.c", returns_to=RETURN_URL) or ""
    assert url.startswith(f"{lying.address}/end?of=x&")
    sent = parse_qs(urlsplit(url).query)
    assert (sent["id_token_hint"], sent["client_id"]) == (["a.b.c"], [CLIENT_ID])
    assert sent["post_logout_redirect_uri"] == [RETURN_URL]
    assert "id_token_hint" not in (known(lying).leave(id_token="a" * 5_000, returns_to=RETURN_URL) or "")
    lying.document = {"end_session_endpoint": "javascript:alert(1)"}
    with pytest.raises(NotAuthenticated, match="not https"):
        known(lying).leave(id_token="a.b.c", returns_to=RETURN_URL)


CLAIMS: dict[str, Callable[[LyingIssuer], dict[str, Any]]] = {
    "another nonce": lambda _: {"nonce": "of another sign-in"},
    "no nonce": lambda _: {"nonce": None},
    "another issuer": lambda _: {"iss": "https://issuer.example"},
    "for another client": lambda _: {"aud": "another"},
    "for several clients, and none asked for it": lambda _: {"aud": [CLIENT_ID, "another"]},
    "asked for by another client": lambda _: {"azp": "another"},
    "for several, asked for by another": lambda _: {"aud": [CLIENT_ID, "another"], "azp": "another"},
    "expired": lambda lying: {"exp": int(lying.now) - 61},
    "without an end": lambda _: {"exp": None},
    "of the future": lambda lying: {"iat": int(lying.now) + 3600},
    "not yet good": lambda lying: {"nbf": int(lying.now) + 3600},
    "without a subject": lambda _: {"sub": None},
    "with an empty subject": lambda _: {"sub": ""},
    "with too long a subject": lambda _: {"sub": "7" * 256},
    "of a number": lambda _: {"sub": 7},
    "with another access token": lambda _: {"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"},
    "an end that is no time": lambda _: {"exp": "tomorrow"},
}


@pytest.mark.parametrize("lie", CLAIMS)
def test_a_token_with_invalid_claims_is_rejected(lying: LyingIssuer, lie: str) -> None:
    lying.claims = CLAIMS[lie](lying)
    with pytest.raises(NotAuthenticated, match="sign-in failed"):
        finished(lying)


@pytest.mark.parametrize("apart", [-55, 55])
def test_clocks_may_differ_by_a_minute(lying: LyingIssuer, apart: int) -> None:
    lying.claims = {"iat": int(lying.now) + apart, "exp": int(lying.now) + (apart if apart < 0 else 600)}
    assert finished(lying).subject == "7"


def test_an_unsigned_token_is_rejected(lying: LyingIssuer) -> None:
    lying.id_token = lying.unsigned()
    with pytest.raises(NotAuthenticated, match="signature"):
        finished(lying)


def test_a_token_signed_by_the_client_s_own_secret(lying: LyingIssuer) -> None:
    lying.id_token = lying.signed_by_the_secret()
    with pytest.raises(NotAuthenticated, match="signature"):
        finished(lying)


def test_a_token_signed_by_a_key_that_is_not_published(lying: LyingIssuer) -> None:
    lying.key = RSAKey.generate_key(2048, {"kid": "first", "use": "sig"})
    with pytest.raises(NotAuthenticated, match="signature"):
        finished(lying)


@pytest.mark.parametrize("garbage", ["", "a.b.c", "e30.e30.", "x" * 10_000, "{}"])
def test_an_invalid_token_is_rejected(lying: LyingIssuer, garbage: str) -> None:
    lying.id_token = garbage or "."
    with pytest.raises(NotAuthenticated):
        finished(lying)


def test_rotated_keys_are_fetched_again_but_not_for_every_forged_token(
    lying: LyingIssuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    issuer = known(lying)
    finished(lying, issuer)
    monkeypatch.setattr(oidc_issuer, "MIN_KEY_REFRESH_SECONDS", 0.0)
    lying.key = RSAKey.generate_key(2048, {"kid": "second", "use": "sig"})
    lying.published = [lying.key]
    assert finished(lying, issuer).subject == "7"
    monkeypatch.setattr(oidc_issuer, "MIN_KEY_REFRESH_SECONDS", 60.0)
    lying.key = RSAKey.generate_key(2048, {"kid": "third", "use": "sig"})
    before = lying.asked.count("/jwks")
    for _ in range(3):
        with pytest.raises(NotAuthenticated):
            finished(lying, issuer)
    assert lying.asked.count("/jwks") == before


def test_a_description_that_names_another_issuer(lying: LyingIssuer) -> None:
    lying.document = {"issuer": "https://issuer.example"}
    with pytest.raises(NotAuthenticated, match="that of another issuer"):
        finished(lying)
    assert "/token" not in lying.asked


def test_an_answer_of_another_issuer_is_refused_before_the_code_is_sent(lying: LyingIssuer) -> None:
    with pytest.raises(NotAuthenticated, match="another issuer"):
        finished(lying, stated_issuer="https://evil.example")
    assert "/token" not in lying.asked


def test_the_iss_parameter_is_required_where_the_issuer_announces_it(lying: LyingIssuer) -> None:
    lying.document = {"authorization_response_iss_parameter_supported": True}
    with pytest.raises(NotAuthenticated, match="does not name its issuer"):
        finished(lying)
    assert finished(lying, stated_issuer=lying.address).subject == "7"


@pytest.mark.parametrize("endpoint", ["token_endpoint", "jwks_uri", "authorization_endpoint"])
@pytest.mark.parametrize("url", ["http://issuer.example/x", "file:///etc/passwd", "javascript:alert(1)", None, 7])
def test_an_endpoint_that_is_less_safe_than_the_issuer(lying: LyingIssuer, endpoint: str, url: object) -> None:
    lying.document = {endpoint: url}
    issuer = known(lying)

    def whole() -> None:
        issuer.begin(redirect_uri=RETURN_URL, state="s", nonce="n", verifier="v" * 43)
        finished(lying, issuer)

    with pytest.raises(NotAuthenticated, match=endpoint):
        whole()


@pytest.mark.parametrize("url", ["https://127.0.0.2/token", "https://169.254.169.254/token", "https://[::1]/token"])
def test_an_endpoint_in_our_own_network_is_not_asked(lying: LyingIssuer, url: str) -> None:
    lying.document = {"token_endpoint": url}
    with pytest.raises(AddressNotAllowed):
        finished(lying)


def test_an_issuer_that_redirects_is_not_followed(lying: LyingIssuer) -> None:
    lying.redirects = True
    with pytest.raises(AddressNotAllowed):
        finished(lying)


def test_reports_about_another_run_are_rejected(lying: LyingIssuer) -> None:
    lying.claims = {"email": None}
    lying.userinfo = {"sub": "8", "email": "boss@corp.example", "email_verified": True}
    with pytest.raises(NotAuthenticated, match="another subject"):
        finished(lying)


@pytest.mark.parametrize("verified", [None, False, "true", 1])
def test_an_email_counts_as_verified_only_with_the_claim(lying: LyingIssuer, verified: object) -> None:
    lying.claims = {"email_verified": verified}
    assert finished(lying).email_verified is False


@pytest.mark.parametrize("email", ["no", "a@b@corp.example", "a\n@corp.example", "a" * 300 + "@x", 7, ["a@b.c"]])
def test_an_invalid_email_is_ignored(lying: LyingIssuer, email: object) -> None:
    lying.claims = {"email": email}
    claims = finished(lying)
    assert (claims.email, claims.email_verified) == (None, False)


def test_an_unreachable_issuer_is_reported(lying: LyingIssuer) -> None:
    issuer = OidcIssuer("http://127.0.0.1:1", CLIENT_ID, "", known(lying)._outside)
    with pytest.raises(UpstreamUnavailable):
        issuer.begin(redirect_uri=RETURN_URL, state="s", nonce="n", verifier="v" * 43)


@pytest.mark.parametrize(
    "wrong",
    [
        {"oidc_issuer": "http://issuer.example", "oidc_client_id": "x"},
        {"oidc_issuer": "https://issuer.example"},
        {"passwords": "off"},
    ],
)
def test_settings_without_secure_sign_in_are_rejected(wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        settings_for("postgresql://unused", **wrong)
