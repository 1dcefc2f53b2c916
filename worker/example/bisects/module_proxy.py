"""Versions of Go modules from memory: a module proxy in a folder, and the checksums of `go.sum`."""

import base64
import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

STAMP = "%Y%m%d%H%M%S"
EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Version:
    """One version of a module, as required by others."""

    module: str
    name: str
    files: Mapping[str, bytes]

    def sums(self) -> str:
        """Return its two lines of `go.sum` (hash "h1": SHA-256 over the sorted SHA-256 sums of its files)."""
        whole = _h1({f"{self.module}@{self.name}/{path}": content for path, content in self.files.items()})
        return f"{self.module} {self.name} {whole}\n{self.module} {self.name}/go.mod {_h1({'go.mod': self.files['go.mod']})}\n"


def pseudo(at: datetime, sha: str) -> str:
    """Return the pseudo-version of a commit without an earlier tag."""
    return f"v0.0.0-{at.astimezone(UTC).strftime(STAMP)}-{sha[:12]}"


def serve(proxy: Path, version: Version, at: datetime) -> None:
    """Write a version to a folder for GOPROXY=file://… (layout of the module proxy protocol)."""
    folder = proxy / version.module / "@v"
    folder.mkdir(parents=True, exist_ok=True)
    fields = {"Version": version.name, "Time": at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
    (folder / f"{version.name}.info").write_text(json.dumps(fields), encoding="utf-8")
    (folder / f"{version.name}.mod").write_bytes(version.files["go.mod"])
    with (folder / "list").open("a", encoding="utf-8") as names:
        names.write(f"{version.name}\n")
    with zipfile.ZipFile(folder / f"{version.name}.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for path, content in sorted(version.files.items()):
            packed.writestr(zipfile.ZipInfo(f"{version.module}@{version.name}/{path}", EPOCH), content)


def _h1(files: Mapping[str, bytes]) -> str:
    lines = "".join(f"{hashlib.sha256(files[path]).hexdigest()}  {path}\n" for path in sorted(files))
    return "h1:" + base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()
