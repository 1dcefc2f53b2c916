"""Which build is meant when CI names a service and a commit, and says more or less of how it was built."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol, TypeVar

IDENTITY_PARTS: Final[tuple[str, ...]] = ("go_version", "goos", "goarch", "flags")


class HasBuildIdentity(Protocol):
    """What a build is known by, beside its service and commit; "" is what nobody has said."""

    go_version: str
    goos: str
    goarch: str
    flags: str


Built = TypeVar("Built", bound=HasBuildIdentity)


def match_build(builds: Sequence[Built], said: Mapping[str, str]) -> Built | None:
    """Return the build that is meant, of those of one commit, newest first; None when it must be another.

    What was said must not contradict what is known. Of several that fit, the one that agrees in most parts is meant,
    and then the newest: so files that come without a word go where the last ones went.
    """
    fitting = [build for build in builds if all(_fits(getattr(build, part), said.get(part, "")) for part in said)]
    return max(fitting, key=lambda build: sum(_agrees(build, said, part) for part in IDENTITY_PARTS), default=None)


def _fits(known: str, said: str) -> bool:
    return not known or not said or known == said


def _agrees(build: HasBuildIdentity, said: Mapping[str, str], part: str) -> bool:
    return bool(said.get(part)) and getattr(build, part) == said[part]
