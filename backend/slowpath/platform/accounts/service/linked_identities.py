"""Users of identities that an identity provider stated: sign-in, sign-up, linked identities."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import structlog
from sqlalchemy import Row, delete
from sqlalchemy.exc import IntegrityError

from slowpath.core.db_sessions import Database, ReadSession, WriteSession
from slowpath.core.encryption import DecryptionError, SecretEncryptor
from slowpath.core.errors import SlowpathError
from slowpath.core.ids import TeamId, UserId
from slowpath.core.ports import ExternalIdentity, OidcIssuerPort
from slowpath.core.settings import Settings
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.errors import (
    EmailNotVerified,
    IdentityAlreadyLinked,
    LastSignInMethod,
    LinkedIdentityNotFound,
    SignUpClosed,
)
from slowpath.platform.accounts.rules.account_names import is_unambiguous_email, normalize_email
from slowpath.platform.accounts.rules.provider_flow import LEFT_PATH, ProviderFlow, parse_domain_teams
from slowpath.platform.accounts.rules.roles import SignedInUser
from slowpath.platform.accounts.service.invitations import preview_invitation
from slowpath.platform.accounts.service.provisioned_members import claim_memberships, list_unclaimed_members
from slowpath.platform.accounts.service.second_factors import delete_second_factors
from slowpath.platform.accounts.service.users import (
    VerifiedUser,
    sign_up,
    sign_up_by_domain,
    sign_up_invited,
    sign_up_provisioned,
)
from slowpath.platform.accounts.tables import UserIdentity, UserPassword, UserSession

TOKEN_PURPOSE = UUID("0c2f0d0b-94a5-4a61-8a0f-3a1f8f6f5c52")
MAX_TOKEN = 16_384
log = structlog.get_logger(__name__)


def sign_in_with_identity(
    session: WriteSession,
    database: Database,
    settings: Settings,
    identity: ExternalIdentity,
    flow: ProviderFlow,
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


def _enter_known(session: WriteSession, person: VerifiedUser, flow: ProviderFlow) -> VerifiedUser:
    if flow.link is not None and person.user_id != flow.link:
        raise IdentityAlreadyLinked(
            "This identity is linked to another user.", remedy="Sign in with it, or link another identity."
        )
    session.scope.user_id = person.user_id
    return person


def _vouched(identity: ExternalIdentity) -> bool:
    return identity.email_verified and identity.email is not None and is_unambiguous_email(identity.email)


def _take_over(
    session: WriteSession, person: VerifiedUser, identity: ExternalIdentity, *, now: datetime
) -> VerifiedUser:
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
    identity: ExternalIdentity,
    *,
    provisioned: TeamId | None,
    flow: ProviderFlow,
    now: datetime,
) -> VerifiedUser:
    email = identity.email or ""  # verified by the caller
    invitation = preview_invitation(database, flow.invitation, now=now) if flow.invitation else None
    joins = parse_domain_teams(settings.sign_in_domains).get(email.rpartition("@")[2].casefold())
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
        log.warning("SLOWPATH_SIGN_IN_DOMAINS names a team that does not exist", slug=slug)
    return found


def _link(session: WriteSession, user_id: UserId, identity: ExternalIdentity, *, now: datetime) -> None:
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


def encrypt_id_token(sealer: SecretEncryptor, identity: ExternalIdentity) -> bytes | None:
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
