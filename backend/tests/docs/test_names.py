"""Names of modules and classes, and subjects of commits, follow the glossary's rules."""

import ast
import io
import re
import subprocess
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.docs.banned_words import EVERYWHERE, ROOT, find_banned, has_banned

PACKAGES = (
    "backend/bootstrap_parts", "backend/slowpath", "worker/slowpath_cli", "worker/slowpath_worker", "worker/support",
    "e2e/bench", "e2e/demos", "e2e/proofs", "e2e/support",
)  # fmt: skip
TESTS = ("backend/tests", "worker/tests", "e2e/tests")
QUERY = re.compile(r"\b(SELECT|UPDATE)\b")
"""Queries of tests name tables and columns of former versions."""
STORED_MEMBERS = re.compile(
    r"former_snapshots|(comparison|page|recorded)_versions|test_versions|dashboard_header|candidate_sequence|"
    r"generated_traces|test_trace_table"
)
"""Modules that spell out members of stored documents and columns, which keep the names of their format."""
GERUND = re.compile(r"[a-z]+ing")
STANDARD_MODULES = frozenset({"wording"})
"""Modules with the same name in each feature."""
PARTICIPLE = re.compile(r"_?[A-Z][a-z]+(ed|en)")
METAPHORS = frozenset(
    {
        "Around", "Beaten", "Beyond", "Chosen", "Door", "Doomed", "Doubt", "Heart", "Hog", "House", "Keeper", "Letter",
        "Look", "Patience", "Payer", "Scene", "Story", "Telling", "Told", "Twin", "Victim", "Voice", "Would",
    }
)  # fmt: skip
"""Class names that stood for a concept before the field's word did."""
GO_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])+'|"(?:\\.|[^"\\\n])*"|`[^`]*`""",
    re.DOTALL,
)
"""A comment, rune or string literal of Go."""
COMMITS_SINCE = "2026-11-24T12:00:00+00:00"
SUBJECT = re.compile(r"[a-z][a-z0-9_./, -]*: [a-z].*[^.]")
SUBJECT_CHARACTERS = 72
WORD_START = re.compile(r"_+|(?<=[a-z0-9])(?=[A-Z])")
"""Where a word of an identifier starts."""


@cache
def modules() -> tuple[Path, ...]:
    return tuple(path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))


@cache
def modules_with_tests() -> tuple[Path, ...]:
    """Return the modules with tests, but for those about banned words."""
    found = (path for package in TESTS for path in sorted((ROOT / package).rglob("*.py")))
    return tuple(path for path in found if path.parent != Path(__file__).parent)


@cache
def classes() -> tuple[tuple[Path, ast.ClassDef], ...]:
    return tuple(
        (path, node)
        for path in modules()
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    )


@cache
def parsed(source: str) -> ast.Module:
    return ast.parse(source)


def wing(path: Path) -> str:
    """Return the wing of a module of the server, or the package of any other."""
    parts = path.relative_to(ROOT).parts
    return "/".join(parts[: 3 if parts[1] == "slowpath" else 2])


def is_exception(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith(("Exception", "Error")) for base in node.bases)


def test_modules_are_no_bare_gerunds() -> None:
    bare = [path for path in modules() if GERUND.fullmatch(path.stem) and path.stem not in STANDARD_MODULES]
    assert not bare, "name a module after what it holds, or verb_object"


def test_classes_are_nouns() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path, node in classes()
        if node.name.strip("_") in METAPHORS or (PARTICIPLE.fullmatch(node.name) and not is_exception(node))
    ]
    assert not wrong, "name a class with a noun of the glossary"


def test_a_class_name_occurs_once_in_a_wing() -> None:
    places = defaultdict(list)
    for path, node in classes():
        if not node.name.startswith("_"):
            places[wing(path), node.name].append(str(path.relative_to(ROOT)))
    assert not {name: found for name, found in places.items() if len(found) > 1}


def texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield comments, docstrings and texts of a module, with their lines. A literal with a space is a text."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    tree = parsed(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):  # pieces of f-strings are constants
            continue
        if id(node) in docstrings or " " in node.value:
            yield node.lineno, node.value


