"""Sign-in with the identity provider, and linked identities. One browser starts and finishes a flow, once."""

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import Row, delete
from sqlalchemy.exc import IntegrityError

from slowpath.core.db_sessions import Database, ReadSession, WriteSession
from slowpath.core.encryption import DecryptionError, SecretEncryptor
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import TeamId, UserId
from slowpath.core.ports import OidcIdentity, OidcIssuerPort, RateLimiter
from slowpath.core.settings import Settings
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.errors import (
    EmailNotVerified,
    IdentityAlreadyLinked,
    LastSignInMethod,
    LinkedIdentityNotFound,
    OidcResponseRejected,
    SignUpClosed,
)
from slowpath.platform.accounts.rules.account_names import is_unambiguous_email, normalize_email
from slowpath.platform.accounts.rules.oidc_flow import (
    FLOW_SECONDS,
    LEFT_PATH,
    OidcFlow,
    parse_domain_teams,
    safe_return_path,
)
from slowpath.platform.accounts.rules.roles import SignedInUser
from slowpath.platform.accounts.service.invitations import preview_invitation
from slowpath.platform.accounts.service.provisioned_members import claim_memberships, list_unclaimed_members
from slowpath.platform.accounts.service.second_factors import delete_second_factors
from slowpath.platform.accounts.service.users import (
    VerifiedUser,
    count_sign_in_by_address,
    sign_up,
    sign_up_by_domain,
    sign_up_invited,
    sign_up_provisioned,
)
from slowpath.platform.accounts.tables import UserIdentity, UserPassword, UserSession

PURPOSE = UUID("5f0f2c4e-6d0b-4b55-9a4b-0f6b1f1f7a11")
"""The encryption purpose of a flow, so that no other encrypted value is accepted as one."""
TOKEN_PURPOSE = UUID("0c2f0d0b-94a5-4a61-8a0f-3a1f8f6f5c52")
MAX_TOKEN = 16_384
AGAIN = "Start again in one browser, at the public address of Slowpath."
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class StartedOidcFlow:
    """The address to send the browser to, and the cookie it must return."""

    url: str
    sealed: bytes


def start_oidc_flow(
    issuer: OidcIssuerPort,
    sealer: SecretEncryptor,
    throttle: RateLimiter,
    *,
    redirect_uri: str,
    address: str,
    next_path: str | None,
    link: UserId | None,
    invitation: str | None,
    now: datetime,
    confirms: UUID | None = None,
) -> StartedOidcFlow:
    """Start a sign-in, a link, or the confirmation of a session, for which the user must sign in there anew. Raises `LimitExceeded`, and the errors of `OidcIssuerPort.begin`."""
    count_sign_in_by_address(throttle, address)
    state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
    url = issuer.begin(
        redirect_uri=redirect_uri, state=state, nonce=nonce, verifier=verifier, forces_sign_in=confirms is not None
    )
    flow_state = {
        "state": state,
        "nonce": nonce,
        "verifier": verifier,
        "next": safe_return_path(next_path),
        "link": None if link is None else str(link),
        "invitation": invitation,
        "confirms": None if confirms is None else str(confirms),
        "until": (now + timedelta(seconds=FLOW_SECONDS)).isoformat(),
    }
    return StartedOidcFlow(url, sealer.seal(json.dumps(flow_state), PURPOSE))


def verify_oidc_flow(
    sealer: SecretEncryptor, throttle: RateLimiter, sealed: bytes | None, *, state: str, now: datetime
) -> OidcFlow:
    """Return the sign-in that this browser started; it can be finished once. Raises `OidcResponseRejected`."""
    if sealed is None:
        raise OidcResponseRejected(
            "This browser has no sign-in in progress, or the sign-in took too long.", remedy=AGAIN
        )
    try:
        flow_state = json.loads(sealer.unseal(sealed, PURPOSE))
    except (DecryptionError, ValueError) as error:
        raise OidcResponseRejected("The sign-in cookie of this browser cannot be decrypted.", remedy=AGAIN) from error
    link, confirms = flow_state["link"], flow_state.get("confirms")  # earlier versions know no confirmation
    flow = OidcFlow(
        flow_state["state"],
        flow_state["nonce"],
        flow_state["verifier"],
        flow_state["next"],
        None if link is None else UserId(UUID(link)),
        flow_state["invitation"],
        datetime.fromisoformat(flow_state["until"]),
        None if confirms is None else UUID(confirms),
    )
    if not hmac.compare_digest(flow.state.encode(), state.encode()):
        raise OidcResponseRejected("The response belongs to another sign-in.", remedy=AGAIN)
    if flow.until <= now:
        raise OidcResponseRejected("The sign-in took too long.", limit=FLOW_SECONDS, unit="seconds", remedy=AGAIN)
    if not throttle.hit(f"sign-in-state:{state}", times=1, seconds=FLOW_SECONDS):
        raise OidcResponseRejected("The response was already used.", remedy=AGAIN)
    return flow


