"""Errors of requests to a running process or a server.

CollectError
├── BadRequest           what was asked for makes no sense (an address, a number, a folder)
├── NotReachable         nobody answers at the address
├── NotOffered           the process answers, but does not offer this (404, another kind of content)
├── AnswerRefused        the answer breaks a limit of ours: too large, too slow, pointing elsewhere
├── Declined             the process or server says no, and why
└── WouldOverwrite       a file is there already
"""

from collections.abc import Mapping
from typing import Any


class CollectError(Exception):
    """Base of all of them; the message says what happened and how to fix it."""


class InvalidArgument(CollectError):
    """An argument is invalid."""


class TargetUnreachable(CollectError):
    """The address does not answer."""


class ProfileNotOffered(CollectError):
    """The process answers, but does not have what was requested."""


class ResponseRejected(CollectError):
    """The answer is larger, slower or from elsewhere than we allow."""


class RequestDeclined(CollectError):
    """The request was declined."""

    def __init__(
        self, message: str, *, status: int, is_transient: bool = False, problem: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.is_transient = is_transient
        self.problem = problem or {}
        """Return the response body."""


class FileExists(CollectError):
    """A file is there already, and stays as it is."""
