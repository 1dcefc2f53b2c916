"""How commits follow each other in the copy of a repository. What it lacks is fetched once."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from slowpath.adapters.git_mirror import GitMirror
from slowpath.adapters.git_objects import CatFileReader
from slowpath.analysis.closure.module_versions import resolve_version
from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.git_ports import GitParentLink

SHA: Final = re.compile(r"[0-9a-f]{40}")


class MirrorHistory:
    """One copy, asked for lines of commits. Only ids of commits reach git; versions are looked up among its tags."""

    def __init__(self, label: str, mirror: GitMirror, check: Callable[[], None], bring: Callable[[], None]) -> None:
        """`check` may raise to end what takes long; `bring` fetches what is new."""
        self._label = label
        self._mirror, self._check, self._bring = mirror, check, bring
        self._brought = False
        self._tags: dict[str, str] | None = None

    @property
    def label(self) -> str:
        """How people call it."""
        return self._label

    def line(self, good: str, bad: str) -> list[GitParentLink]:
        """Return the commits after `good` up to `bad`, along first parents, in order; those that `good` holds are left out."""
        self._need(good, bad)
        ends = [_id(bad), f"^{_id(good)}", "--"]
        told = self._mirror.told(["rev-list", "--first-parent", "--reverse", "--parents", *ends], self._check)
        lines = [line.split() for line in told.splitlines()]
        titles = self._titles(ends) if lines else {}
        return [GitParentLink(one[0], tuple(one[1:]), titles.get(one[0], "")) for one in lines]

    def is_ancestor(self, one: str, of: str) -> bool:
        """Tell whether a commit is among the ancestors of another, or is it."""
        self._need(one, of)
        return not self._mirror.told(["rev-list", "--max-count=1", _id(one), f"^{_id(of)}", "--"], self._check)

    def changed(self, before: str, after: str) -> list[str]:
        """Return the paths that differ."""
        self._need(before, after)
        asked = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", _id(before), _id(after), "--"]
        return [one for one in self._mirror.told(asked, self._check).split("\0") if one]

    def parents(self, sha: str) -> tuple[str, ...]:
        """Return the parents of a commit."""
        self._need(sha)
        return tuple(self._mirror.told(["rev-list", "--parents", "-n1", _id(sha), "--"], self._check).split()[1:])

    def version(self, version: str, module: str) -> str:
        """Return the commit of a module's version: a tag, a pseudo-version, or a revision. Raises `NotFound`."""
        found = self._versioned(version, module)
        if found is None and self._fetch():
            found = self._versioned(version, module)
        if found is None:
            raise NotFound(f"{self._label} has no tag or commit for {version!r}.", slug="version-not-found")
        return found

    def objects(self) -> AbstractContextManager[CatFileReader]:
        """Give a way to read objects."""
        return self._mirror.objects()

    def _versioned(self, version: str, module: str) -> str | None:
        if self._tags is None:
            self._tags = self._mirror.tags(self._check)
        wanted = resolve_version(version, module)
        for tag in wanted.tags:
            if tag in self._tags:
                return self._tags[tag]
        return self._whole(wanted.revision) if wanted.revision is not None else None

    def _whole(self, digits: str) -> str | None:
        try:
            asked = ["rev-parse", "--verify", "--quiet", f"{_digits(digits)}^{{commit}}"]
            found = self._mirror.told(asked, self._check)
        except InvalidRequest:  # nothing begins so, or more than one
            return None
        return found if SHA.fullmatch(found) else None

    def _need(self, *shas: str) -> None:
        """Have commits in the copy. Raises `NotFound`."""
        missing = [one for one in shas if not self._mirror.has(one)]
        if missing and self._fetch():
            missing = [one for one in missing if not self._mirror.has(one)]
        if missing:
            raise NotFound(
                f"{self._label} has no commit {missing[0]}.",
                slug="commit-not-found",
                remedy="Check the address of the repository in Settings, Integrations, and push the commit there; then try again.",
            )

    def _fetch(self) -> bool:
        if self._brought:
            return False
        self._brought = True
        self._bring()
        self._tags = None
        return True

    def _titles(self, ends: list[str]) -> dict[str, str]:
        asked = ["log", "--first-parent", "-z", "--no-color", "--no-show-signature", "--encoding=UTF-8"]
        told = self._mirror.told([*asked, "--format=tformat:%H %s", *ends], self._check)
        return dict(one.split(" ", 1) for one in told.split("\0") if " " in one)


def _id(sha: str) -> str:
    if not SHA.fullmatch(sha):
        raise ValueError("not the id of a commit")
    return sha


def _digits(digits: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{4,40}", digits):
        raise ValueError("not the beginning of an id")
    return digits
