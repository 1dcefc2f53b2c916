"""Sign-in by OpenID Connect: the authorization code flow with PKCE, with the configured issuer.

Authlib makes the requests and checks the claims; all requests use `adapters.egress`. The issuer's documents are verified:
the issuer must be the configured one, endpoints must use https, and tokens must be signed by a key of the issuer with an
asymmetric algorithm.
"""

import json
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
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
from slowpath.adapters.external_identities import MAX_SUBJECT, choose_name, make_sign_in_error, parse_email
from slowpath.core.errors import AddressNotAllowed, NotAuthenticated, Unavailable, UpstreamUnavailable
from slowpath.core.ids import TeamId
from slowpath.core.ports import EgressClient, ExternalIdentity, HttpResponse
from slowpath.core.settings import Settings

SCOPE: Final = "openid email profile"
ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA", "Ed25519"}
)
"""Excludes `none` and symmetric algorithms: the client secret must not sign tokens."""
LEEWAY_SECONDS: Final = 60
"""Allowed difference between the clocks of the issuer and this server."""
DOCUMENT_SECONDS: Final = 3600.0
"""Lifetime of the cached issuer metadata."""
MIN_KEY_REFRESH_SECONDS: Final = 10.0
"""Shortest pause between two requests for keys because of a token with an unknown key, which may be a new or an invalid one."""
MAX_BYTES: Final = 1 << 20
MAX_KEYS: Final = 100
MAX_HINT: Final = 4_000
"""Longest ID token in a logout URL: servers reject longer URLs. Without it, the issuer asks the user to confirm."""
TIMEOUT_SECONDS: Final = 10.0
MAX_ISSUERS: Final = 200
TURN_SECONDS: Final = 2.0
VERIFIED_AT_ONCE: Final = 4

log = structlog.get_logger(__name__)


class _ClientAuthenticator(Protocol):
    """Authlib's client authentication."""

    def prepare(self, method: str, uri: str, headers: dict[str, str], body: str) -> tuple[str, dict[str, str], str]:
        """Return the request with the client's credentials."""


@dataclass(frozen=True)
class _AuthlibResponse:
    """A response with the interface that Authlib expects."""

    response: HttpResponse

    @property
    def status_code(self) -> int:
        return self.response.status

    def json(self) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(self.response.content)

    def raise_for_status(self) -> None:
        raise UpstreamUnavailable(f"The sign-in service responded with status {self.response.status}.")


@dataclass(frozen=True)
class _EgressTransport:
    """Sends Authlib's requests with the egress client."""

    send: Callable[[str, bytes, Mapping[str, str]], HttpResponse]

    def post(
        self, url: str, *, data: Mapping[str, str], headers: Mapping[str, str], auth: _ClientAuthenticator
    ) -> _AuthlibResponse:
        """Send a form and return the response."""
        url, sent, body = auth.prepare("POST", url, dict(headers), urlencode(data))
        sent["Content-Type"] = "application/x-www-form-urlencoded"
        return _AuthlibResponse(self.send(url, body.encode(), sent))


@dataclass
class _IssuerMetadata:
    """Cached metadata and keys of the issuer, with the times they were read."""

    document: dict[str, Any] = field(default_factory=dict)
    read_at: float = float("-inf")
    keys: list[dict[str, Any]] = field(default_factory=list)
    keys_at: float = float("-inf")


