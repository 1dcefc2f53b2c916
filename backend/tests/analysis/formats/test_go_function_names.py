"""Names of Go functions."""

import pytest

from slowpath.analysis.formats.go_function_names import is_standard, package_of, short


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("main.main", "main"),
        ("example.com/a/b.(*T).Method", "example.com/a/b"),
        ("example.com/a/b.F[...]", "example.com/a/b"),
        ("example.com/a/b.F[go.shape.struct { x/y.Z }]", "example.com/a/b"),
        ("gopkg.in/yaml%2ev3.Marshal", "gopkg.in/yaml.v3"),
        ("runtime.mallocgc", "runtime"),
        ("internal/runtime/maps.(*Iter).Next", "internal/runtime/maps"),
        ("memeqbody", "runtime (assembly)"),
        ("std::sort", "std::sort"),
        ("[unknown] libc.so.6", "[unknown] libc.so.6"),
        ("", ""),
    ],
)
def test_package(name: str, package: str) -> None:
    assert package_of(name) == package


@pytest.mark.parametrize(
    ("name", "standard"),
    [
        ("strings.(*Builder).grow", True),
        ("encoding/json.Unmarshal", True),
        ("aeshashbody", True),
        ("vendor/golang.org/x/net/http2/hpack.F", True),
        ("main.main", False),
        ("example.com/strings.F", False),
        ("ingester/ident.cloneBytes", False),
    ],
)
def test_standard_library(name: str, standard: bool) -> None:
    assert is_standard(name) is standard


def test_short_drops_directories_but_not_those_of_type_arguments() -> None:
    assert short("example.com/a/b.(*T).M") == "b.(*T).M"
    assert short("example.com/a/b.F[c/d.E]") == "b.F[c/d.E]"
    assert short("main.main") == "main.main"
