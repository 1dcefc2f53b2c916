"""What can go wrong, drawn as a tree.

SlowpathError
├── NotFound           it is not there, or not yours: the two are told alike
├── Gone               it was there, and was taken away on purpose
├── Conflict           it is there, but not in a state that allows this
├── Refused            the request or the input is not acceptable as it is
│   ├── NotSignedIn        nobody is asking
│   ├── NotAllowed         somebody is asking who may not
│   ├── AddressRefused     an address outside that is not asked
│   ├── TooLarge           over a limit of size
│   ├── TooSlow            a body that arrives too slowly
│   └── TooMany            over a limit of rate or number
└── Unavailable        something outside does not answer; trying again may help
    └── DidNotAnswer       an address that a person gave

Errors hold facts, not HTTP numbers: `web.problems` maps these bases to status codes, the worker
retries `Unavailable` and writes every other one on the job's row. Catch a base only where you can
do something about all that stands below it.
"""

from typing import Any, ClassVar


class SlowpathError(Exception):
    """Base of all errors that are meant to be read by a person.

    `detail` is one or two sentences for the reader; `limit`, `actual` and `unit` name the numbers
    where a limit was met; `remedy` says the way out; `slug` narrows the class's own name.
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
        """Keep the facts."""
        super().__init__(detail)
        self.detail = detail
        self.limit = limit
        self.actual = actual
        self.unit = unit
        self.remedy = remedy
        self.name = slug or self.slug

    def facts(self) -> dict[str, Any]:
        """Return the members of a problem (RFC 9457) but its status; absent facts are left out."""
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
    """It is not there, or belongs to another team; the two are not told apart."""

    slug = "not-found"
    title = "Not found"


class Gone(SlowpathError):
    """It was there, and was taken away on purpose; asking again will not help."""

    slug = "gone"
    title = "Not there any more"


class Conflict(SlowpathError):
    """The thing is in a state that does not allow this."""

    slug = "conflict"
    title = "Not possible in this state"


class InvalidRequest(SlowpathError):
    """The request or the input is not acceptable as it is; sending it again will not help."""

    slug = "refused"
    title = "Refused"


class NotAuthenticated(InvalidRequest):
    """Nobody is asking: no session, no token, or one that has ended."""

    slug = "not-signed-in"
    title = "Not signed in"


class PermissionDenied(InvalidRequest):
    """Whoever asks is known, and may not do this."""

    slug = "not-allowed"
    title = "Not allowed"


class AddressNotAllowed(InvalidRequest):
    """An address that a person gave is not asked: how it is spelled, where it lies, or what stands there forbids it."""

    slug = "address-refused"
    title = "This address is not asked"


class TooLarge(InvalidRequest):
    """A size is over its limit."""

    slug = "too-large"
    title = "Too large"


class TooSlow(InvalidRequest):
    """A body arrives more slowly than it may."""

    slug = "too-slow"
    title = "Too slow"


class LimitExceeded(InvalidRequest):
    """A rate or a number is over its limit."""

    retry_after_s: int | None = None
    """After how long trying again may help, where that is known."""

    slug = "too-many"
    title = "Too many"


class Unavailable(SlowpathError):
    """Something outside does not answer; trying again later may help."""

    slug = "unavailable"
    title = "Not available right now"


class UpstreamUnavailable(Unavailable):
    """An address that a person gave did not answer, not in time, or not in a way that could be read."""

    slug = "did-not-answer"
    title = "The address did not answer"
