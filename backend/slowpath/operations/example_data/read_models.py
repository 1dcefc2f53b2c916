"""Values that the services of example data return."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class ReceivedItem:
    """A name, and when it was received."""

    name: str
    at: datetime


@dataclass(frozen=True)
class OwnData:
    """The newest data of the team that is not of the example; None: there is none."""

    artifact: ReceivedItem | None = None
    build: ReceivedItem | None = None
    deployment: ReceivedItem | None = None
