"""Errors of the compiler's evidence."""

from slowpath.core.errors import NotFound


class AssemblyNotFound(NotFound):
    """The team has no such assembly."""

    slug = "assembly-not-found"
    title = "No such assembly"


class ExecutableNotFound(NotFound):
    """A side has no executable."""

    slug = "executable-not-found"
    title = "No executable"
