"""Errors of requests to a running process or a server.

CollectError
├── InvalidArgument      an address, number or folder is invalid
├── TargetUnreachable    the address does not answer
├── ProfileNotOffered    the process answers, but does not offer this profile (404, other content type)
├── ResponseRejected     the response exceeds a limit of this program: size, time, or redirect to another host
├── RequestDeclined      the process or server declined the request and gave a reason
└── FileExists           the output file exists already
"""

from collections.abc import Mapping
from typing import Any


class CollectError(Exception):
    """Base of these errors; the message states the failure and the fix."""


class InvalidArgument(CollectError):
    """An argument is invalid."""


class TargetUnreachable(CollectError):
    """The address does not answer."""


class ProfileNotOffered(CollectError):
    """The process answers, but does not offer the requested profile."""


class ResponseRejected(CollectError):
    """The response is too large, too slow, or redirects to another host."""


class RequestDeclined(CollectError):
    """The request was declined."""

    def __init__(
        self, message: str, *, status: int, is_transient: bool = False, problem: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.is_transient = is_transient
        self.problem = problem or {}
        """The response body (RFC 9457)."""


class FileExists(CollectError):
    """The output file exists already and was not overwritten."""
