"""Read the build information of a Go binary: Go version, module and settings (`go version -m` without Go).

Format: https://go.dev/src/debug/buildinfo/buildinfo.go, as of Go 1.18, where two strings follow the header directly.
Older and invalid binaries give None.
"""

import mmap
from dataclasses import dataclass, field
from pathlib import Path

_MAGIC = b"\xff Go buildinf:"
_HEADER_BYTES = 32
_FLAGS_AT = 15
_INLINE_STRINGS = 2
_ALIGNMENT = 16
_LONGEST = 1 << 20
_SENTINEL_BYTES = 16  # the module text is between two markers of this length


@dataclass(frozen=True)
class BuildInfo:
    """Go version and build settings (`vcs.revision`, `GOOS`, `-tags`, ...) of one binary."""

    go_version: str
    settings: dict[str, str] = field(default_factory=dict)

    @property
    def commit(self) -> str | None:
        """Return the revision the binary was built from; None if the work tree was modified."""
        if self.settings.get("vcs.modified") != "false":
            return None
        return self.settings.get("vcs.revision")


def read_build_info(path: Path) -> BuildInfo | None:
    """Read the build information of a binary without running it; None if it has none."""
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            at = data.find(_MAGIC)
            while at >= 0 and at % _ALIGNMENT:
                at = data.find(_MAGIC, at + 1)
            return _parse(data[at : at + _HEADER_BYTES + 2 * _LONGEST]) if at >= 0 else None
    except (OSError, ValueError):
        return None


def _parse(block: bytes) -> BuildInfo | None:
    if len(block) <= _HEADER_BYTES or not block[_FLAGS_AT] & _INLINE_STRINGS:
        return None
    version, rest = _text(block[_HEADER_BYTES:])
    module, _ = _text(rest)
    if not version.startswith(b"go") and not version.startswith(b"devel"):
        return None
    return BuildInfo(version.decode("utf-8", "replace"), _settings(module[_SENTINEL_BYTES:-_SENTINEL_BYTES]))


def _text(block: bytes) -> tuple[bytes, bytes]:
    """Return a length-prefixed string (unsigned LEB128), and the remaining bytes."""
    length = shift = 0
    for number, byte in enumerate(block[:5]):
        length |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            start = number + 1
            return block[start : start + length], block[start + length :]
    return b"", b""


def _settings(module: bytes) -> dict[str, str]:
    settings = {}
    for line in module.decode("utf-8", "replace").splitlines():
        if line.startswith("build\t"):
            name, _, value = line.removeprefix("build\t").partition("=")
            settings[name] = value.strip('"')
    return settings
