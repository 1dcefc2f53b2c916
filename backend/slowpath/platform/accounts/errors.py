"""Errors of users, teams and their secrets."""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound, PermissionDenied


class TeamNotFound(NotFound):
    """The user has no team with this ID or slug."""


class MemberNotFound(NotFound):
    """The team has no member with this ID."""


class InvitationNotFound(NotFound):
    """No invitation has this ID or secret, or it has expired."""


class TokenNotFound(NotFound):
    """No token of the team has this ID."""


class AuditEntryNotFound(NotFound):
    """The audit log of the team ends before this entry."""

    slug = "audit-entry-not-found"


class ServiceAccountNotFound(NotFound):
    """No service account of the team has this ID."""


class LinkedIdentityNotFound(NotFound):
    """The user has no linked identity with this ID."""


class UserNotFound(NotFound):
    """No account has this email."""


class SessionNotFound(NotFound):
    """The user has no session with this ID."""


class EmailTaken(Conflict):
    """An account with this email already exists."""

    slug = "email-taken"


class ResetNotFound(NotFound):
    """The link of a password reset is unknown, used or expired; the error does not reveal which."""

    slug = "reset-not-found"


class EmailNotConfigured(InvalidRequest):
    """The operator configured no mail server."""

    slug = "no-mail"


class AlreadyMember(Conflict):
    """The user who accepts an invitation is already in the team."""

    slug = "already-member"


class InvitationUsed(Conflict):
    """An invitation can be accepted once."""

    slug = "invitation-used"


class ServiceAccountNameTaken(Conflict):
    """Another service account of the team has this name."""

    slug = "name-taken"


class IdentityAlreadyLinked(Conflict):
    """The identity is linked to another user."""

    slug = "sign-in-taken"


class LastSignInMethod(Conflict):
    """Without it, the user could not sign in any more."""

    slug = "last-sign-in"


class LastOwner(Conflict):
    """A team needs an owner."""

    slug = "last-owner"


class MemberIsManaged(Conflict):
    """The identity provider manages this membership by SCIM."""

    slug = "managed-by-scim"
    title = "The member is managed by SCIM"


class RateLimitExceeded(LimitExceeded):
    """The token, or all tokens of its team together, exceeded the rate limit."""

    slug = "rate-exceeded"


class ProviderResponseRejected(NotAuthenticated):
    """The response of the identity provider is invalid, or belongs to another browser."""

    slug = "sign-in-refused"


class CredentialsMissing(NotAuthenticated):
    """The request carries neither a session nor a token."""


class SessionExpired(NotAuthenticated):
    """The cookie belongs to no valid session."""

    slug = "session-ended"


class InvalidToken(NotAuthenticated):
    """The token is unknown, revoked or expired."""

    slug = "token-not-valid"


class WrongPassword(NotAuthenticated):
    """The email or the password is wrong; the error does not reveal which."""

    slug = "wrong-password"


class SecondFactorRequired(NotAuthenticated):
    """The password was right; the sign-in continues with the second factor."""

    slug = "second-factor-required"


class SecondFactorRejected(NotAuthenticated):
    """The code, recovery code or passkey is not valid."""

    slug = "second-factor-rejected"


class SignInExpired(NotAuthenticated):
    """The state of a sign-in or registration is invalid, used or expired."""

    slug = "sign-in-expired"


class SecondFactorMissing(PermissionDenied):
    """The team requires a second factor, and this session has none."""

    slug = "second-factor-missing"


class SecondFactorLimit(LimitExceeded):
    """The user has too many second factors."""

    slug = "second-factor-limit"


class SecondFactorNotFound(NotFound):
    """The user has no second factor with this ID."""


class PasskeyUnavailable(InvalidRequest):
    """WebAuthn needs a host name."""

    slug = "passkey-unavailable"
    title = "Passkeys are not available"


class CiTokenRejected(NotAuthenticated):
    """The ID token of a CI job is invalid, or the team does not trust the job."""

    slug = "ci-token-rejected"


class CiTrustNotFound(NotFound):
    """The team has no trusted repository with this ID."""


class InsufficientRole(PermissionDenied):
    """The user's role in the team is too low."""

    slug = "role-too-low"


class InsufficientScope(PermissionDenied):
    """The token lacks the scope."""

    slug = "scope-missing"


class UserRequired(PermissionDenied):
    """Only a user may do this; no scope of a token includes it."""

    slug = "person-needed"


class TokenRequired(PermissionDenied):
    """Only a token may do this; no role of a user includes it."""

    slug = "token-needed"


class CrossOriginRequest(PermissionDenied):
    """A page of another site sent the request."""

    slug = "foreign-origin"


class HttpsRequired(PermissionDenied):
    """The session cookie would travel unencrypted."""

    slug = "https-needed"


class SignUpClosed(PermissionDenied):
    """New accounts need an invitation."""

    slug = "sign-up-closed"


class PasswordSignInDisabled(PermissionDenied):
    """The operator allows sign-in only with the identity provider."""

    slug = "passwords-off"


class EmailNotVerified(PermissionDenied):
    """The identity provider has not verified the email."""

    slug = "email-not-verified"


class ReauthenticationRequired(PermissionDenied):
    """This requires a recent sign-in."""

    slug = "sign-in-too-old"


class CommonPassword(InvalidRequest):
    """The password is among those that attackers try first."""

    slug = "common-password"
    title = "The password is too common"


class InvalidTimeZone(InvalidRequest):
    """The IANA database does not have this time zone."""

    slug = "invalid-time-zone"
    title = "The time zone is not known"


class TeamNotSpecified(InvalidRequest):
    """The user is in several teams or in none, and the request does not specify a team."""

    slug = "team-not-named"