def sign_in_with_identity(
    session: WriteSession,
    database: Database,
    settings: Settings,
    identity: OidcIdentity,
    flow: OidcFlow,
    *,
    now: datetime,
) -> VerifiedUser:
    """Return the user of an identity, linked or created if allowed; the session's scope becomes theirs.

    If the identity provider verified the email, the user also gets the memberships that SCIM provisioned for it. A known identity signs its user in. An unknown one is linked to the user who requested that while signed in, or to the
    user with its email if the identity provider verified it; otherwise a new user signs up.
    Raises `IdentityAlreadyLinked`, `EmailNotVerified`, `SignUpClosed`.
    """
    with database.cross_team() as cross_team:
        known = queries.find_sign_in(cross_team, identity.issuer, identity.subject, email=identity.email, seen_at=now)
        by_mail = None
        if known is None and identity.email is not None and _vouched(identity):
            by_mail = queries.find_person(cross_team, normalize_email(identity.email))
    unclaimed: Sequence[Row[Any]] = ()
    if flow.link is None and identity.email is not None and _vouched(identity):
        unclaimed = list_unclaimed_members(database, identity.email, now=now)
    if known is not None:
        person = _enter_known(session, VerifiedUser(UserId(known.user_id), known.email, known.name), flow)
        claim_memberships(session, unclaimed, person.user_id, now=now)
        return person
    if flow.link is not None:
        session.scope.user_id = flow.link
        _link(session, flow.link, identity, now=now)
        return VerifiedUser(flow.link, "", "")
    if identity.email is None or not _vouched(identity):
        raise EmailNotVerified(
            "The identity provider did not confirm your email, so it cannot be matched to an account.",
            remedy="Verify your email there. If you have an account here, sign in as usual and link the identity on your account page.",
        )
    if by_mail is not None:
        person = _take_over(
            session, VerifiedUser(UserId(by_mail.user_id), by_mail.email, by_mail.name), identity, now=now
        )
    else:
        joins = TeamId(unclaimed[0].team_id) if unclaimed else None
        person = _newcomer(session, database, settings, identity, provisioned=joins, flow=flow, now=now)
    claim_memberships(session, unclaimed, person.user_id, now=now)
    return person


def _enter_known(session: WriteSession, person: VerifiedUser, flow: OidcFlow) -> VerifiedUser:
    if flow.link is not None and person.user_id != flow.link:
        raise IdentityAlreadyLinked(
            "This identity is linked to another user.", remedy="Sign in with it, or link another identity."
        )
    session.scope.user_id = person.user_id
    return person


def _vouched(identity: OidcIdentity) -> bool:
    return identity.email_verified and identity.email is not None and is_unambiguous_email(identity.email)


def _take_over(session: WriteSession, person: VerifiedUser, identity: OidcIdentity, *, now: datetime) -> VerifiedUser:
    """Link an identity to the user with its email.

    A sign-up with a password does not prove the email: an attacker may have created the account and waited for this. So the
    password, second factors and all earlier sessions are deleted.
    """
    session.scope.user_id = person.user_id
    _link(session, person.user_id, identity, now=now)
    delete_second_factors(session, person.user_id)
    session.execute(delete(UserPassword).where(UserPassword.user_id == person.user_id))
    queries.end_sessions(session, person.user_id)
    return person


