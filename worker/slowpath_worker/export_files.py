"""What the exports of comparisons and of profile sets share: names of files, and the samples of one kind."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from slowpath.analysis.kinds.profiles.decoded.label_values import LabelMatcher, select_columns
from slowpath.analysis.kinds.profiles.decoded.profile_header import parse_profile_header
from slowpath.analysis.kinds.profiles.decoded.profile_table import read_profile_columns

LONGEST_NAME: Final = 80


def make_file_name(name: str, default: str) -> str:
    """Return a name in characters that every file system takes."""
    return "".join(char if char.isalnum() or char in "-_." else "_" for char in name)[:LONGEST_NAME] or default


def select_samples(path: Path, kind: str, labels: Sequence[LabelMatcher], out: Path) -> Path | None:
    """Return a file with the samples of a profile that match the labels; None if it is of another kind, or none matches."""
    content = path.read_bytes()
    if parse_profile_header(read_profile_columns(content).header).kind != kind:
        return None
    if not labels:
        return path
    selected = select_columns(content, labels)
    if selected is None:
        return None
    out.write_bytes(selected)
    return out
