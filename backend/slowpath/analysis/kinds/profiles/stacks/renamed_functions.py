"""Pair functions whose names differ between two builds only because their package or type has another name.

A new major version of a module (`x/cache` and `x/cache/v2`), a module with another host or owner, a vendored copy and code
moved into a subpackage rename every function they contain. Compared by name, all of these would have vanished, and others
appeared: shifts of cost and findings in pairs would hide what changed. So such functions are one, under the name that the
candidate has. The same holds for the methods of a type that has another name, or another kind of receiver. Only functions that one side lacks are paired, and only if the pair is unique.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
I32 = NDArray[np.int32]

_MAJOR_ELEMENT = re.compile(r"/v[1-9][0-9]*(?=/|$)")
_MAJOR_SUFFIX = re.compile(r"\.v[0-9]+(?=/|$)")
TYPE_ARGUMENTS = "[...]"
VENDORED = "/vendor/"
# Elements of a module path that name its host and owner: another place of the same module.
HOST_AND_OWNER = 2
# Two types with fewer methods of equal names may be any two.
FEWEST_SHARED_METHODS = 2
CLOSURES = frozenset({"func", "gowrap", "deferwrap"})


@dataclass(frozen=True)
class QualifiedName:
    """A function key: `package` without major version and vendor folder, `local` without type arguments."""

    label: int
    path: str
    package: str
    local: str

    @classmethod
    def of(cls, label: int, key: str) -> "QualifiedName | None":
        """Split a key; None for frames that are no functions of a package."""
        bracket = key.find("[")
        head = key if bracket < 0 else key[:bracket]
        dot = head.find(".", head.rfind("/") + 1)
        if dot <= 0:
            return None
        path = key[:dot].replace("%2e", ".")
        return cls(label, path, _without_version(path), key[dot + 1 :].replace(TYPE_ARGUMENTS, ""))


@dataclass(frozen=True)
class Renames:
    """`label_of` has for each label the one that it is compared under; `packages` are pairs of paths, base and candidate."""

    label_of: I32
    packages: tuple[tuple[str, str], ...]


def find_renames(keys: Sequence[str], in_base: Mask, in_candidate: Mask) -> Renames | None:
    """Return the renamed functions, given which keys occur on the sides; None if there are none."""
    gone, fresh = (np.flatnonzero(each).tolist() for each in (in_base & ~in_candidate, in_candidate & ~in_base))
    if not gone or not fresh:
        return None
    vanished, appeared = (
        {each.label: each for label in labels if (each := QualifiedName.of(label, keys[label])) is not None}
        for labels in (gone, fresh)
    )
    common = [keys[label] for label in np.flatnonzero(in_base & in_candidate).tolist()]
    lasting = _packages(common)
    label_of = np.arange(len(keys), dtype=np.int32)
    packages: dict[tuple[str, str], None] = {}
    tiers = (_same_module, _same_type, _same_module_elsewhere(lasting), _moved_inside(lasting), _renamed_type(common))
    for tier in tiers:
        for old, new in tier(list(vanished.values()), list(appeared.values())):
            del vanished[old.label], appeared[new.label]
            label_of[old.label] = new.label
            if old.path != new.path:
                packages[old.path, new.path] = None
    return Renames(label_of, tuple(packages)) if packages or np.any(label_of != np.arange(len(keys))) else None


Pairs = list[tuple[QualifiedName, QualifiedName]]
Names = Sequence[QualifiedName]


def _same_module(vanished: Names, appeared: Names) -> Pairs:
    """Pair names that differ in major version, vendor folder or type arguments alone."""
    return _unique_pairs(vanished, appeared, lambda each: (each.package, each.local))


def _same_type(vanished: Names, appeared: Names) -> Pairs:
    """Pair methods whose receiver is a pointer on one side and a value on the other."""
    return _unique_pairs(vanished, appeared, lambda each: (each.package, each.local.replace("(*", "").replace(")", "")))


def _renamed_type(common: Iterable[str]) -> Callable[[Names, Names], Pairs]:
    """Return a tier that pairs the methods of two types of one package, of which each side has one.

    They are one type if at least half of the methods of one of them, and several, have equal names, and no other type fits.
    """
    lasting = {method[:2] for key in common if (name := QualifiedName.of(0, key)) and (method := _method_of(name))}

    def pairs(vanished: Names, appeared: Names) -> Pairs:
        old_types, new_types = (_methods_by_type(side, lasting) for side in (vanished, appeared))
        partners: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        for old, old_methods in old_types.items():
            for new, new_methods in new_types.items():
                shared = len(old_methods.keys() & new_methods.keys())
                fewer = min(len(old_methods), len(new_methods))
                if old[0] == new[0] and shared >= max(FEWEST_SHARED_METHODS, fewer / 2):
                    partners[old].append(new)
                    partners[new].append(old)
        return [
            (method, new_types[fitting[0]][name])
            for old, methods in old_types.items()
            if len(fitting := partners[old]) == 1 and len(partners[fitting[0]]) == 1
            for name, method in methods.items()
            if name in new_types[fitting[0]]
        ]

    return pairs


def _method_of(name: QualifiedName) -> tuple[str, str, str] | None:
    """Return package, type and method of a method; None for functions and their closures."""
    receiver, _, method = name.local.partition(".")
    if not method or method.partition(".")[0] in CLOSURES:
        return None
    return name.package, receiver.strip("(*)"), method


def _methods_by_type(names: Names, lasting: set[tuple[str, str]]) -> dict[tuple[str, str], dict[str, QualifiedName]]:
    types: dict[tuple[str, str], dict[str, QualifiedName]] = defaultdict(dict)
    for name in names:
        method = _method_of(name)
        if method is not None and method[:2] not in lasting:
            types[method[:2]][method[2]] = name
    return types


def _same_module_elsewhere(lasting: frozenset[str]) -> Callable[[Names, Names], Pairs]:
    """Return a tier that pairs functions of packages which only one side has, equal but for host and owner."""

    def pairs(vanished: Names, appeared: Names) -> Pairs:
        old, new = ([each for each in side if each.package not in lasting] for side in (vanished, appeared))
        return _unique_pairs(old, new, lambda each: (_without_place(each.package), each.local))

    return pairs


def _moved_inside(lasting: frozenset[str]) -> Callable[[Names, Names], Pairs]:
    """Return a tier that pairs functions moved between a package and one below it, of which one side lacks one.

    To be called from there, a type or function is exported or no longer is: the case of its name is ignored.
    """

    def pairs(vanished: Names, appeared: Names) -> Pairs:
        partners: dict[int, list[QualifiedName]] = defaultdict(list)
        by_name = _by(appeared, lambda each: each.local.casefold())
        for old in vanished:
            for new in by_name.get(old.local.casefold(), ()):
                if _is_inside(old.package, new.package) and not {old.package, new.package} <= lasting:
                    partners[old.label].append(new)
                    partners[new.label].append(old)
        return [
            (old, partners[old.label][0])
            for old in vanished
            if len(partners[old.label]) == 1 and len(partners[partners[old.label][0].label]) == 1
        ]

    return pairs


def _unique_pairs(vanished: Names, appeared: Names, key: Callable[[QualifiedName], Hashable]) -> Pairs:
    """Return the names with equal keys that no other name of their side has."""
    sides = [_by(side, key) for side in (vanished, appeared)]
    return [
        (old[0], sides[1][each][0])
        for each, old in sides[0].items()
        if len(old) == 1 and len(sides[1].get(each, ())) == 1
    ]


def _by(names: Names, key: Callable[[QualifiedName], Hashable]) -> dict[Hashable, list[QualifiedName]]:
    grouped: dict[Hashable, list[QualifiedName]] = defaultdict(list)
    for each in names:
        grouped[key(each)].append(each)
    return grouped


def _packages(keys: Iterable[str]) -> frozenset[str]:
    names = (QualifiedName.of(0, key) for key in keys)
    return frozenset(name.package for name in names if name is not None)


@lru_cache(maxsize=65_536)
def _without_version(path: str) -> str:
    own = path[path.rfind(VENDORED) + len(VENDORED) :] if VENDORED in path else path
    return _MAJOR_SUFFIX.sub("", _MAJOR_ELEMENT.sub("", own))


def _without_place(package: str) -> str:
    """Return the path without host and owner; unchanged if it has no host."""
    elements = package.split("/")
    if "." not in elements[0] or len(elements) == 1:
        return package
    return "/".join(elements[min(HOST_AND_OWNER, len(elements) - 1) :])


def _is_inside(one: str, other: str) -> bool:
    return one.startswith(f"{other}/") or other.startswith(f"{one}/")