def _newcomer(
    session: WriteSession,
    database: Database,
    settings: Settings,
    identity: OidcIdentity,
    *,
    provisioned: TeamId | None,
    flow: OidcFlow,
    now: datetime,
) -> VerifiedUser:
    email = identity.email or ""  # verified by the caller
    invitation = preview_invitation(database, flow.invitation, now=now) if flow.invitation else None
    joins = parse_domain_teams(settings.oidc_domains).get(email.rpartition("@")[2].casefold())
    team_id = _team_of(database, joins.slug) if joins is not None else None
    if invitation is not None:
        sign_up_invited(session, invitation, email=email, name=identity.name, password_hash=None, now=now)
    elif joins is not None and team_id is not None:
        sign_up_by_domain(session, team_id, joins.role, email=email, name=identity.name)
    elif provisioned is not None:
        sign_up_provisioned(session, provisioned, email=email, name=identity.name)
    elif settings.sign_up == "open":
        sign_up(session, email=email, name=identity.name, password_hash=None, team_name=f"{identity.name}'s team")
    else:
        raise SignUpClosed("New accounts need an invitation.", remedy="Ask a team admin for an invitation link.")
    user_id = session.scope.user_id
    assert user_id is not None  # signing up changed the scope to the new user's
    _link(session, user_id, identity, now=now)
    return VerifiedUser(user_id, email, identity.name)


def _team_of(database: Database, slug: str) -> TeamId | None:
    with database.cross_team() as cross_team:
        found = queries.find_team(cross_team, slug)
    if found is None:
        log.warning("SLOWPATH_OIDC_DOMAINS names a team that does not exist", slug=slug)
    return found


def _link(session: WriteSession, user_id: UserId, identity: OidcIdentity, *, now: datetime) -> None:
    session.add(
        UserIdentity(
            user_id=user_id,
            issuer=identity.issuer,
            subject=identity.subject,
            email=identity.email,
            last_used_at=now,
        )
    )
    try:
        session.flush()  # two requests may link the identity at once
    except IntegrityError as error:
        raise IdentityAlreadyLinked("This identity was linked by another request.", remedy="Sign in again.") from error


def encrypt_id_token(sealer: SecretEncryptor, identity: OidcIdentity) -> bytes | None:
    """Return the encrypted ID token, for the session that starts with it."""
    return sealer.seal(identity.id_token, TOKEN_PURPOSE) if 0 < len(identity.id_token) <= MAX_TOKEN else None


def provider_sign_out_url(
    session: ReadSession,
    issuer: OidcIssuerPort | None,
    sealer: SecretEncryptor,
    person: SignedInUser,
    *,
    public_url: str,
) -> str | None:
    """Return where the identity provider ends its session of this browser, if this session started there.

    Errors of the identity provider do not prevent the sign-out here.
    """
    row = session.get(UserSession, person.session_id)
    if issuer is None or row is None or row.encrypted_id_token is None:
        return None
    try:
        token = sealer.unseal(row.encrypted_id_token, TOKEN_PURPOSE)
        return issuer.leave(id_token=token, returns_to=public_url.rstrip("/") + LEFT_PATH)
    except (DecryptionError, SlowpathError) as error:
        log.warning("cannot end the session at the identity provider", error=str(error)[:200])
        return None


def list_linked_identities(session: ReadSession, person: SignedInUser) -> tuple[Sequence[UserIdentity], bool]:
    """Return the linked identities of a user, and whether they have a password."""
    return queries.sign_ins(session, person.user_id), queries.has_password(session, person.user_id)


def unlink_identity(session: WriteSession, person: SignedInUser, sign_in_id: UUID, *, passwords: bool) -> None:
    """Unlink an identity. Raises `LinkedIdentityNotFound`, `LastSignInMethod`."""
    linked, has_password = list_linked_identities(session, person)
    found = next((one for one in linked if one.id == sign_in_id), None)
    if found is None:
        raise LinkedIdentityNotFound("Your account has no such linked identity.")
    if len(linked) == 1 and not (has_password and passwords):
        raise LastSignInMethod(
            "This is your only way to sign in.",
            remedy="Set a password first." if passwords else "Password sign-in is disabled.",
        )
    session.delete(found)
