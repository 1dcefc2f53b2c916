"""Dependencies by which every endpoint declares its permission.

A dependency authenticates the caller (session cookie or bearer token), chooses the team, checks the permission and sets
the scope of the request, which decides the rows its sessions see. It does so for every request and caches nothing, so
that a revoked credential is invalid immediately.

`right_of(call)` returns the declared permission; a test walks all endpoints with it.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

import structlog
from fastapi import Depends, Path, Request, Security
from fastapi.security import APIKeyCookie, HTTPBearer

from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.ids import UserId
from slowpath.core.ports import RateLimiter
from slowpath.platform.accounts import service
from slowpath.platform.accounts.errors import (
    CredentialsMissing,
    CrossOriginRequest,
    HttpsRequired,
    InsufficientRole,
    InsufficientScope,
    RateLimitExceeded,
    SecondFactorMissing,
    TeamNotFound,
    TeamNotSpecified,
    TokenRequired,
    UserRequired,
)
from slowpath.platform.accounts.rules.account_limits import RATE_SECONDS
from slowpath.platform.accounts.rules.request_origin import (
    LOOPBACK_COOKIE,
    SAFE_COOKIE,
    SessionCookie,
    choose_session_cookie,
    is_same_origin,
)
from slowpath.platform.accounts.rules.roles import (
    ROLE_FOR,
    SCOPES_FOR,
    Caller,
    Permission,
    Role,
    SignedInUser,
    TeamMembership,
    nearest_role,
)
from slowpath.platform.http.anonymous_work import accept_credentials
from slowpath.platform.http.rate_limit_headers import RateLimitStatus, set_rate_limit_status
from slowpath.platform.http.request_dependencies import clock, database, scope_of, settings
from slowpath.platform.http.turns import Turns

__all__ = [
    "Anyone",
    "AnyoneFromAnySite",
    "Caller",
    "ChangeGuard",
    "InTeam",
    "MayAudit",
    "MayDeploy",
    "MayManage",
    "MayOwn",
    "MayProvision",
    "MayRead",
    "MayRun",
    "MaySend",
    "MayUpload",
    "MayWait",
    "MayWrite",
    "SignedIn",
    "SignedInUser",
    "Throttled",
    "client_address",
    "get_signed_in_user",
    "is_still_allowed",
    "session_cookie",
    "take_check_turn",
]

ChangeGuard = Callable[[ReadSession, str, Mapping[str, str]], None]
"""Refuses an operation (its ID) on the objects that its path parameters name, by an error."""

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
TEAM_HEADER = "Slowpath-Team"
TEAM_QUERY = "team"

# Requested only so that OpenAPI documents them; reading the request below gives more precise errors.
in_cookie = APIKeyCookie(name=SAFE_COOKIE.name, scheme_name="session", auto_error=False)
in_header = HTTPBearer(scheme_name="token", auto_error=False)
InCookie = Annotated[object, Security(in_cookie)]
InHeader = Annotated[object, Security(in_header)]


def _bearer(request: Request) -> str | None:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def client_address(request: Request) -> str:
    """Return the client's IP address; behind a proxy, the server has already set the forwarded one."""
    return request.client.host if request.client else ""


def _team_in_path(_team_id: Annotated[UUID, Path(alias="team_id")]) -> None:
    """Document the team in the path; the caller is resolved from the path."""


InTeam = Depends(_team_in_path)
"""For routers under `/teams/{team_id}`."""


def _throttle(request: Request) -> RateLimiter:
    found: RateLimiter = request.app.state.throttle
    return found


Throttled = Annotated[RateLimiter, Depends(_throttle)]


def session_cookie(request: Request) -> SessionCookie:
    """Return the session cookie for the request's host. Raises `HttpsRequired` if it would travel unencrypted."""
    cookie = choose_session_cookie(settings(request).public_url, request.headers.get("host", ""))
    if cookie is None:
        raise HttpsRequired(
            "Slowpath requires HTTPS here: over plain HTTP, others on the network could read the session.",
            remedy="Put a proxy with a certificate in front of it and set SLOWPATH_PUBLIC_URL, or open http://127.0.0.1.",
        )
    return cookie


def check_origin(request: Request, *, needed: bool) -> None:
    """Reject cross-site requests. Browsers send the origin with every unsafe method."""
    if request.method in SAFE_METHODS:
        return
    origin = request.headers.get("origin")
    if origin is None:
        if needed:
            raise CrossOriginRequest(
                "A change with a session cookie requires the header Origin.",
                remedy="In a program, use a token (Authorization: Bearer) instead.",
            )
        return
    public_url = settings(request).public_url
    if not is_same_origin(origin, public_url):
        raise CrossOriginRequest(
            f"The request comes from a site other than {public_url}.",
            remedy="Open Slowpath at that address, or set SLOWPATH_PUBLIC_URL to the address in the browser.",
        )


