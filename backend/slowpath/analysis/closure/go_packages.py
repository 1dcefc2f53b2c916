"""Read folders of Go files: the files of a package, its imports and embedded files, and a digest of them all.

Everything is cached by the ids of blobs and trees, which are digests of their content, so it is valid for every commit. If it
is unknown whether a file is built, it is included: too many files only make equal commits look different.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from slowpath.analysis.closure.build_constraints import BuildTarget, by_name, holds, holds_plus
from slowpath.analysis.closure.git_objects import GitObjectStore, GitTreeEntry, TreeEntry
from slowpath.analysis.closure.go_file_header import GoFileHeader, read_source

MOST_SOURCE_BYTES: Final = 32 << 20
OTHER_SOURCES: Final = frozenset(
    [
        "c",
        "cc",
        "cpp",
        "cxx",
        "m",
        "h",
        "hh",
        "hpp",
        "hxx",
        "f",
        "F",
        "for",
        "f90",
        "s",
        "S",
        "sx",
        "swig",
        "swigcxx",
        "syso",
    ]
)
ASSEMBLY: Final = (".s", ".S", ".sx")
INCLUDE: Final = re.compile(rb'^\s*#\s*include\s*"([^"\n]*)"', re.MULTILINE)
C_INCLUDE: Final = re.compile(rb'#\s*include\s*["<]([^">\n]*)')
C_ELSEWHERE: Final = re.compile(
    rb"#cgo[^\n]*(?:/|\$|@|-[IiLB]|pkg-config)|#\s*(?:embed|import|include_next)\b|\.incbin|#\s*include\s*[A-Za-z_\\]"
)
"""Flags and directives of C that may read files of other folders."""
MOST_TREES: Final = 20_000
META: Final = frozenset("*?[\\")
PROFILE: Final = "default.pgo"
TEST, TEST_DATA = "_test.go", "testdata"
OLD_CONSTRAINTS: Final = 18
"""From this language version on, `// +build` lines are ignored."""


@dataclass(frozen=True)
class PackageFacts:
    """The contribution of a folder to a binary."""

    digest: str
    """Of names and contents of all that is built."""
    imports: tuple[str, ...]
    anything: bool
    """Whether it includes a Go file."""
    unbounded: str | None = None
    """Why the whole repository counts: the inputs cannot be determined from this folder."""
    name: str = ""
    """The name of the package; "" without a Go file that is no test."""


@dataclass
class PackageCache:
    """What was read so far, by ids. It can be stored between runs: ids never change their meaning."""

    sources: MutableMapping[str, GoFileHeader] = field(default_factory=dict)
    includes: MutableMapping[str, bool] = field(default_factory=dict)
    packages: MutableMapping[tuple[str, BuildTarget, bool, bool], PackageFacts] = field(default_factory=dict)
    trees: MutableMapping[str, Mapping[str, GitTreeEntry]] = field(default_factory=dict)

    def trim(self) -> None:
        """Drop trees if there are many: their results are stored separately and are smaller."""
        if len(self.trees) > MOST_TREES:
            self.trees.clear()


class PackageReader:
    """Trees and Go packages of one repository."""

    def __init__(self, objects: GitObjectStore, memory: PackageCache, target: BuildTarget) -> None:
        """Read from these objects, for this target."""
        self._objects, self._memory, self._target = objects, memory, target
        self.asked: set[str] = set()
        """Paths looked up with `at`: as long as nothing changes there, the results stay valid."""

    def names(self, tree_id: str) -> Mapping[str, GitTreeEntry]:
        """Return the entries of a tree, by name."""
        found = self._memory.trees.get(tree_id)
        if found is None:
            found = self._memory.trees[tree_id] = {entry.name: entry for entry in self._objects.tree(tree_id)}
        return found

    def at(self, tree_id: str, path: str) -> GitTreeEntry | None:
        """Return the entry at a path below a tree; None if there is none.

        Links and submodules are not followed.
        """
        self.asked.add(path)
        entry: GitTreeEntry | None = TreeEntry("", "40000", tree_id)
        for name in filter(None, path.split("/")):
            if entry is None or not entry.is_folder:
                return entry if entry is not None and entry.mode in {"120000", "160000"} else None
            entry = self.names(entry.id).get(name)
        return entry

    def text(self, entry: GitTreeEntry, most: int) -> str:
        """Return the text of a file."""
        return self._objects.blob(entry.id, max_bytes=most).decode("utf-8", "replace")

    def package(self, tree_id: str, go_minor: int, *, tests: bool = False) -> PackageFacts:
        """Return the contribution of a tree's folder to a binary, for a language version.

        `tests`: to the binary of `go test`, which has the test files, and reads `testdata` when it runs.
        """
        key = (tree_id, self._target, go_minor >= OLD_CONSTRAINTS, tests)
        found = self._memory.packages.get(key)
        if found is None:
            found = self._memory.packages[key] = self._read(tree_id, go_minor, tests=tests)
        return found

    def _read(self, tree_id: str, go_minor: int, *, tests: bool) -> PackageFacts:
        names = self.names(tree_id)
        digest = hashlib.sha256()
        imports: dict[str, None] = {}
        anything, unbounded, package = False, None, ""
        built: list[tuple[GitTreeEntry, GoFileHeader]] = []
        for entry in sorted(self._sources(names.values(), tests=tests), key=lambda one: one.name):
            if not entry.is_file:
                unbounded = unbounded or f"{entry.name} is not a plain file"
                anything = anything or entry.name.endswith(".go")
            elif entry.name.endswith(".go"):
                facts = self._source(entry)
                if not self._is_built(facts, go_minor):
                    continue
                anything = True
                package = package or ("" if entry.name.endswith(TEST) else facts.package)
                imports.update(dict.fromkeys(facts.imports))
                built.append((entry, facts))
                if facts.unread:
                    unbounded = unbounded or f"the head of {entry.name} cannot be parsed"
                for embedded in self._embedded(names, facts):
                    _add(digest, embedded)
            elif self._includes_elsewhere(entry):
                unbounded = unbounded or f"{entry.name} includes files from other folders"
            _add(digest, entry)
        importing = [entry for entry, facts in built if "C" in facts.imports]
        unbounded = unbounded or self._c_elsewhere(names, importing)
        for name in sorted(names):
            is_c_input = bool(importing) and not names[name].is_folder  # C includes files of any name
            if is_c_input or name == PROFILE or (tests and name == TEST_DATA):  # a profile affects the compiler
                _add(digest, names[name])
        return PackageFacts(digest.hexdigest(), tuple(imports), anything, unbounded, package)

    def _sources(self, entries: Iterable[GitTreeEntry], *, tests: bool) -> Iterator[GitTreeEntry]:
        for entry in entries:
            name = entry.name
            if entry.is_folder or entry.mode == "160000" or name.startswith(("_", ".")):
                continue
            if name.endswith(TEST) and not tests:
                continue
            ending = name.rpartition(".")[2]
            if (ending == "go" or ending in OTHER_SOURCES) and by_name(name, self._target):
                yield entry

    def _source(self, entry: GitTreeEntry) -> GoFileHeader:
        found = self._memory.sources.get(entry.id)
        if found is None:
            found = self._memory.sources[entry.id] = read_source(self.text(entry, MOST_SOURCE_BYTES))
        return found

    def _is_built(self, facts: GoFileHeader, go_minor: int) -> bool:
        if facts.build is not None:
            return holds(facts.build, self._target) is not False
        if facts.plus and go_minor < OLD_CONSTRAINTS:
            return holds_plus(facts.plus, self._target) is not False
        return not ("C" in facts.imports and self._target.cgo is False)

    def _c_elsewhere(self, names: Mapping[str, GitTreeEntry], importing: Sequence[GitTreeEntry]) -> str | None:
        """Return why C of a folder may include files of other folders; None if it does not, or no Go file imports C."""
        if not importing:
            return None
        files = [one for one in names.values() if not one.is_folder]
        if (linked := next((one for one in files if not one.is_file), None)) is not None:
            return f"{linked.name} is not a plain file"
        sources = [one for one in files if one.name.rpartition(".")[2] in OTHER_SOURCES]
        for entry in (*importing, *sources):
            content = self._objects.blob(entry.id, max_bytes=MOST_SOURCE_BYTES)
            firsts = {path.split(b"/", 1)[0].decode("utf-8", "replace") for path in C_INCLUDE.findall(content) if b"/" in path}  # fmt: skip
            if C_ELSEWHERE.search(content) or firsts & {"", ".", "..", *names}:
                return f"{entry.name} includes C from other folders, or flags of it may"
        return None

    def _includes_elsewhere(self, entry: GitTreeEntry) -> bool:
        """Return whether assembly includes files of other folders."""
        if not entry.name.endswith(ASSEMBLY):
            return False
        found = self._memory.includes.get(entry.id)
        if found is None:
            content = self._objects.blob(entry.id, max_bytes=MOST_SOURCE_BYTES)
            found = any(b"/" in path for path in INCLUDE.findall(content))
            self._memory.includes[entry.id] = found
        return found

    @staticmethod
    def _embedded(names: Mapping[str, GitTreeEntry], facts: GoFileHeader) -> Iterator[GitTreeEntry]:
        """Yield the top-level names of what is embedded.

        Complete folders, since their ids cover all changes below.
        """
        for pattern in facts.embeds:
            first = pattern.removeprefix("all:").split("/", 1)[0]
            if META & set(first) or first in {"", "."}:
                yield from (names[name] for name in sorted(names))
            elif first in names:
                yield names[first]


def _add(digest: "hashlib._Hash", entry: GitTreeEntry) -> None:
    digest.update(f"{entry.mode} {entry.id} {entry.name}\0".encode("utf-8", "surrogateescape"))
