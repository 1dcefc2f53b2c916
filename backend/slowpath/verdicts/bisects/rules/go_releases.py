"""Go releases between two go.mod files, and the settings whose default changed in a release.

Defaults of GODEBUG settings follow the `go` line (https://go.dev/doc/godebug), experiments follow the toolchain.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

TOOLCHAIN: Final = "golang.org/toolchain"
"""The module that contains Go releases. In a build's versions it selects the toolchain."""
GO_LINE, GODEBUG, GOEXPERIMENT = "go", "GODEBUG", "GOEXPERIMENT"
"""Names of a build's settings: the version of the `go` line, and two environment variables."""
RELEASE: Final = re.compile(r"(?:go)?1\.([1-9][0-9]{0,2})(?:\.(0|[1-9][0-9]{0,2}))?")
MODULE_VERSION: Final = re.compile(r"v0\.0\.1-(go1\.[0-9.]{1,7})")
FIRST_WITH_PATCH: Final = 21
"""The minor release from which a first release is called 1.N.0, and a `go` line may name a patch release."""


@dataclass(frozen=True, order=True)
class GoRelease:
    """A release of Go 1."""

    minor: int
    patch: int = 0

    @property
    def name(self) -> str:
        """Return the name as in `go version`, without `go`."""
        return f"1.{self.minor}.{self.patch}" if self.patch or self.minor >= FIRST_WITH_PATCH else f"1.{self.minor}"

    @property
    def go_line(self) -> str:
        """Return the version for a `go` line."""
        return self.name if self.minor >= FIRST_WITH_PATCH else f"1.{self.minor}"

    @property
    def module_version(self) -> str:
        """Return the version of the toolchain module, without the platform."""
        return f"v0.0.1-go{self.name}"


@dataclass(frozen=True)
class GoSelection:
    """What go.mod selects: the toolchain, and the version of the `go` line."""

    toolchain: GoRelease
    go_line: GoRelease


@dataclass(frozen=True)
class GoSetting:
    """A setting whose default changed: `variable`=`value` restores the former default."""

    variable: str
    value: str


@dataclass(frozen=True)
class _ChangedDefault:
    name: str
    minor: int
    old: str
    removed: int = 1000


CHANGED: Final = tuple(
    _ChangedDefault(*one)
    for one in (
        ("panicnil", 21, "1"), ("httplaxcontentlength", 22, "1"), ("httpmuxgo121", 22, "1"), ("tls10server", 22, "1", 27),
        ("tlsrsakex", 22, "1", 27), ("tlsunsafeekm", 22, "1", 27), ("asynctimerchan", 23, "1", 27), ("gotypesalias", 23, "0", 27),
        ("httpservecontentkeepheaders", 23, "1"), ("tls3des", 23, "1", 27), ("tlskyber", 23, "0", 24),
        ("x509keypairleaf", 23, "0", 27), ("x509negativeserial", 23, "1"), ("multipathtcp", 24, "0"), ("randseednop", 24, "0"),
        ("rsa1024min", 24, "0"), ("tlsmlkem", 24, "0"), ("x509rsacrt", 24, "0"), ("x509usepolicies", 24, "0"),
        ("containermaxprocs", 25, "0"), ("decoratemappings", 25, "0"), ("tlssha1", 25, "1"), ("updatemaxprocs", 25, "0"),
        ("x509sha256skid", 25, "0"), ("cryptocustomrand", 26, "1"), ("tlssecpmlkem", 26, "0"), ("urlstrictcolons", 26, "0"),
        ("tracebacklabels", 27, "0"), ("x509sslcertoverrideplatform", 27, "0"),
    )
)  # fmt: skip
"""From `internal/godebugs` of the releases 1.N.0: name, minor release of the change, former value, and minor release of the
removal. Without settings for Windows, of the go command, and those that a patch release added later."""
EXPERIMENTS: Final = {
    "unified": 20, "allocheaders": 22, "exectracer2": 22, "aliastypeparams": 24, "spinbitmutex": 24, "swissmap": 24,
    "synchashtriemap": 24, "dwarf5": 25, "greenteagc": 26, "randomizedheapbase64": 26, "jsonv2": 27, "sizespecializedmalloc": 27,
}  # fmt: skip
"""From `internal/buildcfg`: the minor release in which each experiment became the default."""


