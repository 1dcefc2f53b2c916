"""Find the declaration of a function in Go source text. Pure; names and texts are untrusted, and time is linear in both."""

import re
from dataclasses import dataclass
from typing import Final

import re2

MOST_NAME: Final = 1_000
"""Characters of a name or receiver that is searched."""
_CLOSURE = re.compile(r"(?:func|gowrap|deferwrap)?\d+")
_SUFFIX = re.compile(r"-(?:fm|range\d+)")
_POINTER_METHOD = re.compile(r"\(\*(\w+)\)\.(.+)")
_UNNAMED: Final = frozenset({"init", "glob", "_"})
"""Names that several functions of a package have, or none."""
_TOKEN = re.compile(r"//[^\n]*|/\*(?:.*?\*/|.*)|`[^`]*`?|\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?", re.DOTALL)
"""Comments and literals; each alternative takes what is left if its end is missing, so that nothing is read twice."""
_PACKAGE = re.compile(r"^package[ \t]+(\w+)", re.MULTILINE)
_BRACKET = re.compile(r"[(){}\[\]\n]")
_IDENTIFIER: Final = r"[\pL_][\pL\pN_]*"


@dataclass(frozen=True)
class DeclaredFunction:
    """The name of a function or method as its declaration has it; `receiver` is the type's name without type parameters."""

    receiver: str | None
    name: str


@dataclass(frozen=True)
class Declaration:
    """The lines of a declaration, counted from 1, both ends included, and the name of its package."""

    first: int
    last: int
    package: str


def parse_declared_function(function: str) -> DeclaredFunction | None:
    """Return what declares a function of a profile; None if the name does not determine it.

    `a.b/c.(*T[...]).M.func1.2` is declared by `(T) M`. Functions `init` and literals outside functions have no such name.
    """
    rest = _strip_type_arguments(function).rsplit("/", 1)[-1].partition(".")[2]
    method = _POINTER_METHOD.fullmatch(rest)
    receiver, parts = (method[1], method[2].split(".")) if method else (None, rest.split("."))
    words = [_SUFFIX.sub("", each) for each in parts]
    names = [each for each in words if not _CLOSURE.fullmatch(each)]
    if names != words[: len(names)] or not 1 <= len(names) <= (1 if receiver else 2):
        return None
    found = DeclaredFunction(receiver or (names[0] if len(names) == 2 else None), names[-1])
    is_name = all(each.isidentifier() and len(each) <= MOST_NAME for each in (found.receiver or "T", found.name))
    return found if is_name and found.name not in _UNNAMED else None


def _strip_type_arguments(name: str) -> str:
    outside, depth = [], 0
    for one in name:
        depth += (one == "[") - (one == "]" and depth > 0)
        if depth == 0 and one != "]":
            outside.append(one)
    return "".join(outside)


def find_declaration(text: str, declared: DeclaredFunction) -> Declaration | None:
    """Return the first declaration of a function in a file; comments and literals are not searched."""
    if declared.name not in text:
        return None
    code = _TOKEN.sub(_blank, text)
    receiver = ""
    if declared.receiver is not None:
        of_type = rf"(?:{_IDENTIFIER}[ \t]+)?\*?[ \t]*{re2.escape(declared.receiver)}[ \t]*(?:\[[^\]\n]*\])?"
        receiver = rf"\([ \t]*{of_type}[ \t]*\)[ \t]*"
    pattern = rf"(?m)^func[ \t]*{receiver}{re2.escape(declared.name)}[ \t]*[\[(]"
    found = re2.search(pattern, code)
    if found is None:
        return None
    package = _PACKAGE.search(code)
    first = code.count("\n", 0, found.start()) + 1
    return Declaration(first, first + _count_further_lines(code, found.start()), package[1] if package else "")


def _blank(token: re.Match[str]) -> str:
    """Return spaces for a token, with its line ends; a space at least, so that what follows does not begin a line."""
    return "\n" * token[0].count("\n") + " "


def _count_further_lines(code: str, start: int) -> int:
    """Count the line ends inside a declaration: it ends with the first one outside of all brackets."""
    depth = lines = 0
    for bracket in _BRACKET.finditer(code, start):
        if bracket[0] != "\n":
            depth += 1 if bracket[0] in "({[" else -1
        elif depth <= 0:
            return lines
        else:
            lines += 1
    return lines
