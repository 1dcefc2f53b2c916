"""Fill the submodules of a work tree from the user's clones of them; nothing is fetched.

Addresses in .gitmodules come from the repository, so they are not used. The user's clones are only read.
"""

import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from slowpath.commit_names import short_commit

LISTED: Final = re.compile(r"160000 commit ([0-9a-f]{40})\t(.+)", re.DOTALL)
PATH_OF: Final = re.compile(r"submodule\.(.+)\.path\n(.+)", re.DOTALL)
MAX_DEPTH: Final = 8

Git = Callable[[Sequence[str], str], str]
"""Runs git with arguments and returns its output; the second argument begins the message of a failure."""


def fill_submodules(git: Git, git_dir: Path, tree: Path, sha: str, clones: Path, *, depth: int = 0) -> None:
    """Write the files of a commit's submodules into its work tree.

    `git_dir` has the commit, `clones` is the folder `modules` of the user's repository. A submodule without a clone
    stays empty, as after `git clone`. Raises `InvalidRepository` if a clone lacks the commit.
    """
    listed = git([f"--git-dir={git_dir}", "ls-tree", "-r", "-z", sha, "--"], "submodules cannot be listed")
    found = [one for text in listed.split("\0") if (one := LISTED.fullmatch(text)) is not None]
    names = _names(git, tree) if found and depth < MAX_DEPTH else {}
    for entry in found:
        commit, path = entry[1], entry[2]
        folder, name = tree / path, names.get(path, "")
        clone = clones / name
        if not name or not (clone / "HEAD").is_file() or folder.is_symlink():
            continue
        shutil.rmtree(folder, ignore_errors=True)  # files of another commit of it
        folder.mkdir(parents=True)
        index = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", f"--git-dir={clone}", f"--work-tree={folder}"]  # fmt: skip
        git([*index, "read-tree", commit], f"the clone of the submodule {path} has no commit {short_commit(commit)}")
        git([*index, "checkout-index", "--all", "--force"], f"the submodule {path} cannot be written")
        fill_submodules(git, clone, folder, commit, clone / "modules", depth=depth + 1)


def _names(git: Git, tree: Path) -> dict[str, str]:
    """Return the names of submodules by path; names that would leave the folder of clones are left out."""
    file = tree / ".gitmodules"
    if not file.is_file() or file.is_symlink():
        return {}
    text = git(["config", "--file", str(file), "--null", "--get-regexp", r"^submodule\..*\.path$"], ".gitmodules cannot be read")  # fmt: skip
    pairs = [found for one in text.split("\0") if (found := PATH_OF.fullmatch(one)) is not None]
    return {found[2]: found[1] for found in pairs if not {"", ".", ".."} & set(found[1].split("/"))}