def parse_release(text: str) -> GoRelease | None:
    """Return the release of a `go` or `toolchain` line; None for pre-releases and other toolchains."""
    found = RELEASE.fullmatch(text)
    return None if found is None else GoRelease(int(found[1]), int(found[2] or 0))


def release_of(module_version: str) -> GoRelease | None:
    """Return the release of a version of the toolchain module, in the form of `GoRelease.module_version`."""
    found = MODULE_VERSION.fullmatch(module_version)
    release = parse_release(found[1]) if found else None
    return release if release is not None and release.module_version == module_version else None


def releases_between(old: GoSelection, new: GoSelection) -> list[GoSelection]:
    """Return the steps after `old` up to `new`: the first release of every minor release, and `new`.

    Empty if one of both lines is lowered.
    """
    low, high = min(old.toolchain, old.go_line), max(new.toolchain, new.go_line)
    firsts = [GoRelease(minor) for minor in range(low.minor + 1, high.minor + 1)]
    return _steps(old, new, sorted({*firsts, new.toolchain, new.go_line}))


def patches_between(
    old: GoSelection, new: GoSelection, known: Collection[GoRelease] | None = None
) -> list[GoSelection]:
    """Return the steps through the patch releases of one minor release; empty if there is only one.

    `known`: releases that exist; None if they are unknown, and every number counts.
    """
    if old.toolchain.minor != new.toolchain.minor:
        return []
    numbers = range(old.toolchain.patch + 1, new.toolchain.patch + 1)
    releases = [GoRelease(new.toolchain.minor, patch) for patch in numbers]
    found = _steps(old, new, [one for one in releases if known is None or one in known or one == new.toolchain])
    return found if len(found) > 1 else []


def _steps(old: GoSelection, new: GoSelection, releases: Collection[GoRelease]) -> list[GoSelection]:
    if new.toolchain < old.toolchain or new.go_line < old.go_line:
        return []
    out: list[GoSelection] = []
    for one in releases:
        step = GoSelection(
            min(max(one, old.toolchain), new.toolchain), min(max(one, old.go_line), new.go_line)
        )  # fmt: skip
        if step != (out[-1] if out else old):
            out.append(step)
    return out


def changed_settings(old: GoSelection, new: GoSelection) -> list[GoSetting]:
    """Return the settings whose default differs between two selections, and which `new` still has."""
    lines = range(old.go_line.minor + 1, new.go_line.minor + 1)
    is_new_minor = old.toolchain.minor < new.toolchain.minor
    experiments = [
        GoSetting(GOEXPERIMENT, f"no{name}")
        for name, minor in EXPERIMENTS.items()
        if is_new_minor and minor == new.toolchain.minor
    ]
    return experiments + [
        GoSetting(GODEBUG, f"{one.name}={one.old}")
        for one in CHANGED
        if one.minor in lines and one.minor <= new.toolchain.minor < one.removed
    ]


def invalid_setting(name: str, value: str) -> str | None:
    """Return the part of a build's setting that the table lacks, or None if it is valid."""
    if name == GO_LINE:
        release = parse_release(value)
        return None if release is not None and release.go_line == value else f"{name}={value}"
    known = {
        GODEBUG: {f"{one.name}={one.old}" for one in CHANGED},
        GOEXPERIMENT: {f"no{one}" for one in EXPERIMENTS},
    }.get(name, set())
    return next((f"{name}={one}" for one in value.split(",") if one not in known), None)
