"""Errors of example data."""

from slowpath.core.errors import Conflict, NotFound


class ExampleDataNotFound(NotFound):
    """The team has no example data."""

    slug = "no-example-data"
    title = "No example data"


class ExampleDataConflict(Conflict):
    """The team has example data already, or objects with the names of the example."""

    slug = "example-data-conflict"
    title = "Example data cannot be added"


class ExampleDataNotInstalled(NotFound):
    """The installation does not contain the example's files."""

    slug = "example-data-not-installed"
    title = "The example is not installed"


class PartOfExample(Conflict):
    """What would be changed is part of the example data."""

    slug = "part-of-example"
    title = "Part of the example data"