class OidcIssuer:
    """The configured issuer."""

    def __init__(self, issuer: str, client_id: str, client_secret: str, outside: EgressClient) -> None:
        """Set the issuer; this sends no request."""
        self.issuer = issuer
        self._client_id = client_id
        self._client_secret = client_secret
        self._outside = outside
        self._metadata = _IssuerMetadata()
        self._lock = threading.Lock()

    def begin(self, *, redirect_uri: str, state: str, nonce: str, verifier: str, forces_sign_in: bool = False) -> str:
        """Return the URL to redirect the browser to. Raises `AddressNotAllowed`, `UpstreamUnavailable`, `NotAuthenticated`."""
        forced = {"prompt": "login", "max_age": "0"} if forces_sign_in else {}  # with max_age, auth_time is required
        endpoint = self._endpoint("authorization_endpoint")
        client = self._client()
        url, _ = client.create_authorization_url(
            endpoint, state=state, code_verifier=verifier, nonce=nonce, redirect_uri=redirect_uri, **forced
        )
        return str(url)

    def finish(
        self, *, code: str, stated_issuer: str | None, redirect_uri: str, nonce: str, verifier: str, now: datetime
    ) -> ExternalIdentity:
        """Exchange a code for the user's identity. Raises `NotAuthenticated` with the reason, `UpstreamUnavailable`."""
        self._check_issuer(stated_issuer)
        try:
            tokens = self._client().fetch_token(
                self._endpoint("token_endpoint"),
                grant_type="authorization_code",
                code=code,
                redirect_uri=redirect_uri,
                code_verifier=verifier,
            )
        except (AuthlibBaseError, ValueError) as error:
            raise make_sign_in_error("the issuer rejected the code") from error
        access_token, id_token = tokens.get("access_token"), tokens.get("id_token")
        if not isinstance(id_token, str) or not isinstance(access_token, str):
            raise make_sign_in_error("the response has no ID token")
        claims = self._claims(id_token, access_token=access_token, nonce=nonce, now=now)
        return replace(self._identity(claims, access_token), id_token=id_token)

    def leave(self, *, id_token: str, returns_to: str) -> str | None:
        """Return the URL that ends the issuer's session (RP-Initiated Logout 1.0); None if there is none.

        Raises `AddressNotAllowed`, `UpstreamUnavailable`, `NotAuthenticated`.
        """
        if "end_session_endpoint" not in self._document():
            return None
        url = self._endpoint("end_session_endpoint")
        _split_url(url)
        query = {"client_id": self._client_id, "post_logout_redirect_uri": returns_to}
        if len(id_token) <= MAX_HINT:
            query["id_token_hint"] = id_token
        return f"{url}{'&' if '?' in url else '?'}{urlencode(query)}"

    def _client(self) -> OAuth2Client:
        return OAuth2Client(
            _EgressTransport(self._post),
            client_id=self._client_id,
            client_secret=self._client_secret,
            token_endpoint_auth_method=self._authentication_method(),
            scope=SCOPE,
            code_challenge_method="S256",
        )

    def _authentication_method(self) -> str:
        """Return the client authentication method: in the body if supported, because servers decode headers differently."""
        if not self._client_secret:
            return "none"
        methods = self._document().get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
        return "client_secret_post" if "client_secret_post" in methods else "client_secret_basic"

    # -- issuer metadata ----------------------------------------------------------------------------

    def _document(self) -> dict[str, Any]:
        """Return the issuer's metadata (OpenID Connect Discovery 1.0), requested once per hour."""
        with self._lock:
            if time.monotonic() - self._metadata.read_at > DOCUMENT_SECONDS:
                document = self._get_json(self.issuer.rstrip("/") + "/.well-known/openid-configuration")
                if document.get("issuer") != self.issuer:
                    raise make_sign_in_error("the issuer's metadata is that of another issuer")
                self._metadata = _IssuerMetadata(document, time.monotonic())
            return self._metadata.document

    def _endpoint(self, name: str) -> str:
        """Return an endpoint, which must use https unless it is on this machine like the issuer."""
        url = self._document().get(name)
        if not isinstance(url, str):
            raise make_sign_in_error(f"the issuer has no {name}")
        parts = urlsplit(url)
        is_local = parts.scheme == "http" and parts.hostname == urlsplit(self.issuer).hostname
        if parts.scheme != "https" and not (is_local and self.issuer.startswith("http://")):
            raise make_sign_in_error(f"its {name} is not https")
        return url

    def _check_issuer(self, issuer: str | None) -> None:
        """Check that the response is from the configured issuer (RFC 9207). Raises `NotAuthenticated`."""
        if issuer is None and self._document().get("authorization_response_iss_parameter_supported") is True:
            raise make_sign_in_error("the response does not name its issuer")
        if issuer is not None and issuer != self.issuer:
            raise make_sign_in_error("the response is from another issuer")

    def _keys(self, *, again: bool) -> list[dict[str, Any]]:
        url = self._endpoint("jwks_uri")
        with self._lock:
            age = time.monotonic() - self._metadata.keys_at
            if age > DOCUMENT_SECONDS or (again and age > MIN_KEY_REFRESH_SECONDS):
                found = self._get_json(url).get("keys")
                keys = found[:MAX_KEYS] if isinstance(found, list) else []
                self._metadata.keys = [key for key in keys if isinstance(key, dict) and _is_signing_key(key)]
                self._metadata.keys_at = time.monotonic()
            return self._metadata.keys

    # -- claims -------------------------------------------------------------------------------------

    def _claims(self, id_token: str, *, access_token: str, nonce: str, now: datetime) -> dict[str, Any]:
        token = self._verify_signature(id_token, self._algorithms())
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
            log.warning("oidc.id_token_invalid", error=str(error)[:200])
            raise make_sign_in_error("the claims of the ID token are invalid") from error
        return dict(claims)

    def verify_job_token(self, id_token: str, now: datetime) -> dict[str, Any]:
        """Return the claims of an ID token for this client that no browser asked for. Raises `NotAuthenticated`."""
        token = self._verify_signature(id_token, self._algorithms())
        registry = jwt.JWTClaimsRegistry(
            now=int(now.timestamp()),
            leeway=LEEWAY_SECONDS,
            iss={"essential": True, "value": self.issuer},
            aud={"essential": True, "value": self._client_id},
            exp={"essential": True},
            iat={"essential": True},
            sub={"essential": True},
        )
        try:
            registry.validate(token.claims)
        except (JoseError, ValueError, TypeError) as error:
            raise NotAuthenticated(
                f"The claims of the ID token are invalid: {str(error)[:200]}.",
                slug="ci-token-rejected",
                remedy=f"Request it in this job, with the audience {self._client_id}.",
            ) from error
        return dict(token.claims)

    def _algorithms(self) -> list[str]:
        offered = self._document().get("id_token_signing_alg_values_supported", ["RS256"])
        return sorted(ALGORITHMS & {one for one in offered if isinstance(one, str)})

    def _verify_signature(self, id_token: str, algorithms: list[str]) -> jwt.Token:
        for again in (False, True):
            try:
                keys = KeySet.import_key_set({"keys": self._keys(again=again)})
                return jwt.decode(id_token, keys, algorithms=algorithms)
            except (JoseError, ValueError, TypeError, KeyError) as error:
                failed = error  # possibly signed by a key newer than the cached ones
        log.warning("oidc.id_token_invalid", error=str(failed)[:200])
        raise make_sign_in_error("the signature of the ID token is invalid") from failed

    def _identity(self, claims: dict[str, Any], access_token: str) -> ExternalIdentity:
        subject = claims["sub"]
        if not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT:
            raise make_sign_in_error("the ID token has no valid subject")
        profile = claims
        if "email" not in claims and "userinfo_endpoint" in self._document():
            profile = self._get_json(self._endpoint("userinfo_endpoint"), {"Authorization": f"Bearer {access_token}"})
            if profile.get("sub") != subject:
                raise make_sign_in_error("the user information has another subject")
        email = parse_email(profile.get("email"))
        name = choose_name(email, profile.get("name"), profile.get("preferred_username"))
        verified = email is not None and profile.get("email_verified") is True
        authenticated_at = _parse_moment(claims.get("auth_time"))
        return ExternalIdentity(self.issuer, subject, email, verified, name, authenticated_at=authenticated_at)

    # -- requests -----------------------------------------------------------------------------------

    def _get_json(self, url: str, headers: Mapping[str, str] | None = None) -> dict[str, Any]:
        origin, path, query = _split_url(url)
        with self._outside.opened(origin) as peer:
            response = peer.get(path, query, headers, max_bytes=MAX_BYTES, seconds=TIMEOUT_SECONDS)
        if response.status != 200:
            raise UpstreamUnavailable(f"The sign-in service responded with status {response.status}.")
        try:
            document = json.loads(response.content)
        except ValueError as error:
            raise UpstreamUnavailable("The sign-in service did not respond with JSON.") from error
        if not isinstance(document, dict):
            raise UpstreamUnavailable("The sign-in service did not respond with a JSON object.")
        return document

    def _post(self, url: str, body: bytes, headers: Mapping[str, str]) -> HttpResponse:
        origin, path, query = _split_url(url)
        target = path + (f"?{urlencode(query)}" if query else "")
        with self._outside.opened(origin) as peer:
            return peer.send("POST", target, body, headers, max_bytes=MAX_BYTES, seconds=TIMEOUT_SECONDS)


