"""Signing in by OpenID Connect: the code flow with PKCE, at the one issuer that the operator names.

Authlib makes the requests and checks the claims; every request goes out by the rules of `adapters.outside`. Nothing of
what the issuer's documents name is taken on trust: the issuer must name itself as it was set, endpoints must be as safe
as it is, a token must be signed by a key of the issuer with an asymmetric algorithm.
"""

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Protocol
from urllib.parse import parse_qsl, urlencode, urlsplit

import structlog
from authlib.common.errors import AuthlibBaseError
from authlib.oauth2.client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from slowpath.adapters.egress import AllowlistedEgressClient
from slowpath.adapters.egress_policy import parse_allowlist, parse_url
from slowpath.core.errors import AddressNotAllowed, NotAuthenticated, UpstreamUnavailable
from slowpath.core.ports import EgressClient, HttpResponse, OidcIdentity
from slowpath.core.settings import Settings

SCOPE: Final = "openid email profile"
ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"}
)
"""Never `none`, and never a symmetric one: the client's secret signs nothing."""
LEEWAY_SECONDS: Final = 60
"""How far the issuer's clock may be from ours."""
DOCUMENT_SECONDS: Final = 3600.0
"""How long what the issuer says of itself is kept."""
KEYS_AGAIN_SECONDS: Final = 10.0
"""How often keys are asked for again at most, because a token names one that is not known: keys rotate, and tokens lie."""
MAX_BYTES: Final = 1 << 20
MAX_KEYS: Final = 100
MAX_SUBJECT: Final = 255
MAX_EMAIL: Final = 254
MAX_NAME: Final = 100
MAX_HINT: Final = 4_000
"""A longer token makes an address that servers refuse; without it the issuer asks whether to sign out."""
SECONDS: Final = 10.0

log = structlog.get_logger(__name__)


class _ClientAuthenticator(Protocol):
    """How Authlib proves who the client is."""

    def prepare(self, method: str, uri: str, headers: dict[str, str], body: str) -> tuple[str, dict[str, str], str]:
        """Return the request with its proof."""


@dataclass(frozen=True)
class _AuthlibResponse:
    """An answer as Authlib reads it."""

    answer: HttpResponse

    @property
    def status_code(self) -> int:
        return self.answer.status

    def json(self) -> Any:  # noqa: ANN401 - whatever was sent
        return json.loads(self.answer.content)

    def raise_for_status(self) -> None:
        raise UpstreamUnavailable(f"The sign-in service answered with status {self.answer.status}.")


@dataclass(frozen=True)
class _EgressTransport:
    """The way of Authlib's requests: ours."""

    send: Callable[[str, bytes, Mapping[str, str]], HttpResponse]

    def post(
        self, url: str, *, data: Mapping[str, str], headers: Mapping[str, str], auth: _ClientAuthenticator
    ) -> _AuthlibResponse:
        """Send a form."""
        url, sent, body = auth.prepare("POST", url, dict(headers), urlencode(data))
        sent["Content-Type"] = "application/x-www-form-urlencoded"
        return _AuthlibResponse(self.send(url, body.encode(), sent))


@dataclass
class _IssuerMetadata:
    """What the issuer said of itself, and when."""

    document: dict[str, Any] = field(default_factory=dict)
    read_at: float = float("-inf")
    keys: list[dict[str, Any]] = field(default_factory=list)
    keys_at: float = float("-inf")


