"""Read kubeconfig files as untrusted input: limited size, no YAML aliases or tags, all scalars are strings.

Errors never contain values of the files, because these contain secrets.
"""

import base64
import binascii
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import yaml

from slowpath_cli.runner.core.driver_interface import InvalidDriverConfig
from slowpath_cli.runner.core.tls_trust import text_of

VARIABLE: Final = "KUBECONFIG"
DEFAULT_PATH: Final = Path("~/.kube/config")
MAX_BYTES: Final = 1024 * 1024
MAX_DEPTH: Final = 40
LOADER: Final = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
"""Loads every scalar as a string, never as a date, number or object."""
NULL_TEXTS: Final = frozenset({"", "null", "Null", "NULL", "~"})
KINDS: Final = (("contexts", "context"), ("clusters", "cluster"), ("users", "user"))


@dataclass(frozen=True)
class KubeconfigEntry:
    """A context, cluster or user, and the folder of its file, from which its paths are resolved."""

    fields: Mapping[str, Any]
    folder: Path

    def text(self, key: str) -> str:
        """Return a string, empty if it is missing."""
        return text(self.fields, key)

    def path(self, key: str) -> Path | None:
        """Return an absolute path, or None."""
        named = self.text(key)
        return self.folder / named if named else None

    def certificates(self, key: str) -> Callable[[], str] | None:
        """Return a reader of certificates in the file (`KEY-data`) or in another one. Raises `InvalidDriverConfig`."""
        data, path = self.text(f"{key}-data"), self.path(key)
        if not data:
            return None if path is None else partial(text_of, path)
        try:
            read = base64.b64decode("".join(data.split()), validate=True).decode("utf-8")
        except (binascii.Error, ValueError) as error:
            raise InvalidDriverConfig(f"{key}-data of the kubeconfig is not base64 of a certificate.") from error
        return lambda: read


@dataclass(frozen=True)
class MergedKubeconfig:
    """Merged kubeconfig files; the first file with a value takes precedence."""

    where: str
    current: str
    named: Mapping[str, Mapping[str, KubeconfigEntry]]
    """By kind, then by name."""

    def one(self, kind: str, name: str) -> KubeconfigEntry:
        """Return a context, cluster or user. Raises `InvalidDriverConfig`, which lists the existing ones."""
        found = self.named[kind].get(name)
        if found is None:
            raise InvalidDriverConfig(f"{self.where} has no {name!r} in its {kind}. Available: {self.names(kind)}.")
        return found

    def names(self, kind: str) -> str:
        """Format the names of one kind for messages."""
        return ", ".join(sorted(self.named[kind])[:20]) or "none"


def files(given: Path | None) -> list[Path]:
    """Return the given file, else those of KUBECONFIG, else the default one if it exists. Raises `InvalidDriverConfig`."""
    if given is not None:
        return [given]
    named = [Path(each).expanduser() for each in os.environ.get(VARIABLE, "").split(os.pathsep) if each]
    found = [path for path in (named or [DEFAULT_PATH.expanduser()]) if path.exists()]
    if named and not found:
        raise InvalidDriverConfig(f"{VARIABLE} is {', '.join(map(str, named))}, but no such file exists.")
    return found


def read(paths: list[Path]) -> MergedKubeconfig:
    """Read and merge files. Raises `InvalidDriverConfig`, which names the file."""
    current, named = "", {kind: dict[str, KubeconfigEntry]() for kind, _ in KINDS}
    for path in paths:
        document = _parse(path)
        if not isinstance(document, dict):
            raise InvalidDriverConfig(f"{path} is not a kubeconfig: it is not an object.")
        current = current or text(document, "current-context")
        for kind, inner in KINDS:
            named[kind] = _entries(path, document, kind, inner) | named[kind]
    return MergedKubeconfig(", ".join(map(str, paths)), current, named)


def _entries(path: Path, document: Mapping[str, Any], kind: str, inner: str) -> dict[str, KubeconfigEntry]:
    found: dict[str, KubeconfigEntry] = {}
    for each in objects(document, kind):
        name, value = text(each, "name"), each.get(inner)
        if not name or name in found:
            raise InvalidDriverConfig(
                f"{path} has {f'{name!r} twice' if name else 'an entry without a name'} in its {kind}."
            )
        found[name] = KubeconfigEntry(value if isinstance(value, dict) else {}, path.absolute().parent)
    return found


def _parse(path: Path) -> object:
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise InvalidDriverConfig(f"{path} is larger than the limit of {MAX_BYTES:,} bytes for kubeconfigs.")
        yaml_text = content.decode("utf-8-sig")
        _check(path, yaml_text)
        return cast("object", yaml.load(yaml_text, LOADER))  # noqa: S506 - a loader that makes only strings, lists and objects
    except UnicodeDecodeError as error:
        raise InvalidDriverConfig(f"{path} is not UTF-8.") from error
    except OSError as error:
        raise InvalidDriverConfig(f"{path} cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise InvalidDriverConfig(f"{path} is not valid YAML{f' (line {mark.line + 1})' if mark else ''}.") from error


def _check(path: Path, yaml_text: str) -> None:
    """Reject aliases, which can expand to gigabytes, and deep nesting. Raises `InvalidDriverConfig`."""
    depth = 0
    for event in yaml.parse(yaml_text, LOADER):
        if isinstance(event, yaml.AliasEvent):
            raise InvalidDriverConfig(
                f"{path} has YAML aliases (*name), which are not supported. Replace them by their values."
            )
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise InvalidDriverConfig(f"{path} is nested deeper than the limit of {MAX_DEPTH} levels.")


def text(holder: Mapping[str, Any], key: str) -> str:
    """Return a string of an object, empty if it is missing."""
    found = holder.get(key)
    return found.strip() if isinstance(found, str) and found.strip() not in NULL_TEXTS else ""


def objects(holder: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects of a list in an object, empty if it is missing."""
    found = holder.get(key)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
