"""Equal hashes are equal binaries: generated repositories, built by the real Go toolchain at every commit."""

import hashlib
import json
import os
import random
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import pytest

from slowpath.adapters.egress import AllowlistedEgressClient
from slowpath.adapters.egress_policy import parse_allowlist
from slowpath.adapters.git_mirror import GitLimits, GitMirror
from slowpath.adapters.git_remotes import AllowedRemotes
from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.analysis.closure.go_packages import PackageCache
from slowpath.analysis.closure.package_closure import PackageClosure, PackageClosureReader
from tests.support.git_repositories import SomeRepository, new_repository
from tests.support.repository_shapes import SHAPES, RepositoryShape, write_shape

GO = shutil.which("go") or "/usr/local/go/bin/go"
pytestmark = [
    pytest.mark.processes,
    pytest.mark.skipif(not Path(GO).exists(), reason="there is no Go toolchain"),
]

GO_MOD = "module example.org/app\n\ngo 1.21\n\nrequire example.org/near v0.0.0\n\nreplace example.org/near => ./near\n"
FIRST = {
    "go.mod": GO_MOD,
    "README.md": "hello\n",
    "cmd/server/main.go": """package main

import (
	_ "embed"

	"example.org/app/store"
	"example.org/near/fast"
)

//go:embed banner.txt
var banner string

func main() { println(banner, store.Get(), fast.Twice(4)) }
""",
    "cmd/server/banner.txt": "welcome\n",
    "cmd/other/main.go": "package main\n\nfunc main() { println(1) }\n",
    "store/store.go": "package store\n\nfunc Get() int { return get() }\n",
    "store/get_linux.go": "package store\n\nfunc get() int { return 1 }\n",
    "store/get_windows.go": "package store\n\nfunc get() int { return 2 }\n",
    "store/store_test.go": "package store\n",
    "unused/unused.go": "package unused\n",
    "near/go.mod": "module example.org/near\n\ngo 1.21\n",
    "near/fast/fast.go": "package fast\n\n//go:noinline\nfunc Twice(n int) int { return twice(n) }\n",
    "near/fast/twice_amd64.s": '#include "textflag.h"\n\nTEXT ·twice(SB), NOSPLIT, $0-16\n\tMOVQ n+0(FP), AX\n\tADDQ AX, AX\n\tMOVQ AX, ret+8(FP)\n\tRET\n',
    "near/fast/twice.go": "package fast\n\nfunc twice(n int) int\n",
}
STEPS: list[tuple[str, Mapping[str, str | bytes | None], bool]] = [
    ("words", {"README.md": "hello again\n"}, False),
    ("a test", {"store/store_test.go": "package store\n\n// more\n"}, False),
    ("another command", {"cmd/other/main.go": "package main\n\nfunc main() { println(2) }\n"}, False),
    ("a package that is not imported", {"unused/unused.go": "package unused\n\nconst N = 1\n"}, False),
    ("another platform", {"store/get_windows.go": "package store\n\nfunc get() int { return 3 }\n"}, False),
    ("a file that is ignored", {"store/gen.go": "//go:build ignore\n\npackage main\n\nfunc main() {}\n"}, False),
    ("a file of another tag", {"store/debug.go": "//go:build debug && !linux\n\npackage store\n"}, False),
    ("an imported package", {"store/store.go": "package store\n\nfunc Get() int { return get() + 1 }\n"}, True),
    ("this platform", {"store/get_linux.go": "package store\n\nfunc get() int { return 5 }\n"}, True),
    ("what is embedded", {"cmd/server/banner.txt": "good day\n"}, True),
    ("assembly", {"near/fast/twice_amd64.s": str(FIRST["near/fast/twice_amd64.s"]).replace("ADDQ AX, AX", "ADDQ AX, AX\n\tADDQ $1, AX")}, True),
    ("a new import", {"unused/unused.go": "package unused\n\nvar N = 7\n",
                      "store/store.go": 'package store\n\nimport "example.org/app/unused"\n\nfunc Get() int { return get() + unused.N }\n'}, True),
    ("what is imported since", {"unused/unused.go": "package unused\n\nvar N = 8\n"}, True),
    ("the language", {"go.mod": GO_MOD.replace("go 1.21", "go 1.22")}, True),
    ("a name of a file", {"store/store.go": None, "store/shop.go":
                          'package store\n\nimport "example.org/app/unused"\n\nfunc Get() int { panic(unused.N) }\n'}, True),
    ("a setting", {"go.mod": GO_MOD.replace("go 1.21", "go 1.22\n\ngodebug panicnil=1")}, True),
    ("back again", {"go.mod": GO_MOD.replace("go 1.21", "go 1.22")}, True),
]  # fmt: skip


