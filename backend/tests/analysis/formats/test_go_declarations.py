"""Declarations of functions in Go source text."""

import time

import pytest

from slowpath.analysis.formats.go_declarations import (
    Declaration,
    DeclaredFunction,
    find_declaration,
    parse_declared_function,
)

FILE = """package pool

/*
func Get() {
}
*/
const text = `
func Get() {
}
` + "func Get() {"

func (p *Pool[K, V]) Get(
	key K, // a "key
) (found V, err error) {
	if x := '{'; x == '{' {
		return
	}
}

func Get[T any](key T) T { return key }

func add(a, b int) int
func (Pool) Put()      {}
"""


@pytest.mark.parametrize(
    ("function", "receiver", "name"),
    [
        ("example.org/app/pool.Get", None, "Get"),
        ("example.org/app/pool.(*Pool).Get", "Pool", "Get"),
        ("example.org/app/pool.(*Pool[go.shape.int,a.b/c.T[d.e]]).Get.func1.2", "Pool", "Get"),
        ("example.org/app/pool.Pool.Get-fm", "Pool", "Get"),
        ("gopkg.in/yaml%2ev3.Get[...].func1", None, "Get"),
        ("main.Get-range1", None, "Get"),
        ("main.Get.gowrap2", None, "Get"),
        ("main.größe", None, "größe"),
    ],
)
def test_a_name_determines_its_declaration(function: str, receiver: str | None, name: str) -> None:
    assert parse_declared_function(function) == DeclaredFunction(receiver, name)


@pytest.mark.parametrize(
    "function",
    [
        "", "main", "main.", "main.init", "main.init.0", "main.glob..func1", "main.init.func1", "main.F.G.H", "main._",
        "main.(*T).F.G", "main.func1", "main.F.func1.G", "main.a(b", "main.(*).F", "[", "]]]", "main." + "a" * 5_000,
    ],
)  # fmt: skip
def test_other_names_do_not(function: str) -> None:
    assert parse_declared_function(function) is None


@pytest.mark.parametrize(
    ("receiver", "name", "lines"),
    [
        ("Pool", "Get", (12, 18)), (None, "Get", (20, 20)), (None, "add", (22, 22)), ("Pool", "Put", (23, 23)),
        (None, "Put", None), ("Other", "Get", None), (None, "ge", None),
    ],
)  # fmt: skip
def test_a_declaration_is_found_outside_comments_and_literals(
    receiver: str | None, name: str, lines: tuple[int, int] | None
) -> None:
    expected = None if lines is None else Declaration(*lines, "pool")
    assert find_declaration(FILE, DeclaredFunction(receiver, name)) == expected


@pytest.mark.parametrize(
    "text", ["/*", "`x`", '"', "'", "\\", "func (", "func F(", "func (" + " " * 100, "{", "//\n", "package "]
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    """Without an end of a comment, a literal or a bracket, nothing is read again from each place."""
    large = text * ((1 << 20) // len(text)) + "\nfunc (x T) F("
    began = time.process_time()
    find_declaration(large, DeclaredFunction("T", "F"))
    find_declaration(large, DeclaredFunction(None, "F"))
    assert time.process_time() - began < 5
