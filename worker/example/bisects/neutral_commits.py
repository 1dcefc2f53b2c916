"""Commits without cost: notes, tests, comments, small new files, work on other packages; and some that do not build."""

import random
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from example.bisects.git_fast_import import PEOPLE, Tree, WrittenHistory
from example.bisects.split_repositories import RepositoryPart

Files = Mapping[str, bytes]
Special = Callable[[Tree], tuple[str, Files]]
"""A relevant commit: its title, and its files added to the existing ones."""
BETWEEN = timedelta(minutes=47)
BRANCH_EVERY, BROKEN_EVERY = 9, 17


class NeutralCommitWalk:
    """Writes the commits of one repository, one after the other."""

    def __init__(self, part: RepositoryPart, files: Files, seed: float, began: datetime, *, idle: float) -> None:
        """Write the first commit. `idle` is the share of commits that touch no package of the service."""
        self._part, self._share_idle = part, idle
        self._random = random.Random(seed)  # noqa: S311 - reproducible; no secret
        self._at, self._number = began, 0
        self.written: list[WrittenHistory] = []
        self._commit("The first of it", {**part.files, **files}, ())

    def go(self, count: int, specials: Mapping[int, Special]) -> dict[int, WrittenHistory]:
        """Write this number of commits, merges not counted; `specials` has the relevant ones by position. Returns the marks of those."""
        marks: dict[int, WrittenHistory] = {}
        done = 0
        while done < count:
            room = min([one for one in specials if one >= done], default=count) - done
            if done + 2 <= count and done > 0 and self._random.randrange(BRANCH_EVERY) == 0:
                done = self._branch(done, min(self._random.randint(2, 3), count - done), specials, marks)
            elif room >= 4 and self._random.randrange(BROKEN_EVERY) == 0:
                done += self._broken(self._random.randint(1, 2))
            else:
                marks |= self._one(done, specials, self._head())
                done += 1
        return marks

    def _head(self) -> WrittenHistory:
        return self.written[-1]

    def _branch(
        self, first: int, length: int, specials: Mapping[int, Special], marks: dict[int, WrittenHistory]
    ) -> int:
        """Write a branch from one commit before, if that one can be skipped, and its merge."""
        head = self._head()
        fork = head.parents[0] if len(head.parents) == 1 and _only_new(head) and head.mark > 2 else head
        tip = fork
        for number in range(first, first + length):
            marks |= self._one(number, specials, tip, new=True)
            tip = self._head()
        ours = {path: content for path, content in tip.tree.items() if fork.tree.get(path) != content}
        self._commit(f"Merge branch 'topic-{self._number}'", {**head.tree, **ours}, (head, tip))
        return first + length

    def _broken(self, between: int) -> int:
        """Write a commit that does not build, others after it, and its fix."""
        folder, name = self._read()
        path, number = f"{folder}/checked{self._number + 1:03d}.go", self._number + 1
        text = f"package {name}\n\n// checked{number} is a first sketch.\nvar checked{number} = undeclared{number}\n"
        self._commit(f"Sketch a check of {folder}", {**self._head().tree, path: text.encode()}, (self._head(),))
        for _ in range(between):
            self._one(-1, {}, self._head())
        mended = text.replace(f"undeclared{number}", str(number)).replace("a first sketch", "how often it was checked")
        self._commit(f"The check of {folder} builds", {**self._head().tree, path: mended.encode()}, (self._head(),))
        return between + 2

    def _one(
        self, number: int, specials: Mapping[int, Special], parent: WrittenHistory, *, new: bool = False
    ) -> dict[int, WrittenHistory]:
        special = specials.get(number)
        title, files = special(parent.tree) if special is not None else self._little(parent.tree, new=new)
        written = self._commit(title, {**parent.tree, **files}, (parent,))
        return {number: written} if special is not None else {}

    def _commit(self, title: str, tree: Tree, parents: tuple[WrittenHistory, ...]) -> WrittenHistory:
        self._number += 1
        self._at += BETWEEN
        written = WrittenHistory(self._number, parents, title, self._random.randrange(len(PEOPLE)), self._at, tree)
        self.written.append(written)
        return written

    def _little(self, tree: Tree, *, new: bool) -> tuple[str, Files]:
        """Draw a commit without cost; a `new` one changes no existing file."""
        folder, name = self._read()
        number = self._number + 1
        if self._random.random() < self._share_idle:
            return self._idle(number, folder, name)
        if new or self._random.random() < 0.5:
            text = (
                f"package {name}\n\n// bounds{number} are those of review {number}.\nvar bounds{number} = [...]int{{{number}, {number * 2}}}\n\n"
                f"// InBounds{number} tells whether n lies between them.\nfunc InBounds{number}(n int) bool {{ return bounds{number}[0] <= n && n <= bounds{number}[1] }}\n"
            )
            return f"Bounds for {folder}", {f"{folder}/bounds{number:03d}.go": text.encode()}
        path = self._random.choice(sorted(path for path in tree if _in_folder(path, folder)))
        return f"Say more about {path}", {path: tree[path] + f"\n// Looked at again in review {number}.\n".encode()}

    def _idle(self, number: int, folder: str, name: str) -> tuple[str, Files]:
        kind = self._random.randrange(4)
        if kind == 0:
            return f"A note about {folder}", {
                f"notes/{number:03d}.md": f"# {folder}\n\nSeen in review {number}.\n".encode()
            }
        if kind == 1:
            text = f'package {name}\n\nimport "testing"\n\nfunc TestReview{number}(t *testing.T) {{ t.Parallel() }}\n'
            return f"Another test of {folder}", {f"{folder}/review{number:03d}_test.go": text.encode()}
        other = self._random.choice(self._part.others)
        text = f"package {_package(other)}\n\n// step{number} counts the steps of review {number}.\nconst step{number} = {number}\n"
        return f"{other}: a step more", {f"{other}/step{number:03d}.go": text.encode()}

    def _read(self) -> tuple[str, str]:
        folder = self._random.choice(self._part.read)
        return folder, _package(folder)


def _only_new(written: WrittenHistory) -> bool:
    before = written.parents[0].tree
    return all(path not in before for path in written.changed())


def _in_folder(path: str, folder: str) -> bool:
    return (
        path.startswith(f"{folder}/")
        and "/" not in path[len(folder) + 1 :]
        and path.endswith(".go")
        and not path.endswith("_test.go")
    )


def _package(folder: str) -> str:
    parts = folder.split("/")
    return "main" if parts[0] == "services" and len(parts) == 2 else parts[-1]
