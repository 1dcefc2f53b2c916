"""The hierarchy of errors.

SlowpathError
├── NotFound               missing, or of another team; both look the same
├── Gone                   existed, but was deleted
├── Conflict               exists, but in a state that does not allow this
├── InvalidRequest         the request or the input is invalid
│   ├── NotAuthenticated       no valid session or token
│   ├── PermissionDenied       authenticated, but not permitted
│   ├── AddressNotAllowed      an external address that is not allowed
│   ├── TooLarge               above a size limit
│   ├── TooSlow                a body that arrives too slowly
│   └── LimitExceeded          above a rate limit or quota
└── Unavailable            an external system does not respond; a retry may help
    └── UpstreamUnavailable    an address given by a user

Errors have no HTTP status: `platform.http.problems` maps these bases to status codes; the worker retries `Unavailable` and
stores every other error with the job. Catch a base class only to handle all its subclasses.
"""

from typing import Any, ClassVar


class SlowpathError(Exception):
    """Base of all errors that are shown to users.

    `detail` is one or two sentences; `limit`, `actual` and `unit` are the numbers of an exceeded limit; `remedy` is the
    fix; `slug` is more specific than that of the class.
    """

    slug: ClassVar[str] = "error"
    title: ClassVar[str] = "Something went wrong"

    def __init__(
        self,
        detail: str,
        *,
        limit: float | None = None,
        actual: float | None = None,
        unit: str | None = None,
        remedy: str | None = None,
        slug: str | None = None,
    ) -> None:
        """Set the detail and the optional fields."""
        super().__init__(detail)
        self.detail = detail
        self.limit = limit
        self.actual = actual
        self.unit = unit
        self.remedy = remedy
        self.name = slug or self.slug

    def facts(self) -> dict[str, Any]:
        """Return the members of a problem (RFC 9457) without its status; missing values are omitted."""
        members = {
            "type": f"urn:slowpath:{self.name}",
            "title": self.title,
            "detail": self.detail,
            "limit": self.limit,
            "value": self.actual,
            "unit": self.unit,
            "resolution": self.remedy,
        }
        return {name: value for name, value in members.items() if value is not None}


class NotFound(SlowpathError):
    """The object does not exist or belongs to another team; the two cases look the same."""

    slug = "not-found"
    title = "Not found"


class Gone(SlowpathError):
    """The object was deleted; a retry does not help."""

    slug = "gone"
    title = "No longer exists"


class Conflict(SlowpathError):
    """The state of the object does not allow this."""

    slug = "conflict"
    title = "Not possible in this state"


class InvalidRequest(SlowpathError):
    """The request or the input is invalid; a retry does not help."""

    slug = "refused"
    title = "Invalid request"


class NotAuthenticated(InvalidRequest):
    """The request has no session or token, or an expired one."""

    slug = "not-signed-in"
    title = "Not signed in"


class PermissionDenied(InvalidRequest):
    """The user or token does not have the permission."""

    slug = "not-allowed"
    title = "Not allowed"


class AddressNotAllowed(InvalidRequest):
    """An address given by a user is not allowed: its syntax, its IP address, or its response."""

    slug = "address-refused"
    title = "Address not allowed"


class TooLarge(InvalidRequest):
    """A size exceeds its limit."""

    slug = "too-large"
    title = "Too large"


class TooSlow(InvalidRequest):
    """A body arrives below the minimum rate."""

    slug = "too-slow"
    title = "Too slow"


class LimitExceeded(InvalidRequest):
    """A rate or a number exceeds its limit."""

    retry_after_s: int | None = None
    """Seconds until a retry may succeed, if known."""

    slug = "too-many"
    title = "Too many"


class Unavailable(SlowpathError):
    """An external system does not respond; a retry may help."""

    slug = "unavailable"
    title = "Not available right now"


class DiskFull(Unavailable):
    """A disk has no space left; work goes on when it has."""

    slug = "no-room"
    title = "No space left"


class UpstreamUnavailable(Unavailable):
    """An address given by a user did not respond, not in time, or not in a readable format."""

    slug = "did-not-answer"
    title = "The address did not respond"
