"""Commit graph of a mirror. Missing commits are fetched once."""

import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Final

from slowpath.adapters.git_mirror import GitMirror
from slowpath.adapters.git_objects import CatFileReader
from slowpath.analysis.closure.module_versions import resolve_version
from slowpath.core.errors import InvalidRequest, NotFound
from slowpath.core.git_ports import NO_BLOB, GitChangedFile, GitParentLink

SHA: Final = re.compile(r"[0-9a-f]{40}")


class MirrorHistory:
    """The commit graph of one mirror. Git gets only SHAs; versions are resolved by the mirror's tags."""

    def __init__(self, label: str, mirror: GitMirror, check: Callable[[], None], bring: Callable[[], None]) -> None:
        """Set the mirror; `check` may raise to end a long command, `bring` fetches new commits."""
        self._label = label
        self._mirror, self._check, self._bring = mirror, check, bring
        self._has_fetched = False
        self._tags: dict[str, str] | None = None

    @property
    def label(self) -> str:
        """Return the repository's name for messages."""
        return self._label

    def line(self, good: str, bad: str) -> list[GitParentLink]:
        """Return the commits in `bad` but not in `good`, along first parents, oldest first."""
        self._require_commits(good, bad)
        ends = [_require_sha(bad), f"^{_require_sha(good)}", "--"]
        output = self._mirror.read_output(["rev-list", "--first-parent", "--reverse", "--parents", *ends], self._check)
        lines = [line.split() for line in output.splitlines()]
        titles = self._titles(ends) if lines else {}
        return [GitParentLink(one[0], tuple(one[1:]), titles.get(one[0], "")) for one in lines]

    def is_ancestor(self, one: str, of: str) -> bool:
        """Return whether `one` is `of` or one of its ancestors."""
        self._require_commits(one, of)
        return not self._mirror.read_output(
            ["rev-list", "--max-count=1", _require_sha(one), f"^{_require_sha(of)}", "--"], self._check
        )

    def merge_base(self, one: str, other: str) -> str | None:
        """Return the best common ancestor of two commits, or None if they have none."""
        self._require_commits(one, other)
        try:
            found = self._mirror.read_output(["merge-base", _require_sha(one), _require_sha(other)], self._check)
        except InvalidRequest:  # exit code 1: no common ancestor
            return None
        return found if SHA.fullmatch(found) else None

    def changed(self, before: str, after: str) -> list[str]:
        """Return the paths that differ between two commits."""
        return [one for one in self._diff("--name-only", before, after) if one]

    def list_changed_files(self, before: str, after: str) -> list[GitChangedFile]:
        """Return the regular files that differ between two commits, by path. Renamed files are two. Raises `TooLarge`."""
        fields = self._diff("--raw", before, after)
        found = []
        for entry, path in zip(fields[::2], fields[1::2], strict=False):
            old_mode, new_mode, old, new, _ = entry.removeprefix(":").split(" ")
            old, new = (
                blob if mode.startswith("100") else NO_BLOB for mode, blob in ((old_mode, old), (new_mode, new))
            )
            if old != new:
                found.append(GitChangedFile(path, old, new))
        return found

    def _diff(self, output: str, before: str, after: str) -> list[str]:
        self._require_commits(before, after)
        shas = (_require_sha(before), _require_sha(after))
        arguments = ["diff-tree", "-r", "-z", "--no-renames", "--no-abbrev", output, *shas, "--"]
        return self._mirror.read_output(arguments, self._check).split("\0")

    def parents(self, sha: str) -> tuple[str, ...]:
        """Return the parents of a commit."""
        self._require_commits(sha)
        return tuple(
            self._mirror.read_output(["rev-list", "--parents", "-n1", _require_sha(sha), "--"], self._check).split()[1:]
        )

    def version(self, version: str, module: str) -> str:
        """Return the commit of a module version: a tag, pseudo-version or revision. Raises `NotFound`."""
        found = self._find_version(version, module)
        if found is None and self._fetch():
            found = self._find_version(version, module)
        if found is None:
            raise NotFound(f"{self._label} has no tag or commit for {version!r}.", slug="version-not-found")
        return found

    def objects(self) -> AbstractContextManager[CatFileReader]:
        """Open a reader of the mirror's objects."""
        return self._mirror.objects()

    def _find_version(self, version: str, module: str) -> str | None:
        if self._tags is None:
            self._tags = self._mirror.tags(self._check)
        resolved = resolve_version(version, module)
        for tag in resolved.tags:
            if tag in self._tags:
                return self._tags[tag]
        return self._expand_sha(resolved.revision) if resolved.revision is not None else None

    def _expand_sha(self, digits: str) -> str | None:
        try:
            arguments = ["rev-parse", "--verify", "--quiet", f"{_digits(digits)}^{{commit}}"]
            found = self._mirror.read_output(arguments, self._check)
        except InvalidRequest:  # no object has this prefix, or several have
            return None
        return found if SHA.fullmatch(found) else None

    def _require_commits(self, *shas: str) -> None:
        """Fetch if commits are missing in the mirror. Raises `NotFound`."""
        missing = [one for one in shas if not self._mirror.has(one)]
        if missing and self._fetch():
            missing = [one for one in missing if not self._mirror.has(one)]
        if missing:
            raise NotFound(
                f"{self._label} has no commit {missing[0]}.",
                slug="commit-not-found",
                remedy="Check the repository's address in Settings > Integrations, push the commit there, and try again.",
            )

    def _fetch(self) -> bool:
        if self._has_fetched:
            return False
        self._has_fetched = True
        self._bring()
        self._tags = None
        return True

    def _titles(self, ends: list[str]) -> dict[str, str]:
        arguments = ["log", "--first-parent", "-z", "--no-color", "--no-show-signature", "--encoding=UTF-8"]
        output = self._mirror.read_output([*arguments, "--format=tformat:%H %s", *ends], self._check)
        return dict(one.split(" ", 1) for one in output.split("\0") if " " in one)


def _require_sha(sha: str) -> str:
    if not SHA.fullmatch(sha):
        raise ValueError("not a SHA of 40 hexadecimal digits")
    return sha


def _digits(digits: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{4,40}", digits):
        raise ValueError("not the beginning of an id")
    return digits
