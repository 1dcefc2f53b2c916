"""Choose the build of a commit when CI provides only a part of its identity."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol, TypeVar

IDENTITY_PARTS: Final[tuple[str, ...]] = ("go_version", "goos", "goarch", "flags")


class HasBuildIdentity(Protocol):
    """The identity of a build besides service and commit; "" is unknown."""

    go_version: str
    goos: str
    goarch: str
    flags: str


Built = TypeVar("Built", bound=HasBuildIdentity)


def match_build(builds: Sequence[Built], given: Mapping[str, str]) -> Built | None:
    """Return the matching one of a commit's builds, given newest first; None if a new build is needed.

    The given parts must not contradict known parts. Of several matches, the one that agrees in most parts is chosen, then
    the newest, so that files without build metadata go to the same build as the last ones.
    """
    fitting = [build for build in builds if all(_fits(getattr(build, part), given.get(part, "")) for part in given)]
    return max(fitting, key=lambda build: sum(_agrees(build, given, part) for part in IDENTITY_PARTS), default=None)


def _fits(known: str, given: str) -> bool:
    return not known or not given or known == given


def _agrees(build: HasBuildIdentity, given: Mapping[str, str], part: str) -> bool:
    return bool(given.get(part)) and getattr(build, part) == given[part]
