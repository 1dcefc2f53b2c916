"""Check a unified diff before git applies it: its size, its paths, and what it may contain."""

import re
from collections.abc import Iterator
from typing import Final

from slowpath.analysis.experiments.variants import InvalidVariant

MAX_BYTES: Final = 256 * 1024
MAX_FILES: Final = 100
HUNK: Final = re.compile(rb"@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@")
PATH_LINE: Final = re.compile(rb"(?:---|\+\+\+|rename from|rename to|copy from|copy to) (.*)")
MODE_LINE: Final = re.compile(
    rb"(?:new file mode|old mode|new mode|deleted file mode|index [0-9a-f]+\.\.[0-9a-f]+) (\d+)"
)
REGULAR: Final = frozenset({b"100644", b"100755"})
REMEDY: Final = "Make it with `git diff`, of text files inside the repository."


def validate_patch(content: bytes) -> None:
    """Check that a patch is a unified diff of regular text files inside the work tree. Raises `InvalidVariant`.

    Git itself refuses paths outside the work tree, in `.git` and beyond symbolic links. This check also refuses symbolic
    links and submodules, which a later step of a build would follow, and compressed data, whose size is unknown.
    """
    if len(content) > MAX_BYTES:
        raise InvalidVariant(f"The patch has {len(content):,} bytes; the limit is {MAX_BYTES:,}. {REMEDY}")
    headers = list(_header_lines(content))
    files = sum(line.startswith(b"+++ ") for line in headers)
    if not files:
        raise InvalidVariant(f"The patch contains no unified diff. {REMEDY}")
    if files > MAX_FILES:
        raise InvalidVariant(f"The patch changes {files} files; the limit is {MAX_FILES}.")
    for line in headers:
        _validate_header(line)


def _header_lines(content: bytes) -> Iterator[bytes]:
    """Yield the lines outside of hunks."""
    old, new = 0, 0
    for line in content.split(b"\n"):
        if old > 0 or new > 0:
            old -= line[:1] in {b" ", b"-", b""}
            new -= line[:1] in {b" ", b"+", b""}
            continue
        hunk = HUNK.match(line)
        if hunk is None:
            yield line.rstrip(b"\r")
        else:
            old, new = (1 if count is None else int(count) for count in hunk.groups())


def _validate_header(line: bytes) -> None:
    if line.startswith((b"GIT binary patch", b"Binary files ")):
        raise InvalidVariant(f"The patch changes a binary file. {REMEDY}")
    mode = MODE_LINE.fullmatch(line.rstrip())
    if mode is not None and mode[1] not in REGULAR:
        raise InvalidVariant(f"The patch changes a symbolic link or a submodule. {REMEDY}")
    found = PATH_LINE.match(line)
    if found is not None and _is_outside(found[1].split(b"\t")[0].strip()):
        raise InvalidVariant(f"The patch changes a file outside the work tree. {REMEDY}")


def _is_outside(path: bytes) -> bool:
    if path == b"/dev/null":
        return False
    parts = path.strip(b'"').replace(b"\\", b"/").split(b"/")
    return path.startswith((b"/", b'"/')) or b".." in parts or any(one.lower() == b".git" for one in parts)