def _session_of(request: Request) -> SignedInUser:
    cookies = request.cookies
    if SAFE_COOKIE.name not in cookies and LOOPBACK_COOKIE.name not in cookies:
        raise CredentialsMissing(
            "The request has neither a session nor a token.", remedy="Sign in, or send Authorization: Bearer <token>."
        )
    secret = cookies.get(session_cookie(request).name, "")
    check_origin(request, needed=True)
    return service.find_session(database(request), secret, now=_now(request))


def get_signed_in_user(request: Request) -> SignedInUser:
    """Return the signed-in user, for endpoints that require one only for some requests. Raises `CredentialsMissing`."""
    return _session_of(request)


def _now(request: Request) -> datetime:
    return clock(request).now()


def _team_of(request: Request, teams: tuple[TeamMembership, ...]) -> TeamMembership:
    """Return the team: that of the path, else that of the header or query, else the only one."""
    in_path = request.path_params.get("team_id")
    named = in_path or request.headers.get(TEAM_HEADER) or request.query_params.get(TEAM_QUERY)
    if named is not None:
        found = next((team for team in teams if named.lower() in (str(team.id), team.slug)), None)
        if found is None:
            raise TeamNotFound("The team does not exist, or you are not a member.")
        return found
    if len(teams) == 1:
        return teams[0]
    detail = "You are a member of several teams." if teams else "You are not a member of a team."
    remedy = (
        f"Name the team in the header {TEAM_HEADER} or the query ?{TEAM_QUERY}=."
        if teams
        else "Create a team, or accept an invitation."
    )
    raise TeamNotSpecified(detail, remedy=remedy)


def _count_user(request: Request, user_id: UserId) -> None:
    """Count a request against the rate limit of its user. Raises `RateLimitExceeded`."""
    limit = settings(request).user_requests_per_minute
    _take(request, "requests", limit, "Your account", f"requests:user:{user_id}")


def _count(request: Request, found: service.AuthenticatedToken, *, uploads: bool) -> None:
    """Count a request against the rate limits of its token and team. Raises `RateLimitExceeded`."""
    limits, name = settings(request), "uploads" if uploads else "requests"
    own = found.uploads_per_minute if uploads else found.requests_per_minute
    usual = limits.token_uploads_per_minute if uploads else limits.token_requests_per_minute
    together = limits.team_uploads_per_minute if uploads else limits.team_requests_per_minute
    for who, times, key in (
        ("This token", own or usual, f"{name}:token:{found.token_id}"),
        ("All tokens of this team together", together, f"{name}:team:{found.team_id}"),
    ):
        _take(request, name, times, who, key)


def _take(request: Request, name: str, times: int, who: str, key: str) -> None:
    """Count a request. Without a broker none is rejected: an outage of the broker must not stop other work."""
    taken = _throttle(request).take(key, times=times, seconds=RATE_SECONDS) if times else None
    if taken is None:
        return
    set_rate_limit_status(request, RateLimitStatus(name, times, RATE_SECONDS, taken.left, taken.wait_s))
    if not taken.allowed:
        refused = RateLimitExceeded(
            f"{who} reached the limit of {times:,} {name} per minute.",
            limit=times,
            actual=times + 1,
            unit=f"{name} per minute",
            remedy=f"Try again in {taken.wait_s} s, or ask an admin for a higher rate limit.",
        )
        refused.retry_after_s = taken.wait_s
        raise refused


def _require_changeable(request: Request) -> None:
    """Let the guard of the app, if it has one, refuse changes of objects that the path names. Queries the database."""
    guard: ChangeGuard | None = getattr(request.app.state, "change_guard", None)
    if guard is not None:
        with database(request).reading(scope_of(request)) as session:
            guard(session, str(getattr(request.scope.get("route"), "operation_id", "")), request.path_params)


