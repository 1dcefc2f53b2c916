"""Check leases against the runner's configuration: the section `[allow]`, and the defaults without it.

Only repositories of `[repositories]` are allowed. Without `[allow]`, a lease may have versions of modules that the commit's
go.mod requires, and any plain service name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from slowpath.analysis.closure.go_module_files import MOST_BYTES, parse_go_mod
from slowpath.analysis.experiments.variants import PATCH, REVERT, VALUES
from slowpath.verdicts.bisects.rules.experiment_plan import needed_kinds
from slowpath.verdicts.bisects.rules.go_releases import TOOLCHAIN, release_of
from slowpath_cli.runner.core.driver_interface import DeploymentFailed
from slowpath_cli.runner.core.leases import SERVICE, LeaseRefused

KEYS: Final = {"services", "modules", "refs", "toolchains", "variants"}
VARIANTS: Final = frozenset({*VALUES, "pgo", REVERT, PATCH})
"""What `[allow] variants` may name."""


@dataclass(frozen=True)
class Allow:
    """Shell patterns (`*`, `?`); None if not configured."""

    services: tuple[str, ...] | None = None
    modules: tuple[str, ...] | None = None
    refs: tuple[str, ...] | None = None
    """Full names, such as `refs/heads/main`; a commit must be reachable from a matching ref."""
    toolchains: tuple[str, ...] | None = None
    """Go releases, such as `1.24.*`; without them a release is allowed unless `modules` lacks its module."""
    variants: tuple[str, ...] = ()
    """Kinds of variants of experiments; none if not configured."""

    def check(self, lease: Mapping[str, Any], repositories: Mapping[str, str], *, checkout: bool) -> None:
        """Check that a validated lease is allowed; a compilation always checks builds out. Raises `LeaseRefused`."""
        service = lease["service"]["name"]
        if self.services is None and not SERVICE.fullmatch(service):
            raise LeaseRefused(
                f"The service {service!r} is not a plain name (letters, digits, dots, - and _). Name it in [allow] services."
            )
        if self.services is not None and not _matches_any(service, self.services):
            raise LeaseRefused(f"The service {service!r} is not in [allow] services.")
        compiled = lease.get("compile")
        for build in (lease["build"], *([] if compiled is None else [compiled["base"]])):
            self._check_build(build, repositories, checkout=checkout or compiled is not None)
        missing = sorted(needed_kinds(lease.get("variant")) - {*self.variants})
        if missing:
            raise LeaseRefused(f"The variant needs {missing[0]}, which is not in [allow] variants.")

    def _check_build(self, build: Mapping[str, Any], repositories: Mapping[str, str], *, checkout: bool) -> None:
        release = release_of(build["versions"].get(TOOLCHAIN, ""))
        if release is not None and self.toolchains is not None and not _matches_any(release.name, self.toolchains):
            raise LeaseRefused(f"Go {release.name} is not in [allow] toolchains.")
        by_toolchains = {TOOLCHAIN} if self.toolchains is not None else set()
        for module in {*build["modules"], *build["versions"]} - by_toolchains:
            if self.modules is not None and not _matches_any(module, self.modules):
                raise LeaseRefused(f"The module {module} is not in [allow] modules.")
        if checkout:
            unknown = next((module for module in build["modules"] if module not in repositories), None)
            if unknown is not None:
                raise LeaseRefused(
                    f'[repositories] has no repository for {unknown}. Add "{unknown}" = "folder or URL".'
                )

    def check_required(self, versions: Mapping[str, str], mods: Iterable[Path]) -> None:
        """Without `[allow] modules`, check that the build's commits require these modules. Raises `DeploymentFailed`.

        `mods` are the go.mod files of the main module and of the modules replaced by a commit.
        """
        if not versions or self.modules is not None:
            return
        required = {module for mod in mods for module in _required_modules(mod)}
        foreign = next((module for module in versions if module not in {*required, TOOLCHAIN}), None)
        if foreign is not None:
            raise DeploymentFailed(
                f"The commit does not require {foreign}, so its version is not replaced. "
                "To allow it, add it to [allow] modules of the runner's configuration."
            )


def _required_modules(mod: Path) -> Iterable[str]:
    if not mod.is_file() or mod.is_symlink() or mod.stat().st_size > MOST_BYTES:
        return ()
    return parse_go_mod(mod.read_text(encoding="utf-8", errors="surrogateescape")).requires


def _matches_any(text: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)
