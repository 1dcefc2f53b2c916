"""States of example data, and the names that it uses."""

from enum import StrEnum
from typing import Final

SERVICES: Final = ("ingester", "timestamps", "distributor", "quoter")
"""Services of the example. Their spans and metrics contain these names, so a team cannot have services with them."""
ENVIRONMENT: Final = "example"


class ExampleDataState(StrEnum):
    """State of the example data of a team."""

    ADDING = "adding"
    ADDED = "added"
    REMOVING = "removing"
    FAILED = "failed"
    """The last job failed; what it had added is still there."""
