"""The programs that the profiles of an investigation were recorded from."""

import tarfile
from pathlib import Path

ARCHIVE = "executables.tar.xz"


def read_executables(folder: Path) -> dict[str, bytes]:
    """Return the programs of an investigation by the ID of their build; none without an archive of them."""
    archive = folder / ARCHIVE
    if not archive.exists():
        return {}
    with tarfile.open(archive) as opened:
        members = ((member.name, opened.extractfile(member)) for member in opened)
        return {name: file.read() for name, file in members if file is not None}