@dataclass(frozen=True)
class TeamAccess:
    """The dependency behind `MayRead` and similar."""

    right: Permission

    def __call__(self, request: Request, _cookie: InCookie, _header: InHeader) -> Caller:
        """Return the caller. Raises `NotAuthenticated`, `PermissionDenied`, `NotFound`."""
        caller = self.caller(request, counted=True)
        scope = scope_of(request)
        scope.team_id, scope.user_id, scope.program_id = caller.team_id, caller.user_id, caller.program_id
        accept_credentials(request)
        structlog.contextvars.bind_contextvars(team_id=str(caller.team_id))
        if request.path_params and request.method not in SAFE_METHODS:
            _require_changeable(request)
        return caller

    def caller(self, request: Request, *, counted: bool) -> Caller:
        """Return the caller; with `counted`, count the request against the token's rate limit."""
        token = _bearer(request)
        return (
            self._person(request, counted=counted) if token is None else self._program(request, token, counted=counted)
        )

    def _person(self, request: Request, *, counted: bool) -> Caller:
        found = _session_of(request)
        if counted:
            _count_user(request, found.user_id)
        team = _team_of(request, found.teams)
        needed = ROLE_FOR.get(self.right)
        if needed is None:
            raise TokenRequired(
                f"This requires a token with the scope {' or '.join(sorted(SCOPES_FOR[self.right]))}.",
                remedy="Send Authorization: Bearer <token>.",
            )
        if not team.role.reaches(needed):
            who = "owner" if needed is Role.OWNER else "admin"
            raise InsufficientRole(
                f"This requires the role {needed} in the team; your role is {team.role}.",
                remedy=f"Ask an {who} of the team to do it.",
            )
        if team.requires_second_factor and not found.is_multi_factor:
            raise SecondFactorMissing(
                f"The team {team.name} requires a second factor, and you signed in without one.",
                remedy="Add one under Settings, Your account.",
            )
        return Caller(
            team.id,
            found.user_id,
            None,
            team.role,
            frozenset(),
            is_multi_factor=found.is_multi_factor,
            session_id=found.session_id,
        )

    def _program(self, request: Request, secret: str, *, counted: bool) -> Caller:
        found = service.authenticate_token(database(request), secret, now=_now(request))
        if counted:
            _count(request, found, uploads=self.right in {Permission.UPLOAD, Permission.SEND})
        in_path = request.path_params.get("team_id")
        if in_path is not None and in_path.lower() != str(found.team_id):
            raise TeamNotFound("The team does not exist, or the token belongs to another team.")
        enough = SCOPES_FOR.get(self.right)
        if enough is None:
            raise UserRequired("No token has this permission.", remedy="Sign in as a user.")
        if not found.scopes & enough:
            raise InsufficientScope(
                f"This requires a token with the scope {' or '.join(sorted(enough))}; this one has "
                f"{', '.join(sorted(found.scopes)) or 'none that its service account can use'}.",
                remedy="Create another token.",
            )
        role = nearest_role(found.scopes)
        return Caller(found.team_id, None, found.token_id, role, found.scopes, found.account_id)


@dataclass(frozen=True)
class UserAccess:
    """The dependency behind `SignedIn`."""

    right: Permission = Permission.SIGNED_IN

    def __call__(self, request: Request, _cookie: InCookie) -> SignedInUser:
        """Return the signed-in user. Raises `NotAuthenticated`, `PermissionDenied`."""
        if _bearer(request) is not None:
            raise UserRequired("No token has this permission.", remedy="Sign in as a user.")
        person = _session_of(request)
        _count_user(request, person.user_id)
        scope_of(request).user_id = person.user_id
        accept_credentials(request)
        return person


@dataclass(frozen=True)
class PublicAccess:
    """The dependency behind `Anyone`: declares explicitly that an endpoint requires no sign-in."""

    right: Permission = Permission.ANYONE

    def __call__(self, request: Request) -> None:
        """Reject only cross-site requests."""
        check_origin(request, needed=False)


@dataclass(frozen=True)
class CrossSiteAccess:
    """The dependency behind `AnyoneFromAnySite`: for a form of another site. Such a route must read no cookie."""

    right: Permission = Permission.ANYONE

    def __call__(self) -> None:
        """Accept every origin."""


def is_still_allowed(request: Request, right: Permission) -> bool:
    """Return whether the caller of a long response is still authorized. Queries the database; blocks."""
    try:
        TeamAccess(right).caller(request, counted=False)
    except (NotFound, InvalidRequest):
        return False
    return True


MayRead = Annotated[Caller, Depends(TeamAccess(Permission.READ))]
MayWait = Annotated[Caller, Depends(TeamAccess(Permission.WAIT))]
MayUpload = Annotated[Caller, Depends(TeamAccess(Permission.UPLOAD))]
MaySend = Annotated[Caller, Depends(TeamAccess(Permission.SEND))]
MayDeploy = Annotated[Caller, Depends(TeamAccess(Permission.DEPLOY))]
MayRun = Annotated[Caller, Depends(TeamAccess(Permission.RUN))]
MayWrite = Annotated[Caller, Depends(TeamAccess(Permission.WRITE))]
MayAudit = Annotated[Caller, Depends(TeamAccess(Permission.AUDIT))]
MayProvision = Annotated[Caller, Depends(TeamAccess(Permission.SCIM))]
MayManage = Annotated[Caller, Depends(TeamAccess(Permission.MANAGE))]
MayOwn = Annotated[Caller, Depends(TeamAccess(Permission.OWN))]
SignedIn = Annotated[SignedInUser, Depends(UserAccess())]
Anyone = Annotated[None, Depends(PublicAccess())]
AnyoneFromAnySite = Annotated[None, Depends(CrossSiteAccess())]


async def take_check_turn(request: Request, caller: MayManage) -> AsyncIterator[None]:
    """Wait, without a thread, until no other request of the team to an address that users gave runs, and few of all teams."""
    turns: Turns = request.app.state.check_turns
    async with turns.of(str(caller.team_id)):
        yield
