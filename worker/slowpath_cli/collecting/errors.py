"""What can go wrong between here and a running process, or a server.

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
    """Base of all of them; the text says what happened and what to do."""


class BadRequest(CollectError):
    """What was asked for makes no sense."""


class NotReachable(CollectError):
    """Nobody answers at the address."""


class NotOffered(CollectError):
    """The process answers, but does not offer what was asked for."""


class AnswerRefused(CollectError):
    """The answer is larger, slower or from elsewhere than we allow."""


class Declined(CollectError):
    """The other side says no."""

    def __init__(
        self, message: str, *, status: int, passing: bool = False, problem: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.passing = passing
        self.problem = problem or {}
        """What was answered, as it came."""


class WouldOverwrite(CollectError):
    """A file is there already, and stays as it is."""
