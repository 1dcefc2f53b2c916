"""Errors of SCIM. `scim_type` is the keyword of RFC 7644, 3.12."""

from typing import Any

from slowpath.core.errors import Conflict, InvalidRequest, NotFound


class ScimUserNotFound(NotFound):
    """The team has no member, provisioned or not, with this ID."""


class ScimGroupNotFound(NotFound):
    """The groups are the roles of the team; this is none of them."""


class ScimValueTaken(Conflict):
    """Another member of the team has this user name or address."""

    slug = "scim-value-taken"

    def facts(self) -> dict[str, Any]:
        """Return the members of the error with its keyword."""
        return {**super().facts(), "scim_type": "uniqueness"}


class ScimRequestRejected(InvalidRequest):
    """The request does not follow the schemas, or names what SCIM cannot change here."""

    slug = "scim-request-rejected"

    def __init__(self, detail: str, *, scim_type: str | None = "invalidValue", remedy: str | None = None) -> None:
        """Set the detail and the keyword."""
        super().__init__(detail, remedy=remedy)
        self.scim_type = scim_type

    def facts(self) -> dict[str, Any]:
        """Return the members of the error with its keyword."""
        keyword = {} if self.scim_type is None else {"scim_type": self.scim_type}
        return {**super().facts(), **keyword}