def build(repository: SomeRepository, sha: str, package: str, *, folder: str = "", **more: str) -> str:
    """Return the digest of the binary that Go builds at a commit."""
    repository.git("checkout", "--quiet", "--force", sha)
    repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init")
    repository.git("clean", "-fdxq")
    binary = repository.folder.parent / "binary"
    environment = {
        **os.environ, "CGO_ENABLED": "0", "GOFLAGS": "", "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOOS": "linux",
        "GOARCH": "amd64", "GOWORK": "", **more,
    }  # fmt: skip
    done = subprocess.run(
        [GO, "build", "-trimpath", "-buildvcs=false", "-o", str(binary), package],
        cwd=repository.folder / folder, env=environment, check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return hashlib.sha256(binary.read_bytes()).hexdigest()


def closures(
    repository: SomeRepository,
    tmp_path: Path,
    shas: list[str],
    main: str,
    directory: str = "",
    target: BuildTarget | None = None,
) -> list[PackageClosure]:
    """Return the closures at commits, read from a copy by the git binary."""
    remotes = AllowedRemotes(AllowlistedEgressClient(parse_allowlist(""), only_listed=False), [repository.folder])
    mirror = GitMirror(tmp_path / "mirror", remotes, GitLimits(1 << 30, 60))
    mirror.fetch(f"file://{repository.folder}", None, lambda: None)
    with mirror.objects() as objects:
        reader = PackageClosureReader(objects, directory, main, target or BuildTarget(cgo=False), PackageCache())
        return [reader.at(objects.root(sha)) for sha in shas]


def assert_equal_hashes_are_equal_binaries(hashes: list[str | None], binaries: list[str]) -> None:
    by_hash: dict[str | None, str] = {}
    for number, (one, binary) in enumerate(zip(hashes, binaries, strict=True)):
        assert one is not None
        assert by_hash.setdefault(one, binary) == binary, f"commit {number} has the hash of another binary"


def test_each_kind_of_change(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "app")
    shas = [repository.commit(FIRST, "first")]
    shas += [repository.commit(files, name) for name, files, _ in STEPS]
    repository.git("branch", "keep")

    found = closures(repository, tmp_path, shas, "cmd/server")
    binaries = [build(repository, sha, "./cmd/server") for sha in shas]
    assert [one.problem for one in found] == [None] * len(shas)
    assert [one.unbounded for one in found] == [()] * len(shas)
    hashes = [one.hash for one in found]
    assert_equal_hashes_are_equal_binaries(hashes, binaries)
    differs = [(name, one != before) for (name, _, _), before, one in zip(STEPS, hashes, hashes[1:], strict=False)]
    assert differs == [(name, expected) for name, _, expected in STEPS]
    assert found[0].packages == {
        "example.org/app/cmd/server": "cmd/server", "example.org/app/store": "store", "example.org/near/fast": "near/fast",
    }  # fmt: skip


def proxy_with(folder: Path, module: str, versions: Mapping[str, str]) -> str:
    """Write a module proxy with versions of one module, each returning another number."""
    at = folder / module / "@v"
    at.mkdir(parents=True)
    for version, body in versions.items():
        mod = f"module {module}\n\ngo 1.21\n"
        (at / f"{version}.mod").write_text(mod)
        (at / f"{version}.info").write_text(json.dumps({"Version": version, "Time": "2026-01-01T00:00:00Z"}))
        with zipfile.ZipFile(at / f"{version}.zip", "w") as packed:
            packed.writestr(f"{module}@{version}/go.mod", mod)
            packed.writestr(f"{module}@{version}/lib.go", body)
    (at / "list").write_text("\n".join(versions) + "\n")
    return folder.as_uri()


def tidy(repository: SomeRepository, environment: Mapping[str, str], *words: str) -> None:
    subprocess.run(
        [GO, "mod", *words], cwd=repository.folder, env={**os.environ, **environment}, check=True, capture_output=True
    )  # fmt: skip


@pytest.mark.parametrize("vendored", [False, True], ids=["by version", "vendored"])
def test_versions_of_modules(tmp_path: Path, vendored: bool) -> None:
    proxy = proxy_with(
        tmp_path / "proxy", "example.org/lib",
        {"v1.0.0": "package lib\n\nvar N = 1\n", "v1.1.0": "package lib\n\nvar N = 2\n"},
    )  # fmt: skip
    environment = {
        "GOPROXY": proxy, "GOSUMDB": "off", "GOMODCACHE": str(tmp_path / "cache"), "GOFLAGS": "-modcacherw",
        "GOTOOLCHAIN": "local",
    }  # fmt: skip
    repository = new_repository(tmp_path / "app")
    uses = 'package main\n\nimport "example.org/lib"\n\nfunc main() { println(lib.N) }\n'
    shas = []
    for version, words in (("v1.0.0", ""), ("v1.0.0", "words\n"), ("v1.1.0", "words\n"), ("v1.0.0", "words\n")):
        repository.write({
            "go.mod": f"module example.org/app\n\ngo 1.21\n\nrequire example.org/lib {version}\n",
            "uses/main.go": uses, "plain/main.go": "package main\n\nfunc main() {}\n", "README": words,
        })  # fmt: skip
        tidy(repository, environment, "tidy")
        if vendored:
            tidy(repository, environment, "vendor")
        shas.append(repository.commit({}))
    repository.git("branch", "keep")

    found = [one.hash for one in closures(repository, tmp_path / "a", shas, "uses")]
    binaries = [build(repository, sha, "./uses", **environment) for sha in shas]
    assert_equal_hashes_are_equal_binaries(found, binaries)
    assert [one == found[0] for one in found] == [True, True, False, True]

    plain = [one.hash for one in closures(repository, tmp_path / "b", shas, "plain")]
    assert_equal_hashes_are_equal_binaries(plain, [build(repository, sha, "./plain", **environment) for sha in shas])
    assert len(set(plain)) == 1


def test_a_workspace_and_a_module_below_the_root(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "mono")
    first = {
        "go.work": "go 1.21\n\nuse (\n\t./services/api\n\t./lib\n)\n",
        "services/api/go.mod": "module example.org/api\n\ngo 1.21\n",
        "services/api/main.go": 'package main\n\nimport "example.org/lib/deep"\n\nfunc main() { println(deep.N) }\n',
        "lib/go.mod": "module example.org/lib\n\ngo 1.21\n",
        "lib/deep/deep.go": "package deep\n\nvar N = 1\n",
        "lib/other/other.go": "package other\n",
        "services/web/main.go": "package main\n",
    }
    shas = [repository.commit(first)]
    shas.append(
        repository.commit(
            {"lib/other/other.go": "package other\n\nvar N = 1\n", "services/web/main.go": "package main\n\n"}
        )
    )
    shas.append(repository.commit({"lib/deep/deep.go": "package deep\n\nvar N = 2\n"}))
    repository.git("branch", "keep")
    found = [one.hash for one in closures(repository, tmp_path, shas, "", "services/api")]
    binaries = [build(repository, sha, "./services/api") for sha in shas]
    assert_equal_hashes_are_equal_binaries(found, binaries)
    assert [one == found[0] for one in found] == [True, True, False]


@pytest.mark.parametrize("seed", range(2))
def test_random_histories(tmp_path: Path, seed: int) -> None:
    """Packages that import each other at random change, are added and lost; whatever is equal by hash is equal in bytes."""
    rng = random.Random(seed)
    repository = new_repository(tmp_path / "app")
    names = [f"p{number}" for number in range(8)]

    def package(number: int) -> dict[str, str]:
        below = [other for other in names[number + 1 :] if rng.random() < 0.25]
        imports = "".join(f'import "example.org/app/{other}"\n' for other in below)
        total = " + ".join([str(rng.randrange(4)), *(f"{other}.F()" for other in below)])
        name, ending = names[number], rng.choice(["", "_linux", "_amd64"])
        files = {
            f"{name}/{name}{ending}.go": f"package {name}\n\n{imports}\n//go:noinline\nfunc F() int {{ return {total} }}\n"
        }
        files[f"{name}/{name}_windows.go"] = f"package {name}\n\nfunc F() int {{ return {rng.randrange(9)} }}\n"
        return files

    files: dict[str, str | bytes | None] = {"go.mod": "module example.org/app\n\ngo 1.21\n"}
    for number in range(8):
        files |= package(number)
    files["main.go"] = (
        'package main\n\nimport "example.org/app/p0"\nimport "example.org/app/p1"\n\nfunc main() { println(p0.F(), p1.F()) }\n'
    )
    shas = [repository.commit(files)]
    for _ in range(9):
        number = rng.randrange(8)
        new: dict[str, str | bytes | None] = {**package(number)}
        there = [str(path.relative_to(repository.folder)) for path in (repository.folder / names[number]).iterdir()]
        shas.append(repository.commit({**{name: None for name in there if name not in new}, **new}))
    repository.git("branch", "keep")
    found = [one.hash for one in closures(repository, tmp_path, shas, "")]
    assert_equal_hashes_are_equal_binaries(found, [build(repository, sha, ".") for sha in shas])
    assert 1 < len(set(found)) <= len(shas)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_each_shape_of_repository(tmp_path: Path, shape: RepositoryShape) -> None:
    made = write_shape(tmp_path / "app", shape)
    repository, shas = made.repository, made.shas
    repository.git("branch", "keep")
    package = "" if shape.package == "." else shape.package
    with_cgo = BuildTarget()
    found = closures(repository, tmp_path, shas, package, shape.directory, with_cgo)
    hashes = [one.hash for one in found]
    assert [bool(one.unbounded) for one in found] == [shape.counts_all] * len(shas)
    binaries = [
        build(repository, sha, shape.package, folder=shape.directory, CGO_ENABLED="1", GOFLAGS="-buildvcs=false")
        for sha in shas
    ]
    assert_equal_hashes_are_equal_binaries(hashes, binaries)
    same = [one == before for before, one in pairwise(binaries)]
    assert same == [True, False, True]
    if not shape.counts_all:
        assert [one == before for before, one in pairwise(hashes)] == same
