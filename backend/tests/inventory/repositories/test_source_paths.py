"""File names of profiles become a module and a path; hostile ones become nothing."""

import pytest

from slowpath.inventory.repositories.rules.source_paths import (
    BuiltModule,
    SourcePlace,
    module_root,
    package_of,
    place_source_file,
    serves_module,
)

BUILT = BuiltModule(
    "example.org/app",
    "services/api",
    "cmd/server",
    {
        "example.org/lib": "v1.2.0",
        "example.org/lib/sub": "v0.3.0",
        "example.org/old": "v1.0.0 => example.org/fork v1.1.0",
        "example.org/local": "v1.0.0 => ../local",
    },
    "go1.26.3",
)


def service(path: str) -> SourcePlace:
    return SourcePlace("service", "example.org/app", None, path)


@pytest.mark.parametrize(
    ("file", "function", "place"),
    [
        ("example.org/app/store/store.go", "example.org/app/store.Get", service("services/api/store/store.go")),
        ("/home/ci/w/store/store.go", "example.org/app/store.(*T).Get", service("services/api/store/store.go")),
        ("C:\\ci\\store\\store.go", "example.org/app/store.Get", service("services/api/store/store.go")),
        ("/home/ci/w/cmd/server/main.go", "main.main", service("services/api/cmd/server/main.go")),
        ("example.org/lib/sub/a.go", "x.F", SourcePlace("dependency", "example.org/lib/sub", "v0.3.0", "a.go")),
        ("example.org/lib@v1.9.2/id/pool.go", "x.F", SourcePlace("dependency", "example.org/lib", "v1.9.2", "id/pool.go")),
        (
            "/root/go/pkg/mod/github.com/!burnt!sushi/toml@v1.0.0/a.go",
            "x.F",
            SourcePlace("dependency", "github.com/BurntSushi/toml", "v1.0.0", "a.go"),
        ),
        ("example.org/old/a.go", "x.F", SourcePlace("dependency", "example.org/fork", "v1.1.0", "a.go")),
        ("example.org/local/a.go", "x.F", None),
        ("net/http/server.go", "net/http.F", SourcePlace("standard-library", "std", "go1.26.3", "src/net/http/server.go")),
        (
            "/usr/local/go/src/runtime/stack.go",
            "runtime.newstack",
            SourcePlace("standard-library", "std", "go1.26.3", "src/runtime/stack.go"),
        ),
        ("example.net/unknown/a.go", "example.net/unknown.F", None),
        ("quoter/discount/discount.go", "quoter/discount.F", None),  # a module without a dot is no part of Go
        ("../../etc/passwd", "x.F", None),
        ("/home/../etc/passwd", "x.F", None),
        ("example.org/app/../../etc/passwd", "x.F", None),
        ("example.org/lib@v1.0.0/../../x", "x.F", None),
        ("example.org/app/a\x00.go", "x.F", None),
        ("/a/b.go", "../../x.F", None),
        ("//etc/passwd", "x.F", None),
        ("", "x.F", None),
        ("a/" * 32_768 + "a.go", "x.F", None),
    ],
)  # fmt: skip
def test_a_file_is_placed_in_its_module(file: str, function: str, place: SourcePlace | None) -> None:
    assert place_source_file(file, function, BUILT) == place


@pytest.mark.parametrize(
    ("function", "package"),
    [
        ("example.org/a/b.(*T[go.shape.int]).M", "example.org/a/b"),
        ("example.org/a/b.F[example.org/c.T]", "example.org/a/b"),
        ("gopkg.in/yaml%2ev3.Marshal", "gopkg.in/yaml.v3"),
        ("main.main.func1", "main"),
        ("runtime.newstack", "runtime"),
    ],
)
def test_a_function_names_its_package(function: str, package: str) -> None:
    assert package_of(function) == package


def test_a_repository_serves_the_modules_below_its_address() -> None:
    assert module_root("https://github.com/a/b.git") == "github.com/a/b"
    assert serves_module("https://github.com/a/b.git", "github.com/a/b/v2")
    assert not serves_module("https://github.com/a/b.git", "github.com/a/bc")
    assert not serves_module("https://github.com/", "github.com/a")