def test_comments_docstrings_and_messages_have_no_banned_word() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line + offset - 1}: {word}"
        for path in (*modules(), *modules_with_tests())
        if has_banned(path.read_text(encoding="utf-8"), EVERYWHERE)  # hardly any has, and reading its texts takes long
        for line, text in texts(path.read_text(encoding="utf-8"))
        if not (path in modules_with_tests() and QUERY.search(text))
        for offset, word in find_banned(text, EVERYWHERE)
    ]
    assert not wrong, "see the list of banned words in backend/docs/glossary.md"


def identifiers(source: str, *, with_members: bool) -> Iterator[tuple[int, str]]:
    """Yield names with their lines: functions, classes, arguments, variables, attributes, and members of JSON objects."""
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.lineno, node.name
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr
        elif with_members and isinstance(node, ast.keyword) and node.arg:
            yield node.value.lineno, node.arg
        elif with_members and isinstance(node, ast.Dict | ast.Subscript):
            yield from members(node)


def members(node: ast.Dict | ast.Subscript) -> Iterator[tuple[int, str]]:
    """Yield the names of members that a dictionary or an index spells out, with their lines."""
    for key in node.keys if isinstance(node, ast.Dict) else (node.slice,):
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and key.value.isidentifier():
            yield key.lineno, key.value


def banned_identifiers(source: str, *, with_members: bool = True) -> Iterator[tuple[int, str]]:
    """Yield the lines and names of a module that contain a banned word."""
    if not has_banned(WORD_START.sub(" ", source), EVERYWHERE):
        return
    for line, name in identifiers(source, with_members=with_members):
        if any(find_banned(WORD_START.sub(" ", name), EVERYWHERE)):
            yield line, name


def test_identifiers_have_no_banned_word() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in (*modules(), *modules_with_tests())
        for line, name in banned_identifiers(
            path.read_text(encoding="utf-8"), with_members=not STORED_MEMBERS.search(path.stem)
        )
    ]
    assert not wrong, "see the list of banned words in backend/docs/glossary.md"


def test_banned_words_of_identifiers_are_found() -> None:
    source = "class TwoTwins:\n    def was_told(self, kept):\n        self.twin = retold = f(said=1)['payer']\n"
    assert sorted(banned_identifiers(source)) == [
        (1, "TwoTwins"), (2, "kept"), (2, "was_told"), (3, "payer"), (3, "said"), (3, "twin")
    ]  # fmt: skip


def test_banned_words_of_comments_docstrings_and_messages_are_found() -> None:
    source = 'def f(x):\n    """Return what\n    was told to `said`."""\n    raise ValueError(f"{x} lies there", "told")  # nobody\n'
    assert [
        (line + offset - 1, word) for line, text in texts(source) for offset, word in find_banned(text, EVERYWHERE)
    ] == [(4, "nobody"), (3, "told"), (4, "lies")]


def go_texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield comments and texts of a Go file, with their lines. A literal with a space is a text."""
    for token in GO_TOKEN.finditer(source):
        if token.group().startswith("/") or " " in token.group():
            yield source.count("\n", 0, token.start()) + 1, token.group().replace("`", " ")


def test_comments_and_messages_of_go_programs_have_no_banned_word() -> None:
    files = [*(ROOT / "worker").rglob("*.go"), *(ROOT / "e2e").rglob("*.go")]
    wrong = [
        f"{path.relative_to(ROOT)}:{line + offset - 1}: {word}"
        for path in files
        for line, text in go_texts(path.read_text(encoding="utf-8"))
        for offset, word in find_banned(text, EVERYWHERE)
    ]
    assert len(files) > 100
    assert not wrong, "see the list of banned words in backend/docs/glossary.md"


def test_banned_words_of_go_comments_and_texts_are_found() -> None:
    source = """/* nobody\nsaid */\nvar told, r = "told", '"' // it lies there\nconst usage = `a door`\n"""
    assert [
        (line + offset - 1, word) for line, text in go_texts(source) for offset, word in find_banned(text, EVERYWHERE)
    ] == [(1, "nobody"), (2, "said"), (3, "lies"), (4, "door")]


def subjects() -> Iterator[str]:
    log = ["git", "log", "--no-merges", f"--since={COMMITS_SINCE}", "--format=%s"]
    done = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False)
    yield from done.stdout.splitlines()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git repository")
def test_commits_have_an_area_a_verb_and_an_object() -> None:
    wrong = [one for one in subjects() if len(one) > SUBJECT_CHARACTERS or not SUBJECT.fullmatch(one)]
    assert not wrong, "write `area: verb object`, at most 72 characters, without a full stop"
