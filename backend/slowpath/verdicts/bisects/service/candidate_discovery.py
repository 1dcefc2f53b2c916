"""Find the builds between good and bad, prune equal ones, and expand merges and dependency updates."""

import posixpath
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Final, Generic, Protocol, TypeVar

from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.analysis.closure.go_module_files import GoModFile, changed_versions
from slowpath.analysis.closure.go_packages import PackageCache, PackageReader
from slowpath.analysis.closure.module_digests import ModuleDigests
from slowpath.analysis.closure.package_closure import PackageClosureReader
from slowpath.commit_names import short_commit
from slowpath.core.git_ports import GitHistory, GitObjectReader, GitParentLink
from slowpath.verdicts.bisects.errors import InvalidCommitRange
from slowpath.verdicts.bisects.rules.candidates import (
    BuildInputs,
    CandidateNode,
    PrunedCommits,
    SearchLevel,
    commit_in,
    describe_pruned,
    is_merge_in_its_branch,
)
from slowpath.verdicts.bisects.rules.go_releases import TOOLCHAIN, GoRelease, GoSelection, releases_between
from slowpath.verdicts.bisects.rules.toolchain_levels import GO_LEVELS, inside_release, release_level, toolchain_update
from slowpath.verdicts.bisects.service.module_files import (
    LOCKS,
    Digest,
    find_module_folder,
    none_if_unreadable,
    plain_version,
    read_go_selection,
    read_module_file,
)

PINS: Final = frozenset({"go.mod", "go.sum", "go.work", "go.work.sum", *LOCKS, "Gopkg.toml"})
MAIN: Final = ""
SAME_BUILD: Final = "No change to the inputs of the binary."
TAKEN_BACK: Final = "Reverted before the bad commit."
ProgressCallback = Callable[[int, int], None]
KnownReleases = Callable[[], Collection[GoRelease] | None]


class SearchRepository(GitHistory, Protocol):
    """A repository to search: local, or a mirror of the team."""

    def objects(self) -> AbstractContextManager[GitObjectReader]:
        """Open a reader of objects."""


@dataclass(frozen=True)
class BinaryInputs:
    """What is built of a commit of the main repository."""

    directory: str
    """Folder of the module in the repository."""
    package: str | None
    """The main package below it; without one every commit is a candidate."""
    target: BuildTarget


R = TypeVar("R", bound=SearchRepository)


