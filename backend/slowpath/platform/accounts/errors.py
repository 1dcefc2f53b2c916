"""What can go wrong with people, teams and their secrets.

SlowpathError
├── NotFound
│   ├── TeamNotFound
│   ├── MemberNotFound
│   ├── InvitationNotFound
│   ├── TokenNotFound
│   ├── ServiceAccountNotFound
│   ├── SignInNotFound
│   ├── UserNotFound
│   ├── ResetNotFound
│   └── SessionNotFound
├── Conflict
│   ├── EmailTaken
│   ├── AlreadyMember
│   ├── InvitationUsed
│   ├── NameTaken
│   ├── SignInTaken
│   ├── LastSignIn
│   └── LastOwner
└── Refused
    ├── TooMany
    │   └── RateExceeded
    ├── NotSignedIn
    │   ├── SignInRefused
    │   ├── NoCredentials
    │   ├── SessionEnded
    │   ├── TokenNotValid
    │   └── WrongPassword
    ├── NotAllowed
    │   ├── RoleTooLow
    │   ├── ScopeMissing
    │   ├── PersonNeeded
    │   ├── ForeignOrigin
    │   ├── HttpsNeeded
    │   ├── SignUpClosed
    │   ├── PasswordsOff
    │   ├── EmailNotVerified
    │   └── SignInTooOld
    ├── NoMailSent
    └── TeamNotNamed
"""

from slowpath.core.errors import Conflict, InvalidRequest, LimitExceeded, NotAuthenticated, NotFound, PermissionDenied


class TeamNotFound(NotFound):
    """There is no such team among those of whoever asks."""


class MemberNotFound(NotFound):
    """The team has no member with this ID."""


class InvitationNotFound(NotFound):
    """No invitation has this id or secret, or it has expired."""


class TokenNotFound(NotFound):
    """No token of the team has this id."""


class ServiceAccountNotFound(NotFound):
    """No service account of the team has this id."""


class LinkedIdentityNotFound(NotFound):
    """The person has linked no sign-in of this id."""


class UserNotFound(NotFound):
    """No account has this email."""


class SessionNotFound(NotFound):
    """No session of this person has this id."""


class EmailTaken(Conflict):
    """An account with this email already exists."""

    slug = "email-taken"


class ResetNotFound(NotFound):
    """The link to another password is unknown, used or too old; which of these is not told."""

    slug = "reset-not-found"


class EmailNotConfigured(InvalidRequest):
    """The operator has named no mail server."""

    slug = "no-mail"


class AlreadyMember(Conflict):
    """Who accepts an invitation is in the team already."""

    slug = "already-member"


class InvitationUsed(Conflict):
    """An invitation can be accepted once."""

    slug = "invitation-used"


class ServiceAccountNameTaken(Conflict):
    """Another service account of the team is called so."""

    slug = "name-taken"


class IdentityAlreadyLinked(Conflict):
    """The account at the issuer belongs to another person here."""

    slug = "sign-in-taken"


class LastSignInMethod(Conflict):
    """Without it the person could not sign in any more."""

    slug = "last-sign-in"


class LastOwner(Conflict):
    """A team always has an owner."""

    slug = "last-owner"


class RateLimitExceeded(LimitExceeded):
    """The token, or all tokens of its team together, asked too often."""

    slug = "rate-exceeded"


class OidcResponseRejected(NotAuthenticated):
    """What came back from the issuer is not believed, or was not asked for by this browser."""

    slug = "sign-in-refused"


class CredentialsMissing(NotAuthenticated):
    """The request carries neither a session nor a token."""


class SessionExpired(NotAuthenticated):
    """The session's cookie is of no session that lives."""

    slug = "session-ended"


class InvalidToken(NotAuthenticated):
    """The token is unknown, revoked or expired."""

    slug = "token-not-valid"


class WrongPassword(NotAuthenticated):
    """E-mail and password do not belong together; which of the two is wrong is not told."""

    slug = "wrong-password"


class InsufficientRole(PermissionDenied):
    """The person's role in the team does not reach."""

    slug = "role-too-low"


class InsufficientScope(PermissionDenied):
    """The token was made for less."""

    slug = "scope-missing"


class UserRequired(PermissionDenied):
    """Only a person may do this, whatever the token's scopes."""

    slug = "person-needed"


class CrossOriginRequest(PermissionDenied):
    """A page of another site made the browser send this."""

    slug = "foreign-origin"


class HttpsRequired(PermissionDenied):
    """A session's cookie would travel in the open."""

    slug = "https-needed"


class SignUpClosed(PermissionDenied):
    """New accounts need an invitation."""

    slug = "sign-up-closed"


class PasswordSignInDisabled(PermissionDenied):
    """The operator has people sign in by the issuer alone."""

    slug = "passwords-off"


class EmailNotVerified(PermissionDenied):
    """The issuer does not vouch for the e-mail."""

    slug = "email-not-verified"


class ReauthenticationRequired(PermissionDenied):
    """This needs somebody who has signed in just now."""

    slug = "sign-in-too-old"


class TeamNotSpecified(InvalidRequest):
    """The person is in several teams, or in none, and the request does not say which is meant."""

    slug = "team-not-named"
