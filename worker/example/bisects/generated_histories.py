"""Generate three repositories with one culprit: a monorepo pins a database, which pins a library with a refactoring that makes stacks grow."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from example.bisects import split_repositories
from example.bisects.git_fast_import import Tree, WrittenHistory, imported, tag
from example.bisects.module_proxy import Version, pseudo, serve
from example.bisects.neutral_commits import NeutralCommitWalk, Special
from example.bisects.split_repositories import LIBDB, LIBX, MONO, go_mod, with_helper

BEGAN = datetime(2026, 3, 2, 7, 0, tzinfo=UTC)
CULPRIT = "Clone: the copying becomes a helper, for tags too"


@dataclass(frozen=True)
class Sizes:
    """Numbers of commits, merges not counted: of the monorepo, and of each library between the two relevant versions, and outside."""

    mono: int = 300
    libdb: int = 150
    libx: int = 60
    outside: int = 12


@dataclass(frozen=True)
class Repository:
    """A generated repository. `versions` are the pinned ones, by mark of the commit."""

    module: str
    folder: Path
    shas: Mapping[int, str]
    guilty: str
    parent: str
    first: str
    last: str
    versions: Mapping[int, Version] = field(default_factory=dict)


@dataclass(frozen=True)
class Histories:
    """The three repositories, the bisected one first, and the folder of the proxy with the pinned versions."""

    repositories: tuple[Repository, ...]
    proxy: Path

    @property
    def good(self) -> str:
        """Return the first commit of the monorepo."""
        return self.repositories[0].first

    @property
    def bad(self) -> str:
        """Return the last commit of the monorepo."""
        return self.repositories[0].last

    @property
    def culprits(self) -> list[str]:
        """Return the culprit commits, from the monorepo down."""
        return [each.guilty for each in self.repositories]


def written(folder: Path, seed: int, sizes: Sizes | None = None) -> Histories:
    """Write three repositories below a folder; the same seed writes the same commits."""
    sizes = sizes or Sizes()
    rng = random.Random(seed)  # noqa: S311 - positions of the culprits; no secret
    proxy = folder / "proxy"
    libx = _libx(folder, proxy, rng, sizes)
    libdb = _libdb(folder, proxy, rng, sizes, libx)
    return Histories((_mono(folder, rng, sizes, libdb, libx), libdb, libx), proxy)


def _libx(folder: Path, proxy: Path, rng: random.Random, sizes: Sizes) -> Repository:
    """Write the library, tagged four times; the third tag includes the culprit."""
    part, names = split_repositories.libx(), ("v0.3.0", "v0.4.0", "v0.5.0", "v0.5.1")
    walk = NeutralCommitWalk(part, {"go.mod": go_mod(LIBX, {})}, rng.random(), BEGAN, idle=0.35)
    guilty, marks = _in_parts(walk, (sizes.outside, sizes.libx), {rng.randrange(sizes.libx): _helped})
    tags = dict(zip(marks, names, strict=True))
    out = _repository(folder / "libx.git", LIBX, walk, guilty, tags)
    for mark, name in tags.items():
        tag(out.folder, name, out.shas[mark])
    _served(proxy, walk, out)
    return out


def _libdb(folder: Path, proxy: Path, rng: random.Random, sizes: Sizes, libx: Repository) -> Repository:
    """Write the database: pins the first version of the library, then each later one. Without tags, its versions are pseudo-versions."""
    part, pins = split_repositories.libdb(), [(each,) for each in libx.versions.values()]
    walk = NeutralCommitWalk(part, _pinning(LIBDB, pins[0]), rng.random(), BEGAN + timedelta(days=9), idle=0.4)
    bumps = [_bump(LIBDB, old, new) for old, new in pairwise(pins)]
    middle = sizes.outside // 2
    at = rng.randrange(sizes.libdb)
    guilty, marks = _in_parts(
        walk, (sizes.outside, sizes.libdb), {at: bumps[1]}, ({middle: bumps[0]}, {middle: bumps[2]})
    )
    out = _repository(folder / "libdb.git", LIBDB, walk, guilty, dict.fromkeys(marks))
    _served(proxy, walk, out)
    return out


def _mono(folder: Path, rng: random.Random, sizes: Sizes, libdb: Repository, libx: Repository) -> Repository:
    """Write the monorepo: updates the database three times, and with it the library that the database requires."""
    part, pins = split_repositories.mono(), list(zip(libdb.versions.values(), libx.versions.values(), strict=True))
    at = rng.randrange(sizes.mono // 6, sizes.mono * 5 // 6)
    places = (rng.randrange(1, at - 2), at, rng.randrange(at + 3, sizes.mono - 1))
    walk = NeutralCommitWalk(part, _pinning(MONO, pins[0]), rng.random(), BEGAN + timedelta(days=20), idle=0.55)
    bumps = [_bump(MONO, old, new) for old, new in pairwise(pins)]
    marks = walk.go(sizes.mono, dict(zip(places, bumps, strict=True)))
    return _repository(folder / "mono.git", MONO, walk, marks[at], {})


def _in_parts(
    walk: NeutralCommitWalk,
    sizes: tuple[int, int],
    guilty: Mapping[int, Special],
    around: Sequence[Mapping[int, Special]] = ({}, {}),
) -> tuple[WrittenHistory, list[int]]:
    """Write the commits before, between and after the relevant versions; return the culprit, and the marks of the four versions."""
    outside, inside = sizes
    marks = [walk.written[-1].mark]
    walk.go(outside, around[0])
    marks.append(walk.written[-1].mark)
    inner_marks = walk.go(inside, guilty)
    marks.append(walk.written[-1].mark)
    walk.go(outside, around[1])
    return next(iter(inner_marks.values())), [*marks, walk.written[-1].mark]


def _repository(
    folder: Path, module: str, walk: NeutralCommitWalk, guilty: WrittenHistory, marks: Mapping[int, str | None]
) -> Repository:
    """Write the commits; `marks` are those of versions, with their names if they are tagged."""
    commits = {each.mark: each for each in walk.written}
    shas = imported(folder, walk.written)
    versions = {
        mark: Version(module, name or pseudo(commits[mark].at, shas[mark]), commits[mark].tree)
        for mark, name in marks.items()
    }
    parent = shas[guilty.parents[0].mark]
    return Repository(
        module,
        folder,
        shas,
        shas[guilty.mark],
        parent,
        shas[walk.written[0].mark],
        shas[walk.written[-1].mark],
        versions,
    )


def _served(proxy: Path, walk: NeutralCommitWalk, repository: Repository) -> None:
    commits = {each.mark: each for each in walk.written}
    for mark, version in repository.versions.items():
        serve(proxy, version, commits[mark].at)


def _pinning(module: str, pins: Sequence[Version]) -> dict[str, bytes]:
    """Return the files that pin these versions."""
    return {
        "go.mod": go_mod(module, {each.module: each.name for each in pins}),
        "go.sum": "".join(each.sums() for each in sorted(pins, key=lambda one: one.module)).encode(),
    }


def _bump(module: str, old: Sequence[Version], new: Sequence[Version]) -> Special:
    """Return a commit that changes only versions."""

    def bump(_tree: Tree) -> tuple[str, Mapping[str, bytes]]:
        return f"{new[0].module}: {old[0].name} to {new[0].name}", _pinning(module, new)

    return bump


def _helped(tree: Tree) -> tuple[str, Mapping[str, bytes]]:
    return CULPRIT, {"ident/clone.go": with_helper(tree["ident/clone.go"])}