class MultiRepositoryHistory(Generic[R]):
    """History of the main repository and of its modules' repositories."""

    def __init__(
        self,
        main: R,
        modules: Mapping[str, R],
        binary: BinaryInputs,
        memories: Mapping[str, PackageCache] | None = None,
        progress: ProgressCallback = lambda _read, _of: None,
        *,
        known_releases: KnownReleases = lambda: None,
    ) -> None:
        """Open the histories; `memories`: package caches by repository, which are updated.

        `progress` is called with the number of commits read and the total; it may raise to stop.
        `known_releases` returns the Go releases that can be fetched, None if that is unknown.
        """
        self._known_releases = known_releases
        self.repositories: dict[str, R] = {MAIN: main, **modules}
        self._directory, self._package, self._target = binary.directory, binary.package, binary.target
        self._memories = memories or {}
        self._progress = progress

    def top(self, good: str, bad: str) -> SearchLevel:
        """Return the candidates between two commits of the main repository. Raises `InvalidCommitRange`."""
        main = self.repositories[MAIN]
        if good == bad:
            raise InvalidCommitRange("The good and the bad commit are the same.")
        if not main.is_ancestor(good, bad):
            base = main.merge_base(good, bad)
            raise InvalidCommitRange(
                f"{short_commit(good)} is not among the ancestors of {short_commit(bad)}.",
                remedy="The bad commit is older than the good commit. Swap them."
                if base == bad
                else "They have no common history: choose commits of one history."
                if base is None
                else f"Use their merge base {short_commit(base)} as the good commit.",
            )
        self._refuse_without_package(good, bad)
        level = self._level(MAIN, good, main.line(good, bad), BuildInputs, None, BuildInputs(good))
        return self._with_bad_end(level)

    @staticmethod
    def _with_bad_end(level: SearchLevel) -> SearchLevel:
        """Return the level with its last commit as the bad end, even if it has the inputs of an earlier one."""
        if not level.nodes or level.nodes[-1].members[-1] == level.nodes[-1].sha:
            return level
        last = level.nodes[-1]
        title = describe_pruned(len(last.members) - 1)
        end = CandidateNode(
            level.bad, MAIN, level.bad, title, "pruned", BuildInputs(level.bad), last.build, last.members[1:]
        )
        return replace(level, nodes=(*level.nodes, end))

    def _refuse_without_package(self, *ends: str) -> None:
        """Raise `InvalidCommitRange` if the main package does not exist at a boundary."""
        if not self._package:
            return
        place = posixpath.normpath(posixpath.join(self._directory, self._package))
        with self.repositories[MAIN].objects() as objects:
            folders = PackageReader(objects, PackageCache(), self._target)
            for sha in ends:
                entry = folders.at(objects.root(sha), place)
                if entry is None or not entry.is_folder:
                    raise InvalidCommitRange(
                        f"{short_commit(sha)} has no folder {place!r}.",
                        remedy="Give the main package relative to the folder of go.mod.",
                    )

    def inside(self, node: CandidateNode) -> SearchLevel:
        """Return the level that a candidate expands to; the last one has its build.

        Empty if it cannot be expanded. Where the first parent of a commit is another commit than that of the build before it
        in the search, the first candidate is that parent: only its measurement proves that the commit is the culprit.
        """
        if node.repository in GO_LEVELS:
            return inside_release(node, self._known_releases()) if node.kind == "release" else SearchLevel((), 0)
        if node.kind == "pruned":
            return self._pruned_commits(node)
        if node.bump is not None:
            return self._releases_of(node) if node.bump[0] == TOOLCHAIN else self._commits_of(node, *node.bump)
        repository = self.repositories[node.repository]
        parents = repository.parents(node.sha)
        parent = self._literal_parent(node, parents[0]) if parents else None
        if parent is None:
            return self._changes(node, parents) if parents else SearchLevel((), 0)
        level = self._changes(replace(node, before=parent.build), parents)
        nodes = level.nodes or (replace(node, id=f"{node.id}/itself", outer=node.id, before=parent.build),)
        return replace(
            level, nodes=(parent, *nodes), repository=level.repository or node.repository, label=level.label or repository.label,
            good=level.good or parent.sha, bad=level.bad or node.sha,
        )  # fmt: skip

    def _changes(self, node: CandidateNode, parents: Sequence[str]) -> SearchLevel:
        if is_merge_in_its_branch(node):
            return SearchLevel((), 0)
        return self._branch(node, parents) if len(parents) > 1 else self._bumps(node, parents[0])

    def _literal_parent(self, node: CandidateNode, sha: str) -> CandidateNode | None:
        """Return the first parent of a commit as a candidate; None if its build is the one before it in the search."""
        repository = self.repositories[node.repository]
        before = commit_in(node.repository, node.before)
        if before is None or before == sha:
            return None
        skipped = repository.line(before, sha) if repository.is_ancestor(before, sha) else []
        title = describe_pruned(len(skipped)) if skipped else f"Parent of {short_commit(node.sha)}, on another branch"
        return CandidateNode(
            f"{node.id}/parent", node.repository, sha, title, "pruned" if skipped else "fork",
            self._beside(node)(sha), node.before, tuple(one.sha for one in skipped), node.id,
        )  # fmt: skip

    def _pruned_commits(self, node: CandidateNode) -> SearchLevel:
        """Return pruned commits one by one: a difference was measured although their inputs are equal."""
        repository = self.repositories[node.repository]
        before = commit_in(node.repository, node.before)
        if before is None:
            return SearchLevel((), 0)
        commits = repository.line(before, node.sha)
        shas = [before, *(one.sha for one in commits)]
        nodes, _ = self._classes(node.repository, shas, commits, self._beside(node), node, node.before)
        return SearchLevel(tuple(nodes), len(commits), node.repository, repository.label, before, node.sha)

    def has_equal_builds(self, one: str, other: str) -> bool:
        """Return whether two commits of the main repository have the same files, or the same inputs of the binary."""
        with self.repositories[MAIN].objects() as objects:
            if objects.root(one) == objects.root(other):
                return True
            digest = self._digest(MAIN, objects)
            inputs = digest(one)
            return inputs is not None and inputs == digest(other)

    def dependency_updates(self, good: str, bad: str) -> list[tuple[str, str, str]]:
        """Return the modules that both commits require in different versions: path, version at `good` and at `bad`."""
        changed = self._changed(MAIN, good, bad)
        return [(name, old, new) for name, old, new in changed if old and new and name not in {"go", "toolchain"}]

    def module_folder(self, module: str, sha: str) -> str:
        """Return the folder of a module at a commit of its repository; "" is the root."""
        with self.repositories[module].objects() as objects:
            return find_module_folder(PackageReader(objects, PackageCache(), self._target), objects.root(sha), module)

    def _branch(self, node: CandidateNode, parents: Sequence[str]) -> SearchLevel:
        """Return the commits that a merge adds, then the merge itself."""
        repository = self.repositories[node.repository]
        commits = repository.line(parents[0], parents[1])
        if not commits:
            return SearchLevel((), 0)
        merge = GitParentLink(node.sha, (parents[1],), node.title)
        return self._level(node.repository, parents[0], [*commits, merge], self._beside(node), node, node.before)

    def _beside(self, outer: CandidateNode) -> Callable[[str], BuildInputs]:
        """Return the build inputs of a merge with another commit of its repository and its requirements."""
        module = outer.repository

        def build(sha: str) -> BuildInputs:
            if module == MAIN:
                return replace(outer.build, commit=sha)
            pinned = self._pinned_by(module, sha, outer.build)
            return replace(outer.build, modules={**outer.build.modules, **pinned, module: sha})

        return build

    def _commits_of(self, node: CandidateNode, module: str, before: str, after: str) -> SearchLevel:
        """Return the commits of a module between two versions."""
        repository = self.repositories.get(module)
        if repository is None:
            return SearchLevel((), 0)
        old, new = repository.version(before, module), repository.version(after, module)
        if old == new or not repository.is_ancestor(old, new):
            return SearchLevel((), 0)  # a downgrade, or another branch: the update cannot be expanded

        def build(sha: str) -> BuildInputs:
            pinned = self._pinned_by(module, sha, node.build)
            return replace(node.build, modules={**node.build.modules, **pinned, module: sha})

        level = self._level(module, old, repository.line(old, new), build, node, build(old))
        return replace(level, bump=(module, before, after))

    def _pinned_by(self, module: str, sha: str, build: BuildInputs) -> dict[str, str]:
        """Return the commits of linked modules that a module's own go.mod requires at a commit.

        The main go.mod lists them too (`// indirect`) and would otherwise pin them.
        """
        out = {}
        for name, version in self._mod(module, sha).requires.items():
            repository = self.repositories.get(name)
            if repository is not None and name in {*build.modules, *build.versions, *self._moved(build.commit)}:
                out[name] = repository.version(version, name)
        return out

    def _moved(self, commit: str) -> set[str]:
        parents = self.repositories[MAIN].parents(commit)
        return {one for one, _, _ in self._changed(MAIN, parents[0], commit)} if parents else set()

    def _bumps(self, node: CandidateNode, parent: str) -> SearchLevel:
        """Return the dependency updates of a commit one by one, then the commit itself."""
        changed = [one for one in self._changed(node.repository, parent, node.sha) if one[0] not in {"go", "toolchain"}]
        known = [one for one in changed if one[0] in self.repositories and one[1] and one[2]]
        led = self._required_by_updates(known)
        known = [one for one in known if one[0] not in led]
        go = self._go_change(node.repository, parent, node.sha)
        if not known and go is None:
            return SearchLevel((), 0)
        others = self._others_changed(node.repository, parent, node.sha) or any(
            one[0] not in self.repositories and one[0] not in led for one in changed if one[1] and one[2]
        )
        if len(known) == 1 and not others and go is None:
            module, was, is_ = known[0]
            return self._commits_of(node, module, was or "", is_ or "")
        if go is not None and not known and not others:
            return release_level(node, *go)
        nodes = [] if go is None else [toolchain_update(node, *go)]
        build = nodes[0].build if nodes else node.before
        for module, old, new in known:
            before, sha = build, self.repositories[module].version(new or "", module)
            build = replace(build, modules={**build.modules, **self._pinned_by(module, sha, build), module: sha})
            bump = CandidateNode(
                f"{node.id}/{module}", node.repository, node.sha, f"{module} {old} → {new}", "bump", build, before
            )
            nodes.append(replace(bump, members=(node.sha,), outer=node.id, bump=(module, old or "", new or "")))
        if others:
            nodes.append(replace(node, id=f"{node.id}/itself", outer=node.id, before=build))
        else:
            nodes[-1] = replace(nodes[-1], build=node.build)
        label = self.repositories[node.repository].label
        return SearchLevel(tuple(nodes), 1, node.repository, label, parent, node.sha)

    def _go_change(self, repository: str, parent: str, sha: str) -> tuple[GoSelection, GoSelection] | None:
        """Return the Go versions that a commit and its parent select, if the commit raises one of them."""
        if repository != MAIN:
            return None
        with self.repositories[MAIN].objects() as objects:
            folders = PackageReader(objects, PackageCache(), self._target)
            old, new = (read_go_selection(folders, objects.root(one), self._directory) for one in (parent, sha))
        return (old, new) if old is not None and new is not None and releases_between(old, new) else None

    def _releases_of(self, node: CandidateNode) -> SearchLevel:
        go = self._go_change(node.repository, self.repositories[MAIN].parents(node.sha)[0], node.sha)
        return SearchLevel((), 0) if go is None else release_level(node, *go)

    def _required_by_updates(self, changed: Sequence[tuple[str, str | None, str | None]]) -> set[str]:
        """Return the modules whose new version another updated module requires: they belong to that update."""
        new = {one[0]: one[2] for one in changed}
        out = set()
        for module, version in new.items():
            asked = self._mod(module, self.repositories[module].version(version or "", module)).requires
            out |= {name for name, requirement in asked.items() if name != module and new.get(name) == requirement}
        return out if len(out) < len(new) else set()

    def _changed(self, repository: str, parent: str, sha: str) -> list[tuple[str, str | None, str | None]]:
        found = changed_versions(self._mod(repository, parent), self._mod(repository, sha))
        return [(name, plain_version(before), plain_version(after)) for name, before, after in found]

    def _others_changed(self, repository: str, parent: str, sha: str) -> bool:
        """Return whether a commit changes any other build input."""
        changed = self.repositories[repository].changed(parent, sha)
        paths = [one for one in changed if "vendor" not in posixpath.dirname(one).split("/")]
        return any(posixpath.basename(one) not in PINS and not one.endswith(".md") for one in paths)

    def _mod(self, repository: str, sha: str) -> GoModFile:
        with self.repositories[repository].objects() as objects:
            folders = PackageReader(objects, PackageCache(), self._target)
            root = objects.root(sha)
            directory = self._directory if repository == MAIN else find_module_folder(folders, root, repository)
            return read_module_file(folders, root, directory)

    def _level(  # noqa: PLR0917 - the commits, and how each is built
        self,
        repository: str,
        good: str,
        commits: Sequence[GitParentLink],
        build: Callable[[str], BuildInputs],
        outer: CandidateNode | None,
        before: BuildInputs,
    ) -> SearchLevel:
        """Return the candidates of commits without those that build the same as the one before."""
        if not commits:
            return SearchLevel((), 0, repository, self.repositories[repository].label, good, good)
        with self.repositories[repository].objects() as objects:
            digest = self._digest(repository, objects)
            hashes = [digest(good)]
            for read, one in enumerate(commits, start=1):
                hashes.append(digest(one.sha))
                self._progress(read, len(commits))
        nodes, pruned = self._classes(repository, hashes, commits, build, outer, before)
        label = self.repositories[repository].label
        return SearchLevel(tuple(nodes), len(commits), repository, label, good, commits[-1].sha, pruned)

    @staticmethod
    def _classes(  # noqa: PLR0917 - the commits, and how each is built
        repository: str,
        hashes: Sequence[str | None],
        commits: Sequence[GitParentLink],
        build: Callable[[str], BuildInputs],
        outer: CandidateNode | None,
        before: BuildInputs,
    ) -> tuple[list[CandidateNode], tuple[PrunedCommits, ...]]:
        last = {one: at for at, one in enumerate(hashes) if one is not None}
        until = [at if one is None else last[one] for at, one in enumerate(hashes)]
        nodes: list[CandidateNode] = []
        pruned: Counter[str] = Counter()
        same = until[0]
        for at, one in enumerate(commits, start=1):
            if at <= same:  # a range that returns to the same build cannot contain the culprit
                pruned[SAME_BUILD if hashes[at] == hashes[at - 1] else TAKEN_BACK] += 1
                if nodes:
                    nodes[-1] = replace(nodes[-1], members=(*nodes[-1].members, one.sha))
                continue
            prefix = f"{outer.id}/" if outer is not None else ""
            node = CandidateNode(f"{prefix}{one.sha}", repository, one.sha, one.title, "commit", build(one.sha), before, (one.sha,),
                        outer.id if outer is not None else None)  # fmt: skip
            nodes.append(node)
            before = node.build
            same = until[at]
        return nodes, tuple(PrunedCommits(why, commits) for why, commits in pruned.most_common())

    def _digest(self, repository: str, objects: GitObjectReader) -> Digest:
        memory = self._memories.get(repository) or PackageCache()
        folders = PackageReader(objects, memory, self._target)
        if repository == MAIN:
            if self._package is None:
                return lambda sha: sha
            closures = PackageClosureReader(objects, self._directory, self._package, self._target, memory=memory)
            return none_if_unreadable(lambda sha: closures.at(objects.root(sha)).hash)
        modules = ModuleDigests(folders)

        def of_module(sha: str) -> str | None:
            root = objects.root(sha)
            entry = folders.at(root, find_module_folder(folders, root, repository))
            return modules.at(entry.id) if entry is not None and entry.is_folder else None

        return none_if_unreadable(of_module)
