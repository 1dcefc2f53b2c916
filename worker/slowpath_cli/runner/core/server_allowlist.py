"""What this runner's own configuration allows a server to ask for: the section `[allow]`, and what stands in for it.

Repositories are those of `[repositories]`, always. Without `[allow]`, other versions may be asked for of modules that the
commit's go.mod requires, and services by any plain name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from slowpath.analysis.closure.go_module_files import MOST_BYTES, parse_go_mod
from slowpath_cli.runner.core.driver_interface import DeploymentFailed
from slowpath_cli.runner.core.leases import SERVICE, LeaseRefused

KEYS: Final = {"services", "modules", "refs"}


@dataclass(frozen=True)
class Allow:
    """Patterns as of a shell (`*`, `?`); None where nothing was configured."""

    services: tuple[str, ...] | None = None
    modules: tuple[str, ...] | None = None
    refs: tuple[str, ...] | None = None
    """Full names, as `refs/heads/main`; a commit must be reachable from one that matches."""

    def check(self, lease: Mapping[str, Any], repositories: Mapping[str, str], *, checkout: bool) -> None:
        """Refuse a checked lease that is not allowed. Raises `LeaseRefused`."""
        service, build = lease["service"]["name"], lease["build"]
        if self.services is None and not SERVICE.fullmatch(service):
            raise LeaseRefused(
                f"The service {service!r} is not a plain name (letters, digits, dots, - and _). Name it in [allow] services."
            )
        if self.services is not None and not _among(service, self.services):
            raise LeaseRefused(f"The service {service!r} is not in [allow] services.")
        for module in (*build["modules"], *build["versions"]):
            if self.modules is not None and not _among(module, self.modules):
                raise LeaseRefused(f"The module {module} is not in [allow] modules.")
        if checkout:
            unknown = next((module for module in build["modules"] if module not in repositories), None)
            if unknown is not None:
                raise LeaseRefused(
                    f'The runner knows no repository for {unknown}: name it in [repositories], as "{unknown}" = "...".'
                )

    def check_required(self, versions: Mapping[str, str], mods: Iterable[Path]) -> None:
        """Refuse versions of modules that none of the laid out commits requires, where `[allow]` names none.

        `mods` are the go.mod files of the build: of its main module, and of those that are replaced by a commit. Raises
        `DeploymentFailed`.
        """
        if not versions or self.modules is not None:
            return
        required = {module for mod in mods for module in _required(mod)}
        foreign = next((module for module in versions if module not in required), None)
        if foreign is not None:
            raise DeploymentFailed(
                f"The commit does not require {foreign}, so its version is not replaced. "
                "To allow it, name it in [allow] modules of the runner's file."
            )


def _required(mod: Path) -> Iterable[str]:
    if not mod.is_file() or mod.is_symlink() or mod.stat().st_size > MOST_BYTES:
        return ()
    return parse_go_mod(mod.read_text(encoding="utf-8", errors="surrogateescape")).requires


def _among(text: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(text, pattern) for pattern in patterns)
