"""The files of a kubeconfig, read as hostile: bounded, without aliases and tags, every scalar a text.

Nothing of what they hold is ever said in an error, for they hold secrets.
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
USUAL: Final = Path("~/.kube/config")
MOST_BYTES: Final = 1024 * 1024
MOST_DEPTH: Final = 40
LOADER: Final = yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader
"""Every scalar is a text: nothing is a date, a number or an object that could be made to hurt."""
NOTHING: Final = frozenset({"", "null", "Null", "NULL", "~"})
KINDS: Final = (("contexts", "context"), ("clusters", "cluster"), ("users", "user"))


@dataclass(frozen=True)
class KubeconfigEntry:
    """A context, a cluster or a user, and the folder of its file: paths in it are meant from there."""

    told: Mapping[str, Any]
    folder: Path

    def text(self, key: str) -> str:
        """Return a text; where there is none, an empty one."""
        return text(self.told, key)

    def path(self, key: str) -> Path | None:
        """Return a path, whole."""
        named = self.text(key)
        return self.folder / named if named else None

    def certificates(self, key: str) -> Callable[[], str] | None:
        """Return how to read certificates that stand in the file (`KEY-data`) or beside it. Raises `InvalidDriverConfig`."""
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
    """What several files say together: the first that says something says it."""

    where: str
    current: str
    named: Mapping[str, Mapping[str, KubeconfigEntry]]
    """By kind, then by name."""

    def one(self, kind: str, name: str) -> KubeconfigEntry:
        """Return a context, cluster or user. Raises `InvalidDriverConfig` naming those there are."""
        found = self.named[kind].get(name)
        if found is None:
            raise InvalidDriverConfig(f"{self.where} has no {name!r} among its {kind}: there are {self.names(kind)}.")
        return found

    def names(self, kind: str) -> str:
        """Return the names of one kind, for a person."""
        return ", ".join(sorted(self.named[kind])[:20]) or "none"


def files(given: Path | None) -> list[Path]:
    """Return the files to read: this one, else those of KUBECONFIG, else the usual one if it is there. Raises `InvalidDriverConfig`."""
    if given is not None:
        return [given]
    named = [Path(each).expanduser() for each in os.environ.get(VARIABLE, "").split(os.pathsep) if each]
    found = [path for path in (named or [USUAL.expanduser()]) if path.exists()]
    if named and not found:
        raise InvalidDriverConfig(f"{VARIABLE} names {', '.join(map(str, named))}: there is no such file.")
    return found


def read(paths: list[Path]) -> MergedKubeconfig:
    """Read files. Raises `InvalidDriverConfig` naming the file."""
    current, named = "", {kind: dict[str, KubeconfigEntry]() for kind, _ in KINDS}
    for path in paths:
        told = _parsed(path)
        if not isinstance(told, dict):
            raise InvalidDriverConfig(f"{path} is no kubeconfig: it is no object.")
        current = current or text(told, "current-context")
        for kind, inner in KINDS:
            named[kind] = _entries(path, told, kind, inner) | named[kind]
    return MergedKubeconfig(", ".join(map(str, paths)), current, named)


def _entries(path: Path, told: Mapping[str, Any], kind: str, inner: str) -> dict[str, KubeconfigEntry]:
    found: dict[str, KubeconfigEntry] = {}
    for each in objects(told, kind):
        name, value = text(each, "name"), each.get(inner)
        if not name or name in found:
            raise InvalidDriverConfig(
                f"{path} has {f'{name!r} twice among its' if name else 'one without a name among its'} {kind}."
            )
        found[name] = KubeconfigEntry(value if isinstance(value, dict) else {}, path.absolute().parent)
    return found


def _parsed(path: Path) -> object:
    try:
        with path.open("rb") as file:
            held = file.read(MOST_BYTES + 1)
        if len(held) > MOST_BYTES:
            raise InvalidDriverConfig(f"{path} has more than {MOST_BYTES:,} bytes: that is no kubeconfig.")
        written = held.decode("utf-8-sig")
        _check(path, written)
        return cast("object", yaml.load(written, LOADER))  # noqa: S506 - a loader that makes texts, lists and objects alone
    except UnicodeDecodeError as error:
        raise InvalidDriverConfig(f"{path} is no UTF-8.") from error
    except OSError as error:
        raise InvalidDriverConfig(f"{path} cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        raise InvalidDriverConfig(f"{path} is no YAML{f': look at line {mark.line + 1}' if mark else ''}.") from error


def _check(path: Path, written: str) -> None:
    """Refuse aliases, by which a few bytes become gigabytes, and what is deeper than any kubeconfig. Raises `InvalidDriverConfig`."""
    depth = 0
    for event in yaml.parse(written, LOADER):
        if isinstance(event, yaml.AliasEvent):
            raise InvalidDriverConfig(f"{path} has aliases of YAML (*name): write it out.")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MOST_DEPTH:
            raise InvalidDriverConfig(f"{path} is deeper than {MOST_DEPTH} levels: that is no kubeconfig.")


def text(holder: Mapping[str, Any], key: str) -> str:
    """Return a text of an object; where there is none, an empty one."""
    found = holder.get(key)
    return found.strip() if isinstance(found, str) and found.strip() not in NOTHING else ""


def objects(holder: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    """Return the objects of a list within an object."""
    found = holder.get(key)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