def _split_url(url: str) -> tuple[str, str, list[tuple[str, str]]]:
    """Split a URL into origin, path and query. Raises `AddressNotAllowed`."""
    if "#" in url or not url.isascii() or not url.isprintable():
        raise AddressNotAllowed("An address of the sign-in service is invalid.", slug="address-spelling")
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    parse_url(origin + parts.path)
    return origin, parts.path, parse_qsl(parts.query, keep_blank_values=True)


def _parse_moment(seconds: object) -> datetime | None:
    """Return the time of a claim, which may be anything; None for what is not a time."""
    if not isinstance(seconds, int | float) or isinstance(seconds, bool):
        return None
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _is_signing_key(key: Mapping[str, Any]) -> bool:
    return key.get("kty") in {"RSA", "EC", "OKP"} and key.get("use", "sig") == "sig"


class CachingIdTokenVerifier:
    """Verifies ID tokens of issuers that teams trust; metadata and keys are read like those of the configured issuer.

    One token of a team at a time and few of all teams, so that slow issuers occupy few threads.
    """

    def __init__(self, outside: EgressClient) -> None:
        """Set the egress client, which decides on the addresses."""
        self._outside = outside
        self._issuers: OrderedDict[tuple[TeamId, str, str], OidcIssuer] = OrderedDict()
        self._turns: dict[TeamId, threading.Lock] = {}
        self._room = threading.BoundedSemaphore(VERIFIED_AT_ONCE)
        self._lock = threading.Lock()

    def verify(self, team_id: TeamId, issuer: str, id_token: str, *, audience: str, now: datetime) -> Mapping[str, Any]:
        """Return the claims of a token. Raises like the port."""
        key = (team_id, issuer, audience)
        with self._lock:
            trusted = self._issuers.pop(key, None) or OidcIssuer(issuer, audience, "", self._outside)
            self._issuers[key] = trusted
            if len(self._issuers) > MAX_ISSUERS:
                self._issuers.popitem(last=False)
            turn = self._turns.setdefault(team_id, threading.Lock())
        with ExitStack() as held:
            for lock in (turn, self._room):
                if not lock.acquire(timeout=TURN_SECONDS):
                    raise Unavailable("The issuers of ID tokens respond too slowly.", remedy="Try again in a minute.")
                held.callback(lock.release)
            return trusted.verify_job_token(id_token, now)


def create_issuer(settings: Settings) -> OidcIssuer | None:
    """Return the configured issuer, or None. Raises `ValueError` for an invalid URL."""
    if not settings.oidc_issuer:
        return None
    try:
        host = parse_url(settings.oidc_issuer).host
    except AddressNotAllowed as error:
        raise ValueError(f"SLOWPATH_OIDC_ISSUER: {error.detail}") from error
    # The operator's setting names this host, so it may be private; addresses from users may not.
    allowed = parse_allowlist(f"{settings.egress_allowlist},{host}")
    outside = AllowlistedEgressClient(allowed, only_listed=settings.outside == "listed")
    secret = settings.oidc_client_secret.get_secret_value()
    return OidcIssuer(settings.oidc_issuer, settings.oidc_client_id, secret, outside)
