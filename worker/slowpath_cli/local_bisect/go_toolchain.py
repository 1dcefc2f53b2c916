"""Build with a chosen Go release and its settings: rewrite go.mod and go.work, and make the environment of commands."""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.rules.go_releases import (
    GO_LINE,
    GODEBUG,
    GOEXPERIMENT,
    TOOLCHAIN,
    GoRelease,
    parse_release,
    release_of,
)

LINES: Final = re.compile(r"^(go|toolchain)[ \t]+\S+[ \t]*(?://.*)?$", re.MULTILINE)
FIRST_WITH_GODEBUG_LINES: Final = GoRelease(23)
LISTED: Final = re.compile(r"v0\.0\.1-go(1\.[0-9.]+)\.[a-z0-9]+-[a-z0-9]+")
LIST_SECONDS: Final = 60.0
MOST_PARENTS: Final = 32


def toolchain_override(build: BuildInputs) -> dict[str, str]:
    """Return the toolchain of a build and its settings as one override; empty without a chosen one."""
    version = build.versions.get(TOOLCHAIN)
    return {} if version is None else {"version": version, **build.settings}


def go_environment(override: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that select a toolchain and its settings, added to those of an environment.

    Raises `ValueError` if the version is not one of the toolchain module.
    """
    release = release_of(override["version"])
    if release is None:
        raise ValueError(f"{override['version']!r} is not a version of {TOOLCHAIN}.")
    added = {name: override[name] for name in (GODEBUG, GOEXPERIMENT) if name in override}
    merged = {name: ",".join(filter(None, (environment.get(name), value))) for name, value in added.items()}
    return {"GOTOOLCHAIN": f"go{release.name}", **merged}


def write_go_lines(module: Path, root: Path, override: Mapping[str, str]) -> None:
    """Write the `go` line and the former defaults into the go.mod of a folder, and into the go.work at or above it.

    Without either nothing is written. The toolchain comes from the environment. From Go 1.23 the defaults are
    part of the binary, wherever it runs.
    """
    release = release_of(override["version"])
    godebug = override.get(GODEBUG, "") if release is not None and release >= FIRST_WITH_GODEBUG_LINES else ""
    if not godebug and GO_LINE not in override:
        return
    work = next((one / "go.work" for one in (module, *module.parents)[:MOST_PARENTS] if (one / "go.work").is_file() and one.is_relative_to(root)), None)  # fmt: skip
    for file in filter(None, (module / "go.mod", work)):
        if not file.is_file() or file.is_symlink():
            continue
        text = file.read_text(encoding="utf-8", errors="surrogateescape")
        file.write_text(_rewritten(text, override.get(GO_LINE), godebug), encoding="utf-8", errors="surrogateescape")


def _rewritten(text: str, go_line: str | None, godebug: str) -> str:
    """Return a go.mod with another `go` line, unless it is newer already, and with `godebug` lines."""

    def line(found: "re.Match[str]") -> str:
        if found[1] == "toolchain":
            return ""
        old, new = parse_release(found[0].split()[1]), parse_release(go_line or "")
        return found[0] if old is not None and new is not None and old > new else f"go {go_line}"

    if go_line is not None:
        text = LINES.sub(line, text)
    names = [one for one in godebug.split(",") if one and not _has_setting(text, one.partition("=")[0])]
    return "\n".join([text.rstrip("\n"), *(f"godebug {one}" for one in names), ""])


def _has_setting(text: str, name: str) -> bool:
    return re.search(rf"^[ \t]*(?:godebug[ \t]+)?{re.escape(name)}=", text, re.MULTILINE) is not None


def list_releases(folder: Path) -> frozenset[GoRelease] | None:
    """Return the releases that the Go proxy of this environment lists; None if it cannot be asked."""
    try:
        done = subprocess.run(
            ["go", "list", "-m", "-versions", TOOLCHAIN], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=LIST_SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    names = [found[1] for one in done.stdout.decode("utf-8", "replace").split() if (found := LISTED.fullmatch(one))]
    return frozenset(one for name in names if (one := parse_release(name)) is not None) or None
