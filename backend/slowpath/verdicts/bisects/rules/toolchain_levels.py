"""Candidates of a change of the Go version: releases, and settings whose default changed in a release."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from slowpath.verdicts.bisects.rules.candidates import BuildInputs, CandidateNode, SearchLevel
from slowpath.verdicts.bisects.rules.go_releases import (
    GO_LINE,
    TOOLCHAIN,
    GoRelease,
    GoSelection,
    GoSetting,
    changed_settings,
    parse_release,
    patches_between,
    release_of,
    releases_between,
)

SETTINGS: Final = f"{TOOLCHAIN}/settings"
GO_LEVELS: Final[Mapping[str, str]] = {TOOLCHAIN: "Go releases", SETTINGS: "Go settings"}
"""Names of the levels that are not repositories, by the value in the place of the repository."""
AS_COMMITTED: Final = "With the toolchain that the environment selects"


def select_go(build: BuildInputs, selection: GoSelection, old: GoSelection) -> BuildInputs:
    """Return a build with the toolchain of a selection, and its `go` line where that differs from the one in `old`."""
    settings = {} if selection.go_line == old.go_line else {GO_LINE: selection.go_line.go_line}
    versions = {**build.versions, TOOLCHAIN: selection.toolchain.module_version}
    return replace(build, versions=versions, settings=settings)


def toolchain_update(commit: CandidateNode, old: GoSelection, new: GoSelection) -> CandidateNode:
    """Return the change of the Go version as the first of several updates of a commit."""
    names = f"go{old.toolchain.name}", f"go{new.toolchain.name}"
    build = select_go(commit.before, new, old)
    return CandidateNode(
        f"{commit.id}/{TOOLCHAIN}", commit.repository, commit.sha, f"{names[0]} → {names[1]}", "bump", build, commit.before,
        (commit.sha,), commit.id, (TOOLCHAIN, *names),
    )  # fmt: skip


def release_level(node: CandidateNode, old: GoSelection, new: GoSelection) -> SearchLevel:
    """Return the releases of a candidate that changes the Go version.

    The first candidate is the former release and the last one the build as it is: both are measured to prove that the
    toolchains that go.mod names are the ones that the environment builds with.
    """
    steps = releases_between(old, new)
    if not steps:
        return SearchLevel((), 0)
    first = _pinned(node, select_go(node.before, old, old), node.before, old.toolchain, f"Go {old.toolchain.name}")
    nodes, before = [first], first.build
    for previous, step in zip([old, *steps], steps, strict=False):
        nodes.append(_release(node, previous, step, select_go(node.before, step, old), before))
        before = nodes[-1].build
    if node.build != before:
        nodes.append(replace(_pinned(node, node.build, before, new.toolchain, AS_COMMITTED), id=f"{node.id}/itself"))
    return _level(nodes, len(steps), TOOLCHAIN, old, new)


def describe_go_change(node: CandidateNode, share: str) -> str:
    """Describe how much of the increase a release or a setting explains; `share`: as text."""
    if node.kind == "setting" and not node.sha.startswith("go"):
        return f"{node.title}: {node.sha} gives back {share} of the increase."
    return f"{node.title} explains {share} of the increase."


def inside_release(node: CandidateNode, known: Collection[GoRelease] | None = None) -> SearchLevel:
    """Return the patch releases of a step between releases, else the settings that changed; empty without any.

    `known`: as in `patches_between`.
    """
    assert node.bump is not None
    old, new = (_selection(build, line) for build, line in ((node.before, node.bump[1]), (node.build, node.bump[2])))
    patches = patches_between(old, new, known)
    if patches:
        nodes, before = [], node.before
        for previous, step in zip([old, *patches], patches, strict=False):
            inner = _release(node, previous, step, _at(node.build, step), before)
            nodes.append(inner)
            before = inner.build
        nodes[-1] = replace(nodes[-1], build=node.build)
        return _level(nodes, len(patches), TOOLCHAIN, old, new)
    return _setting_level(node, old, new, changed_settings(old, new))


def _setting_level(node: CandidateNode, old: GoSelection, new: GoSelection, settings: list[GoSetting]) -> SearchLevel:
    """Return the release with all former defaults, then one changed default after the other."""
    if not settings:
        return SearchLevel((), 0)
    rest = f"Go {new.toolchain.name} with its former defaults"
    build = _with_settings(node.build, settings)
    nodes = [
        CandidateNode(
            f"{node.id}/rest", SETTINGS, node.sha, rest, "setting", build, node.before, (node.sha,), node.id,
            weight=float(len(settings)), why="Compiler, runtime and library, without the settings that changed.",
        )
    ]  # fmt: skip
    for at, one in enumerate(settings, start=1):
        before, text = build, f"{one.variable}={one.value}"
        build = _with_settings(node.build, settings[at:])
        title = node.title
        why = f"{text} restores the former default."
        nodes.append(
            CandidateNode(f"{node.id}/{text}", SETTINGS, text, title, "setting", build, before, (text,), node.id, why=why)
        )  # fmt: skip
    nodes[-1] = replace(nodes[-1], build=node.build)
    return _level(nodes, len(settings) + 1, SETTINGS, old, new)


def _with_settings(build: BuildInputs, settings: Collection[GoSetting]) -> BuildInputs:
    """Return a build with the former defaults of settings."""
    variables: dict[str, str] = {}
    for one in settings:
        variables[one.variable] = ",".join(filter(None, (variables.get(one.variable), one.value)))
    return replace(build, settings={**build.settings, **variables})


def _release(
    outer: CandidateNode, old: GoSelection, new: GoSelection, build: BuildInputs, before: BuildInputs
) -> CandidateNode:
    """Return one step as a candidate; its bump has the `go` lines, since a build only has those that differ."""
    changed = (
        f"Go {old.toolchain.name} → {new.toolchain.name}"
        if old.toolchain != new.toolchain
        else f"go line {old.go_line.go_line} → {new.go_line.go_line}"
    )
    sha = f"go{new.toolchain.name}" if old.toolchain != new.toolchain else f"go {new.go_line.go_line}"
    bump = (TOOLCHAIN, old.go_line.go_line, new.go_line.go_line)
    return CandidateNode(
        f"{outer.id}/{sha}", TOOLCHAIN, sha, changed, "release", build, before, (sha,), outer.id, bump
    )  # fmt: skip


def _pinned(
    outer: CandidateNode, build: BuildInputs, before: BuildInputs, release: GoRelease, title: str
) -> CandidateNode:
    sha = f"go{release.name}"
    return CandidateNode(f"{outer.id}/{sha}", TOOLCHAIN, sha, title, "pruned", build, before, (sha,), outer.id)


def _at(build: BuildInputs, step: GoSelection) -> BuildInputs:
    settings: Mapping[str, str] = {GO_LINE: step.go_line.go_line} if GO_LINE in build.settings else {}
    return replace(
        build, versions={**build.versions, TOOLCHAIN: step.toolchain.module_version}, settings=settings
    )  # fmt: skip


def _selection(build: BuildInputs, go_line: str) -> GoSelection:
    toolchain, line = release_of(build.versions[TOOLCHAIN]), parse_release(go_line)
    assert toolchain is not None
    assert line is not None
    return GoSelection(toolchain, line)


def _level(nodes: list[CandidateNode], count: int, kind: str, old: GoSelection, new: GoSelection) -> SearchLevel:
    ends = (f"go{old.toolchain.name}", f"go{new.toolchain.name}")
    return SearchLevel(tuple(nodes), count, kind, GO_LEVELS[kind], *ends, bump=(TOOLCHAIN, *ends))
