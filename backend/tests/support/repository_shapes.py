"""Repositories of each shape that Go builds from: vendored, with workspaces, nested modules, submodules, C and more.

Each has a program that prints a number from the file of interest. Its last steps change a file that does not matter, the
file of interest, and again one that does not matter.
"""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.support.git_repositories import FIXED, SomeRepository, new_repository

Files = Mapping[str, str | bytes | None]


@dataclass(frozen=True)
class RepositoryShape:
    """One shape: the files of its first commit, and the changes of two later ones."""

    first: Files
    irrelevant: Files
    relevant: Files
    directory: str = ""
    """Folder of go.mod."""
    package: str = "."
    submodule: str = ""
    """Folder of a submodule, whose files are below it in `first` and in the changes."""
    counts_all: bool = False
    """Whether the closure cannot be bounded, so that every change counts."""


def _main(*imports: str, value: str = "lib.N()") -> str:
    lines = "\n".join(f'import "{one}"' for one in imports)
    return f"package main\n\n{lines}\n\nfunc main() {{ println({value}) }}\n"


def _mod(name: str, rest: str = "", go: str = "1.22") -> str:
    return f"module example.org/{name}\n\ngo {go}\n{rest}"


def _lib(number: int) -> str:
    return f"package lib\n\nfunc N() int {{ return {number} }}\n"


_REQUIRED = "\nrequire example.org/lib v0.0.0\n"
_C = 'package main\n\n// #include "number.h"\n// int number(void);\nimport "C"\nimport "fmt"\n\nfunc main() { fmt.Println(C.number()) }\n'

SHAPES: Final[Mapping[str, RepositoryShape]] = {
    "vendored modules": RepositoryShape(
        {"go.mod": _mod("app", "\nrequire example.org/lib v1.0.0\n"), "main.go": _main("example.org/lib"),
         "vendor/modules.txt": "# example.org/lib v1.0.0\n## explicit; go 1.22\nexample.org/lib\n",
         "vendor/example.org/lib/lib.go": _lib(100), "vendor/example.org/lib/README": "1\n"},
        {"vendor/example.org/lib/README": "2\n"},
        {"vendor/example.org/lib/lib.go": _lib(200)},
    ),
    "go.work": RepositoryShape(
        {"go.work": "go 1.22\n\nuse (\n\t./app\n\t./lib\n\t./other\n)\n", "app/go.mod": _mod("app"), "app/main.go": _main("example.org/lib"),
         "lib/go.mod": _mod("lib"), "lib/lib.go": _lib(100), "other/go.mod": _mod("other"), "other/lib.go": _lib(1)},
        {"other/lib.go": _lib(2)},
        {"lib/lib.go": _lib(200)}, directory="app",
    ),
    "nested modules": RepositoryShape(
        {"go.mod": _mod("app", _REQUIRED + "\nreplace example.org/lib => ./lib\n"), "main.go": _main("example.org/lib"), "lib/go.mod": _mod("lib"),
         "lib/lib.go": _lib(100), "lib/tool/go.mod": _mod("lib/tool"), "lib/tool/main.go": _main(value="1")},
        {"lib/tool/main.go": _main(value="2")},
        {"lib/lib.go": _lib(200)},
    ),
    "replace ../": RepositoryShape(
        {"services/app/go.mod": _mod("app", _REQUIRED + "\nreplace example.org/lib => ../../lib\n"), "services/app/main.go": _main("example.org/lib"),
         "lib/go.mod": _mod("lib"), "lib/lib.go": _lib(100), "services/web/go.mod": _mod("web"), "services/web/main.go": _main(value="1")},
        {"services/web/main.go": _main(value="2")},
        {"lib/lib.go": _lib(200)}, directory="services/app",
    ),
    "submodules": RepositoryShape(
        {"go.mod": _mod("app", _REQUIRED + "\nreplace example.org/lib => ./third/lib\n"), "main.go": _main("example.org/lib"),
         "third/lib/go.mod": _mod("lib"), "third/lib/lib.go": _lib(100)},
        {"README": "2\n"},
        {"third/lib/lib.go": _lib(200)}, submodule="third/lib", counts_all=True,
    ),
    "a submodule that is not imported": RepositoryShape(
        {"go.mod": _mod("app"), "main.go": _main("example.org/app/lib"), "lib/lib.go": _lib(100), "third/data/x": "1\n"},
        {"third/data/x": "2\n"},
        {"lib/lib.go": _lib(200)}, submodule="third/data",
    ),
    "generated code": RepositoryShape(
        {"go.mod": _mod("app"), "main.go": _main("example.org/app/lib"), "lib/lib.proto": "1\n",
         "lib/doc.go": "package lib\n\n//go:generate protoc lib.proto\n", "lib/zz_generated.go": _lib(100)},
        {"lib/lib.proto": "2\n"},
        {"lib/zz_generated.go": _lib(200)},
    ),
    "cgo": RepositoryShape(
        {"go.mod": _mod("app"), "main.go": _C, "number.h": "#define NUMBER 100\n",
         "number.c": '#include <stdio.h>\n#include "number.h"\nint number(void) { return NUMBER; }\n', "docs/README": "1\n"},
        {"docs/README": "2\n"},
        {"number.h": "#define NUMBER 200\n"},
    ),
    "//go:embed": RepositoryShape(
        {"go.mod": _mod("app"), "main.go": 'package main\n\nimport (\n\t_ "embed"\n\t"os"\n)\n\n//go:embed data/number.txt\nvar text string\n\nfunc main() { os.Stdout.WriteString(text) }\n',
         "data/number.txt": "100\n", "other/number.txt": "1\n"},
        {"other/number.txt": "2\n"},
        {"data/number.txt": "200\n"},
    ),
}  # fmt: skip


@dataclass(frozen=True)
class ShapedRepository:
    """A repository of a shape; `shas` are its commits, of which the third has the change that matters."""

    repository: SomeRepository
    shas: list[str]


def write_shape(folder: Path, shape: RepositoryShape) -> ShapedRepository:
    """Write a repository of a shape, and that of its submodule beside it."""
    repository = new_repository(folder)
    inner = new_repository(folder.with_name(f"{folder.name}-submodule")) if shape.submodule else None
    shas = []
    undone: Files = {name: shape.first.get(name) for name in shape.irrelevant}
    for step in (shape.first, shape.irrelevant, shape.relevant, undone):
        inside = {name.removeprefix(f"{shape.submodule}/"): text for name, text in step.items() if inner and name.startswith(f"{shape.submodule}/")}  # fmt: skip
        if inner is not None and inside:
            sha = inner.commit(inside)
            _update_submodule(repository, inner, shape.submodule, sha)
        shas.append(
            repository.commit(
                {
                    name: text
                    for name, text in step.items()
                    if not shape.submodule or not name.startswith(f"{shape.submodule}/")
                }
            )
        )
    return ShapedRepository(repository, shas)


def _update_submodule(repository: SomeRepository, inner: SomeRepository, place: str, sha: str) -> None:
    allowed = ("-c", "protocol.file.allow=always")
    if not (repository.folder / place).exists():
        repository.git(*allowed, "submodule", "--quiet", "add", str(inner.folder), place)
    folder = str(repository.folder / place)
    for words in ((*allowed, "fetch", "--quiet"), ("checkout", "--quiet", sha)):
        subprocess.run(
            ["git", "-C", folder, *words], check=True, capture_output=True, env={**os.environ, **FIXED}
        )  # fmt: skip
