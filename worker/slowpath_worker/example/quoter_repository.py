"""Write the git repository of the example's build history: the program in `worker/example/builds`, and its commits.

Every build is of one commit. Before the build that is slower there are commits without a build, one of which is the
culprit: a bisect has something to search. `git fast-import` writes the commits, so their SHAs depend only on the plan and the times of the builds.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from slowpath_worker.example.build_plan import SeededBuild, commit_of
from slowpath_worker.example.commit_import import NewCommit, import_commits

CHANGES: Final[Mapping[str, tuple[str, ...]]] = {
    "base": (),
    "moved": ("moved",),
    "slower": ("moved", "slower"),
}
"""Folders below `changes` whose files replace those of the program, by variant."""


def write_repository(
    target: Path, folder: Path, plan: Mapping[str, Any], builds: Sequence[SeededBuild]
) -> list[SeededBuild]:
    """Write a bare repository in place of an existing one, and return the builds with the SHAs of its commits.

    `folder` has the program and its changes. Raises `OSError`, `CalledProcessError`.
    """
    commits = _with_unbuilt(plan, builds)
    shas = import_commits(target, plan["branch"], _make_commits(folder, commits))
    return [
        replace(commit, sha=shas[number], parent=shas[number - 1] if number else None)
        for number, commit in enumerate(commits)
        if commit.sha
    ]


def _with_unbuilt(plan: Mapping[str, Any], builds: Sequence[SeededBuild]) -> list[SeededBuild]:
    """Return all commits, oldest first; those without a build have an empty SHA."""
    unbuilt, minor = plan["unbuilt"], plan["commits"]
    [first] = [n for n, each in enumerate(builds) if each.commit is plan["changes"][unbuilt["before"]]]
    before, after = builds[first - 1], builds[first]
    step = (after.at - before.at) / (unbuilt["commits"] + 1)
    added = [
        SeededBuild(
            "", None, before.at + step * (n + 1),
            before.variant if n < unbuilt["change"] else after.variant,
            after.commit if n == unbuilt["change"] else minor[(first + n) % len(minor)],
        )
        for n in range(unbuilt["commits"])
    ]  # fmt: skip
    built = replace(after, commit=minor[(first + len(added)) % len(minor)])
    return [*builds[:first], *added, built, *builds[first + 1 :]]


def _make_commits(folder: Path, builds: Sequence[SeededBuild]) -> Iterator[NewCommit]:
    """Yield the commits; one without a change of the program adds a line to its files."""
    notes: dict[str, list[str]] = {}
    written: dict[str, bytes] = {}
    for number, build in enumerate(builds):
        is_change = number > 0 and build.variant != builds[number - 1].variant
        if not is_change:
            for status in ("added", "modified"):
                for path in build.commit.get(status, ()):
                    notes.setdefault(path, []).append(f"{build.commit['title']} ({number + 1})")
        tree = _tree(folder, build.variant, notes)
        changed = {path: content for path, content in tree.items() if written.get(path) != content}
        written |= changed
        facts = commit_of(build)
        yield NewCommit(build.commit["title"], facts["author_name"], facts["author_email"], build.at, changed)


def _tree(folder: Path, variant: str, notes: Mapping[str, Sequence[str]]) -> dict[str, bytes]:
    """Return the files of a variant with the lines that commits added."""
    tree: dict[str, bytes] = {}
    for source in (folder / "quoter", *(folder / "changes" / name for name in CHANGES[variant])):
        for file in sorted(each for each in source.rglob("*") if each.is_file()):
            tree[file.relative_to(source).as_posix()] = file.read_bytes()
    for path, lines in notes.items():
        package = path.split("/", maxsplit=1)[0]
        begin = f"package {package}\n".encode() if path.endswith(".go") else b"# quoter\n"
        prefix = "// " if path.endswith(".go") else "- "
        tree[path] = tree.get(path, begin) + "".join(f"\n{prefix}{line}.\n" for line in lines).encode()
    return tree