class OidcIssuer:
    """The issuer of this stack."""

    def __init__(self, issuer: str, client_id: str, client_secret: str, outside: EgressClient) -> None:
        """Know an issuer; nothing is asked of it yet."""
        self.issuer = issuer
        self._client_id = client_id
        self._client_secret = client_secret
        self._outside = outside
        self._kept = _IssuerMetadata()
        self._lock = threading.Lock()

    def begin(self, *, redirect_uri: str, state: str, nonce: str, verifier: str) -> str:
        """Return the address to send a browser to. Raises `AddressNotAllowed`, `UpstreamUnavailable`, `NotAuthenticated`."""
        endpoint = self._endpoint("authorization_endpoint")
        client = self._client()
        url, _ = client.create_authorization_url(
            endpoint, state=state, code_verifier=verifier, nonce=nonce, redirect_uri=redirect_uri
        )
        return str(url)

    def finish(
        self, *, code: str, told_issuer: str | None, redirect_uri: str, nonce: str, verifier: str, now: datetime
    ) -> OidcIdentity:
        """Return who came back with a code, or raise `NotAuthenticated` saying what is not believed, `UpstreamUnavailable`."""
        self._check_issuer(told_issuer)
        try:
            tokens = self._client().fetch_token(
                self._endpoint("token_endpoint"),
                grant_type="authorization_code",
                code=code,
                redirect_uri=redirect_uri,
                code_verifier=verifier,
            )
        except (AuthlibBaseError, ValueError) as error:
            raise _refused("the code was not taken") from error
        access_token, id_token = tokens.get("access_token"), tokens.get("id_token")
        if not isinstance(id_token, str) or not isinstance(access_token, str):
            raise _refused("no ID token was given")
        claims = self._claims(id_token, access_token=access_token, nonce=nonce, now=now)
        return replace(self._identity(claims, access_token), id_token=id_token)

    def leave(self, *, id_token: str, returns_to: str) -> str | None:
        """Return where the issuer ends its own session (RP-Initiated Logout 1.0); None if it names no such place.

        Raises `AddressNotAllowed`, `UpstreamUnavailable`, `NotAuthenticated`.
        """
        if "end_session_endpoint" not in self._document():
            return None
        url = self._endpoint("end_session_endpoint")
        _apart(url)
        told = {"client_id": self._client_id, "post_logout_redirect_uri": returns_to}
        if len(id_token) <= MAX_HINT:
            told["id_token_hint"] = id_token
        return f"{url}{'&' if '?' in url else '?'}{urlencode(told)}"

    def _client(self) -> OAuth2Client:
        return OAuth2Client(
            _EgressTransport(self._post),
            client_id=self._client_id,
            client_secret=self._client_secret,
            token_endpoint_auth_method=self._proof(),
            scope=SCOPE,
            code_challenge_method="S256",
        )

    def _proof(self) -> str:
        """Choose how the client proves itself: in the body where that is taken, for a header's encoding is read in two ways."""
        if not self._client_secret:
            return "none"
        methods = self._document().get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        return "client_secret_post" if "client_secret_post" in methods else "client_secret_basic"

    # -- what the issuer says of itself ------------------------------------------------------------

    def _document(self) -> dict[str, Any]:
        """Return the issuer's description (OpenID Connect Discovery 1.0), asked for once an hour."""
        with self._lock:
            if time.monotonic() - self._kept.read_at > DOCUMENT_SECONDS:
                told = self._get_json(self.issuer.rstrip("/") + "/.well-known/openid-configuration")
                if told.get("issuer") != self.issuer:
                    raise _refused("what describes the issuer names another one")
                self._kept = _IssuerMetadata(told, time.monotonic())
            return self._kept.document

    def _endpoint(self, name: str) -> str:
        """Return an endpoint that is as safe as the issuer: https, unless both lie on this machine."""
        url = self._document().get(name)
        if not isinstance(url, str):
            raise _refused(f"the issuer names no {name}")
        parts = urlsplit(url)
        near = parts.scheme == "http" and parts.hostname == urlsplit(self.issuer).hostname
        if parts.scheme != "https" and not (near and self.issuer.startswith("http://")):
            raise _refused(f"its {name} is not https")
        return url

    def _check_issuer(self, told: str | None) -> None:
        """Refuse the answer of another issuer than was asked (RFC 9207)."""
        if told is None and self._document().get("authorization_response_iss_parameter_supported") is True:
            raise _refused("the answer does not say whose it is")
        if told is not None and told != self.issuer:
            raise _refused("the answer is another issuer's")

    def _keys(self, *, again: bool) -> list[dict[str, Any]]:
        url = self._endpoint("jwks_uri")
        with self._lock:
            age = time.monotonic() - self._kept.keys_at
            if age > DOCUMENT_SECONDS or (again and age > KEYS_AGAIN_SECONDS):
                told = self._get_json(url).get("keys")
                keys = told[:MAX_KEYS] if isinstance(told, list) else []
                self._kept.keys = [key for key in keys if isinstance(key, dict) and _signs(key)]
                self._kept.keys_at = time.monotonic()
            return self._kept.keys

    # -- what it says of somebody ------------------------------------------------------------------

    def _claims(self, id_token: str, *, access_token: str, nonce: str, now: datetime) -> dict[str, Any]:
        offered = self._document().get("id_token_signing_alg_values_supported", ["RS256"])
        algorithms = sorted(ALGORITHMS & {one for one in offered if isinstance(one, str)})
        token = self._verified(id_token, algorithms)
        options = {
            "iss": {"essential": True, "value": self.issuer},
            "aud": {"essential": True, "value": self._client_id},
            "nonce": {"essential": True, "value": nonce},
        }
        params = {"nonce": nonce, "client_id": self._client_id, "access_token": access_token}
        claims = CodeIDToken(token.claims, token.header, options, params)
        try:
            claims.validate(now=int(now.timestamp()), leeway=LEEWAY_SECONDS)
        except (AuthlibBaseError, JoseError, ValueError, TypeError) as error:
            log.warning("an ID token is not believed", error=str(error)[:200])
            raise _refused("its claims do not hold") from error
        return dict(claims)

    def _verified(self, id_token: str, algorithms: list[str]) -> jwt.Token:
        for again in (False, True):
            try:
                keys = KeySet.import_key_set({"keys": self._keys(again=again)})
                return jwt.decode(id_token, keys, algorithms=algorithms)
            except (JoseError, ValueError, TypeError, KeyError) as error:
                failed = error  # perhaps signed by a key that is newer than what we know
        log.warning("an ID token is not believed", error=str(failed)[:200])
        raise _refused("its signature does not hold") from failed

    def _identity(self, claims: dict[str, Any], access_token: str) -> OidcIdentity:
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT:
            raise _refused("it names nobody")
        told = claims
        if "email" not in claims and "userinfo_endpoint" in self._document():
            told = self._get_json(self._endpoint("userinfo_endpoint"), {"Authorization": f"Bearer {access_token}"})
            if told.get("sub") != subject:
                raise _refused("what it tells is of somebody else")
        email = told.get("email")
        if (
            not isinstance(email, str)
            or not 3 <= len(email) <= MAX_EMAIL
            or email.count("@") != 1
            or not email.isprintable()
        ):
            email = None
        names = (told.get("name"), told.get("preferred_username"), email and email.partition("@")[0], "Somebody")
        name = next(one.strip() for one in names if isinstance(one, str) and one.strip() and one.isprintable())
        verified = email is not None and told.get("email_verified") is True
        return OidcIdentity(self.issuer, subject, email, verified, name[:MAX_NAME])

    # -- the way out -------------------------------------------------------------------------------

    def _get_json(self, url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        origin, path, query = _apart(url)
        with self._outside.opened(origin) as peer:
            answer = peer.get(path, query, headers, max_bytes=MAX_BYTES, seconds=SECONDS)
        if answer.status != 200:
            raise UpstreamUnavailable(f"The sign-in service answered with status {answer.status}.")
        try:
            told = json.loads(answer.content)
        except ValueError as error:
            raise UpstreamUnavailable("The sign-in service did not answer with JSON.") from error
        if not isinstance(told, dict):
            raise UpstreamUnavailable("The sign-in service did not answer with a JSON object.")
        return told

    def _post(self, url: str, body: bytes, headers: Mapping[str, str]) -> HttpResponse:
        origin, path, query = _apart(url)
        asked = path + (f"?{urlencode(query)}" if query else "")
        with self._outside.opened(origin) as peer:
            return peer.send("POST", asked, body, headers, max_bytes=MAX_BYTES, seconds=SECONDS)


def _apart(url: str) -> tuple[str, str, list[tuple[str, str]]]:
    """Take an address into its origin, its path and its query. Raises `AddressNotAllowed`."""
    if "#" in url or not url.isascii() or not url.isprintable():
        raise AddressNotAllowed("An address of the sign-in service can not be used.", slug="address-spelling")
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    parse_url(origin + parts.path)
    return origin, parts.path, parse_qsl(parts.query, keep_blank_values=True)


def _signs(key: Mapping[str, Any]) -> bool:
    return key.get("kty") in {"RSA", "EC", "OKP"} and key.get("use", "sig") == "sig"


def _refused(why: str) -> NotAuthenticated:
    return NotAuthenticated(
        f"The sign-in is not believed: {why}.",
        slug="sign-in-refused",
        remedy="Begin again. If it stays, the operator finds more in the log.",
    )


def create_issuer(settings: Settings) -> OidcIssuer | None:
    """Return the issuer as the operator set it, or None. Raises `ValueError` for an address that can not be asked."""
    if not settings.oidc_issuer:
        return None
    try:
        host = parse_url(settings.oidc_issuer).host
    except AddressNotAllowed as error:
        raise ValueError(f"SLOWPATH_OIDC_ISSUER: {error.detail}") from error
    # The operator's own setting names this host, so it may lie in the operator's network; no address of a user does.
    allowed = parse_allowlist(f"{settings.egress_allowlist},{host}")
    outside = AllowlistedEgressClient(allowed, only_listed=settings.outside == "listed")
    secret = settings.oidc_client_secret.get_secret_value()
    return OidcIssuer(settings.oidc_issuer, settings.oidc_client_id, secret, outside)
