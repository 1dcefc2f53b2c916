"""Find which module a source file of a profile belongs to, and its path there. Pure; names come from profiles: hostile."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

from slowpath.analysis.closure.module_versions import resolve_version
from slowpath.analysis.formats.go_function_names import is_standard_path
from slowpath.inventory.repositories.rules.code_host_links import CodeHost

MOST_FILE_NAME: Final = 4_096
"""Characters, as PATH_MAX."""
STANDARD_LIBRARY: Final = "std"
_CACHED = re.compile(r"(?:.*/pkg/mod/)?(?P<module>[^@]+)@(?P<version>v[^/@]+)/(?P<path>.+)")
_MAJOR = re.compile(r"v[2-9]\d{0,5}|v1\d{1,5}")
_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
PUBLIC_HOSTS: Final[Mapping[str, str]] = {
    "github.com": "github",
    "gitlab.com": "gitlab",
    "bitbucket.org": "bitbucket",
    "codeberg.org": "gitea",
}
_UPPER = re.compile(r"!([a-z])")
_GO_VERSION = re.compile(r"(?:go)?(1\.\d{1,3}(?:\.\d{1,3}|(?:rc|beta)\d{1,3})?)")
_REPLACED = re.compile(r" => ([^\s./][^\s]*) (v\S+)$")

Origin = Literal["service", "dependency", "standard-library"]


@dataclass(frozen=True)
class BuiltModule:
    """What is known of the program that a profile is of.

    `module` is the path of the service's module, None if unknown; `directory` is its directory in its repository and
    `main_package` the directory of package main below it. `dependencies` maps module paths to versions.
    """

    module: str | None
    directory: str
    main_package: str
    dependencies: Mapping[str, str]
    go_version: str


@dataclass(frozen=True)
class SourcePlace:
    """A file of a module: `path` is relative to the module, for the service to the root of its repository."""

    origin: Origin
    module: str
    version: str | None
    path: str


def is_safe_path(name: str) -> bool:
    """Return whether a name can be that of a file: no control characters, no empty, `.` or `..` segments, not too long."""
    if not name or len(name) > MOST_FILE_NAME or any(ord(one) < 32 or ord(one) == 127 for one in name):
        return False
    segments = name.removeprefix("/").split("/")
    return not any(segment in {"", ".", ".."} for segment in segments)


def place_source_file(file: str, function: str, built: BuiltModule) -> SourcePlace | None:
    """Return the module and path of a function's file; None if it cannot be known.

    Names of builds with -trimpath begin with the module (`example.org/lib@v1.2.0/a.go`) or the import path; other names are
    absolute paths of the machine that built the program. Of these, the import path follows from the function's name.
    """
    name = file.replace("\\", "/")
    if re.match(r"[A-Za-z]:/", name):
        name = name[2:]
    if not is_safe_path(name):
        return None
    cached = _CACHED.fullmatch(name)
    if cached:
        module, version = (_UPPER.sub(lambda found: found[1].upper(), cached[group]) for group in ("module", "version"))
        return SourcePlace("dependency", module, version, cached["path"])
    if not name.startswith("/"):
        return _place_import_path(name, built)
    base_name = name.rsplit("/", 1)[1]
    package = package_of(function)
    if package == "main":
        path = "/".join(filter(None, (built.directory, built.main_package, base_name)))
        return SourcePlace("service", built.module or "main", None, path)
    return _place_import_path(f"{package}/{base_name}", built) if is_safe_path(f"{package}/{base_name}") else None


def package_of(function: str) -> str:
    """Return the import path of a function's package: `a.org/b/c` of `a.org/b/c.(*T).M`."""
    folder, _, last = function.split("[", 1)[0].rpartition("/")
    package = last.split(".", 1)[0].replace("%2e", ".")
    return f"{folder}/{package}" if folder else package


def _place_import_path(path: str, built: BuiltModule) -> SourcePlace | None:
    if built.module is not None and path.startswith(f"{built.module}/"):
        below = path.removeprefix(f"{built.module}/")
        return SourcePlace("service", built.module, None, f"{built.directory}/{below}".lstrip("/"))
    owners = [module for module in built.dependencies if path.startswith(f"{module}/")]
    if owners:
        module = max(owners, key=len)
        below, version = path.removeprefix(f"{module}/"), str(built.dependencies[module])
        replaced = _REPLACED.search(version)
        if replaced:
            return SourcePlace("dependency", replaced[1], replaced[2], below)
        return None if " => " in version else SourcePlace("dependency", module, version, below)
    if "/" in path and is_standard_path(path):
        found = _GO_VERSION.fullmatch(built.go_version)
        return SourcePlace("standard-library", STANDARD_LIBRARY, found and f"go{found[1]}", f"src/{path}")
    return None


def serves_module(url: str, module: str) -> bool:
    """Return whether a repository's URL is where a module's path says that its repository is."""
    return module_root(url) is not None and f"{module}/".startswith(f"{module_root(url)}/")


def find_public_host(module: str) -> CodeHost | None:
    """Return the code host of a module whose path is its address: github.com/owner/name and below."""
    words = module.split("/")
    kind = PUBLIC_HOSTS.get(words[0])
    if kind is None or len(words) < 3 or not all(_WORD.fullmatch(word) for word in words[:3]):
        return None
    return CodeHost(kind, "https://" + "/".join(words[:3]))


def make_module_ref(version: str, directory: str) -> str:
    """Return the tag of a module's version, which begins with its directory, or the commit of a pseudo-version."""
    resolved = resolve_version(version, "")
    bare = version.removesuffix("+incompatible")
    return resolved.revision or "/".join(filter(None, (directory, bare)))


def list_module_directories(module: str, root: str) -> list[str]:
    """Return the possible directories of a module in the repository whose root has the module path `root`, best first.

    A module below the root has its directory in its path; a major version at the end may have one.
    """
    below = [word for word in module.removeprefix(root).split("/") if word]
    without = below[:-1] if below and _MAJOR.fullmatch(below[-1]) else below
    return list(dict.fromkeys("/".join(folder) for folder in (without, below)))


def module_root(url: str) -> str | None:
    """Return the module path of the root of a repository by its URL: `github.com/a/b` of `https://github.com/a/b.git`."""
    parts = urlsplit(url)
    path = parts.path.rstrip("/").removesuffix("/.git").removesuffix(".git")
    return f"{parts.hostname}{path}" if parts.hostname and path.strip("/") else None
