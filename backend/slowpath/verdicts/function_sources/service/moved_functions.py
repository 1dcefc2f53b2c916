"""Find a function that is in another file at the other commit. Files of repositories are untrusted, so reading is bounded."""

import posixpath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from slowpath.analysis.formats.go_declarations import Declaration, DeclaredFunction, find_declaration
from slowpath.core.errors import NotFound, TooLarge
from slowpath.core.git_ports import NO_BLOB, GitBlobReader, GitChangedFile
from slowpath.inventory.repositories.rules.source_paths import is_safe_path
from slowpath.inventory.repositories.service import mirror_files
from slowpath.verdicts.function_sources.rules import (
    MOST_LINES,
    SIMILAR_SHARE,
    compare_texts,
    split_lines,
)

MOST_FILES: Final = 1_000
MOST_BYTES: Final = 8 << 20
MOST_COMPARED: Final = 20
"""Functions whose text is compared with that of the other side."""


@dataclass(frozen=True)
class MovedText:
    """The file of a function at the other commit, and its declaration there."""

    path: str
    text: str
    declaration: Declaration


def find_moved_text(
    objects: GitBlobReader,
    changes: Sequence[GitChangedFile],
    declared: DeclaredFunction,
    path: str,
    lines: Sequence[str],
) -> MovedText | None:
    """Return where a function of a path with these lines is after the changes; None if no changed file declares it.

    A package declares a name once: in the same directory it is the function, whatever its text. In another one it is if
    at least half of its lines are equal, as git decides about renamed files, and the file did not declare it before.
    """
    folder = posixpath.dirname(path)
    found = _list_declaring(objects, _in_order(changes, path), declared)
    same: list[MovedText] = []
    others: list[tuple[GitChangedFile, MovedText]] = []
    for change, moved in found:
        if posixpath.dirname(moved.path) == folder:
            same.append(moved)
        elif same:
            break
        elif len(others) < MOST_COMPARED:
            others.append((change, moved))
    if same:
        return max(same[:MOST_COMPARED], key=lambda one: _similarity(one, lines))
    similar = [
        (_similarity(moved, lines), moved) for change, moved in others if not _was_there(objects, change, declared)
    ]
    share, best = max(similar, key=lambda one: one[0], default=(0.0, None))
    return best if share >= SIMILAR_SHARE else None


def _in_order(changes: Sequence[GitChangedFile], path: str) -> list[GitChangedFile]:
    """Return the files that may declare a function of a path: the same directory first, then files of the same name."""
    folder, name = posixpath.split(path)

    def order(change: GitChangedFile) -> tuple[bool, bool, bool, str]:
        other, file = posixpath.split(change.path)
        return other != folder, file != name, file.endswith("_test.go"), change.path

    kinds = (each for each in changes if each.path.endswith(".go") and each.after != NO_BLOB)
    return sorted((each for each in kinds if is_safe_path(each.path) and not each.path.startswith("/")), key=order)[
        :MOST_FILES
    ]


def _list_declaring(
    objects: GitBlobReader, changes: Sequence[GitChangedFile], declared: DeclaredFunction
) -> Iterator[tuple[GitChangedFile, MovedText]]:
    left = MOST_BYTES
    for change in changes:
        content = _read(objects, change.after, left)
        if content is None:
            continue
        left -= len(content)
        declaration = _find(content, declared)
        if declaration is not None:
            yield change, MovedText(change.path, content.decode("utf-8", "replace"), declaration)


def _was_there(objects: GitBlobReader, change: GitChangedFile, declared: DeclaredFunction) -> bool:
    """Return whether a file declared a function of this name before the change: then it is a different function."""
    before = None if change.before == NO_BLOB else _read(objects, change.before, mirror_files.MOST_FILE_BYTES)
    return before is not None and _find(before, declared) is not None


def _read(objects: GitBlobReader, blob_id: str, most_bytes: int) -> bytes | None:
    try:
        return objects.blob(blob_id, max_bytes=min(most_bytes, mirror_files.MOST_FILE_BYTES))
    except (NotFound, TooLarge):
        return None


def _find(content: bytes, declared: DeclaredFunction) -> Declaration | None:
    """Return the declaration in a file; most files are excluded before they are decoded."""
    if declared.name.encode() not in content or b"\x00" in content:
        return None
    return find_declaration(content.decode("utf-8", "replace"), declared)


def _similarity(moved: MovedText, lines: Sequence[str]) -> float:
    first, last = moved.declaration.first, min(moved.declaration.last, moved.declaration.first + MOST_LINES - 1)
    return compare_texts(lines, split_lines(moved.text)[first - 1 : last])
