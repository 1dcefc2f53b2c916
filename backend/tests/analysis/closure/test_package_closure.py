"""What a closure counts in and leaves out, and the readers of file headers and build constraints that it uses."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.adapters.egress import AllowlistedEgressClient
from slowpath.adapters.egress_policy import parse_allowlist
from slowpath.adapters.git_mirror import GitLimits, GitMirror
from slowpath.adapters.git_remotes import AllowedRemotes
from slowpath.analysis.closure.build_constraints import BuildTarget, by_name, holds, holds_plus
from slowpath.analysis.closure.go_file_header import read_source
from slowpath.analysis.closure.go_module_files import changed_versions, parse_go_mod, parse_go_sum, read_lock
from slowpath.analysis.closure.package_closure import PackageClosure, PackageClosureReader
from tests.support.git_repositories import SomeRepository, new_repository

MAIN = "package main\n\nfunc main() {}\n"


def at_each(
    tmp_path: Path, repository: SomeRepository, shas: list[str], main: str = "", target: BuildTarget | None = None
) -> list[PackageClosure]:
    remotes = AllowedRemotes(AllowlistedEgressClient(parse_allowlist(""), only_listed=False), [repository.folder])
    mirror = GitMirror(tmp_path / "mirror", remotes, GitLimits(1 << 30, 60))
    mirror.fetch(f"file://{repository.folder}", None, lambda: None)
    with mirror.objects() as objects:
        reader = PackageClosureReader(objects, "", main, target)
        return [reader.at(objects.root(sha)) for sha in shas]


BASE = {"go.mod": "module example.org/app\n\ngo 1.21\n", "main.go": MAIN, "far/data.txt": "1\n", "far/x.h": "1\n"}


@pytest.mark.parametrize(
    ("first", "change"),
    [
        pytest.param({"main.go": 'package main\n\n// #include "far/x.h"\nimport "C"\n\nfunc main() {}\n'}, {"far/x.h": "2\n"}, id="cgo"),
        pytest.param({"main.go": 'package main\n\n// #cgo CFLAGS: -Ifar\n// #include <x.h>\nimport "C"\n\nfunc main() {}\n'}, {"far/x.h": "2\n"}, id="cgo with flags"),
        pytest.param({"main.go": 'package main\n\n// #include "table.inc"\nimport "C"\n\nfunc main() {}\n', "table.inc": "1\n"}, {"table.inc": "2\n"}, id="any file that C includes"),
        pytest.param({"add_amd64.s": '#include "../far/x.h"\n'}, {"far/x.h": "2\n"}, id="assembly that includes"),
        pytest.param({"main.go": "package main\n\n//go:embed all:far/*.txt\nvar x string\n"}, {"far/data.txt": "2\n"}, id="embedded below"),
        pytest.param({"main.go": "package main\n\n//go:embed f*\nvar x string\n"}, {"far/data.txt": "2\n"}, id="embedded by pattern"),
        pytest.param({}, {"default.pgo": b"\x01"}, id="a profile that steers the compiler"),
        pytest.param({}, {".gitattributes": "*.go text eol=crlf\n"}, id="how files are written out"),
        pytest.param({}, {"new.s": "TEXT x(SB), 0, $0\n"}, id="assembly"),
        pytest.param({}, {"lib.syso": b"\x01"}, id="an object file"),
        pytest.param({"main.go": MAIN + "broken ("}, {"main.go": MAIN}, id="what does not compile"),
        pytest.param({"main.go": 'package main\n\nimport x "example.org/app/far"\n', "far/f.go": "package far\n", "far/go.mod": "module example.org/app/far\n"},
                     {"go.mod": BASE["go.mod"] + "\nrequire example.org/app/far v1.1.0\n"}, id="a module nested in ours"),
        pytest.param({"main.go": 'package main\n\nimport "example.org/lib"\n', "go.mod": "module example.org/app\n\ngo 1.16\n\nrequire example.org/x v1.0.0\n"},
                     {"go.mod": "module example.org/app\n\ngo 1.16\n\nrequire example.org/x v1.1.0\n"}, id="old modules"),
    ],
)  # fmt: skip
def test_what_counts(
    tmp_path: Path, first: Mapping[str, str | bytes | None], change: Mapping[str, str | bytes | None]
) -> None:
    repository = new_repository(tmp_path / "app")
    shas = [repository.commit({**BASE, **first}), repository.commit({"README": "x\n"}), repository.commit(change)]
    before, _, after = at_each(tmp_path, repository, shas)
    assert before.hash != after.hash
    assert before.inputs != after.inputs


def test_unbounded_effects_are_reported(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "app")
    repository.commit(
        {
            **BASE,
            "main.go": 'package main\n\nimport "C"\nimport "example.org/app/linked"\n',
            "real/r.go": "package linked\n",
        }
    )
    (repository.folder / "linked").symlink_to("real")
    (repository.folder / "more.go").symlink_to("real/r.go")
    shas = [repository.commit({}), repository.commit({"README": "x\n"})]
    one, two = at_each(tmp_path, repository, shas)
    assert one.hash != two.hash
    assert [why.rpartition(":")[2].strip() for why in one.unbounded] == [
        "more.go is not a plain file", "linked is behind a link or in another repository",
    ]  # fmt: skip
    without = at_each(tmp_path, repository, shas, target=BuildTarget(cgo=False))
    assert all(len(found.unbounded) == 1 for found in without)


@pytest.mark.parametrize(
    ("files", "main", "problem"),
    [
        (BASE, "cmd/none", "The folder cmd/none does not exist."),
        (BASE, "far", "far has no Go file to build."),
        ({**BASE, "main.go": None, "README": ""}, "", ". has no Go file to build."),
        ({**BASE, "main.go": 'package main\n\nimport "example.org/x/y"\n', "go.mod": BASE["go.mod"] + "replace example.org/x => ../x\n"}, "",
         "A replace directive resolves example.org/x/y outside the repository."),
    ],
)  # fmt: skip
def test_unbuildable_commits_are_reported(
    tmp_path: Path, files: Mapping[str, str | None], main: str, problem: str
) -> None:
    repository = new_repository(tmp_path / "app")
    sha = repository.commit({name: content for name, content in files.items() if content is not None})
    [found] = at_each(tmp_path, repository, [sha], main)
    assert (found.hash, found.problem) == (None, problem)


def test_without_modules_the_whole_repository_counts(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "app")
    shas = [repository.commit({"main.go": MAIN}), repository.commit({"README": "x\n"})]
    one, two = at_each(tmp_path, repository, shas)
    assert (one.hash == two.hash, one.unbounded) == (False, ("there is no go.mod",))


def test_both_builds_count_where_tags_are_unknown(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "app")
    files = {
        **BASE,
        "a.go": '//go:build cgo\n\npackage main\n\nimport _ "example.org/app/a"\n',
        "a/a.go": "package a\n",
    }
    files |= {"b.go": '//go:build !cgo\n\npackage main\n\nimport _ "example.org/app/b"\n', "b/b.go": "package b\n"}
    sha = repository.commit(files)
    packages = [
        set(at_each(tmp_path, repository, [sha], target=BuildTarget(cgo=cgo))[0].packages)
        for cgo in (None, True, False)
    ]
    app = "example.org/app"
    assert packages == [{app, f"{app}/a", f"{app}/b"}, {app, f"{app}/a"}, {app, f"{app}/b"}]


@pytest.mark.parametrize(
    ("name", "built"),
    [
        ("a.go", True), ("linux.go", True), ("a_linux.go", True), ("a_windows.go", False), ("a_linux_amd64.go", True),
        ("a_linux_arm64.go", False), ("a_amd64.s", True), ("a_arm.go", False), ("a_unix.go", True), ("a_foo_windows.go", False),
        ("windows_foo.go", True), ("_windows.go", False), ("a_windows_foo.go", True), ("a_linux.x_windows.go", True),
    ],
)  # fmt: skip
def test_names_of_files(name: str, built: bool) -> None:
    assert by_name(name, BuildTarget()) is built


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("linux", True), ("windows", False), ("!windows && (amd64 || arm64)", True), ("ignore", False), ("cgo", None), ("!cgo", None),
        ("cgo && windows", False), ("cgo || linux", True), ("go1.21", None), ("unix", True), ("gc && !race", None), ("mine", True),
        ("linux &&", None), ("(linux", None), ("linux linux", None), ("", None), ("!" * 400 + "linux", True), ("(" * 9_000, None),
    ],
)  # fmt: skip
def test_expressions(expression: str, expected: bool | None) -> None:
    assert holds(expression, BuildTarget(tags=frozenset({"mine"}))) is expected


def test_old_constraints() -> None:
    assert holds_plus(("linux,386 darwin,!cgo", "amd64"), BuildTarget()) is False
    assert holds_plus(("linux,amd64 darwin", "!windows"), BuildTarget()) is True


def test_heads_of_files() -> None:
    found = read_source(
        '\ufeff// Words.\r\n//go:build linux /* x */\r\n\n/* package no */ package  a // import "x"\n\nimport "fmt"; import (\n'
        '\t. "a/b" // words\n\t_ `c/d`\n\tx /* y */ "e/f"; "g"\n)\n\nimport "C"\n\nvar s = `\n//go:embed "a b" c.txt `d e`\nimport "no"\n`\n'
    )
    assert found.imports == ("fmt", "a/b", "c/d", "e/f", "g", "C")
    assert (found.build, found.embeds, found.unread) == ("linux /* x */", ("a b", "c.txt", "d e"), False)
    assert read_source("// +build linux\n// +build !cgo\n\npackage a").plus == ("linux", "!cgo")
    assert read_source("package importer\n\nvar importing = 1").imports == ()
    for bad in ("", "func main() {}", 'package a\nimport "x', "package a\nimport (", "package a\nimport 5", "package"):
        assert read_source(bad).unread


@given(st.text(alphabet='package import"`()/*\n\r \\ax.;_', max_size=300))
def test_any_request_head_is_parsed_or_rejected(text: str) -> None:
    read_source(text)
    read_source("package a\n" + text)
    parse_go_mod(text)
    holds(text, BuildTarget())


def test_files_of_modules() -> None:
    mod = parse_go_mod(
        'module "example.org/app" // words\n\ngo 1.21\ntoolchain go1.22.1\n\nrequire (\n\ta.org/x v1.0.0 // indirect\n\t"b.org/y" v2.0.0\n)\n'
        "require c.org/z v0.1.0\nreplace (\n\ta.org/x v1.0.0 => ./x\n\tb.org/y => d.org/y v2.1.0\n)\nexclude e.org/e v1.0.0\nretract v1.0.0\ntool x.org/t\n"
        "godebug panicnil=1\n"
    )
    assert (mod.module, mod.go, mod.toolchain, mod.go_minor) == ("example.org/app", "1.21", "go1.22.1", 21)
    assert dict(mod.requires) == {"a.org/x": "v1.0.0", "b.org/y": "v2.0.0", "c.org/z": "v0.1.0"}
    assert [(one.module, one.version, one.by, one.by_version) for one in mod.replaces] == [
        ("a.org/x", "v1.0.0", "./x", None), ("b.org/y", None, "d.org/y", "v2.1.0"),
    ]  # fmt: skip
    assert mod.others == ("exclude e.org/e v1.0.0", "godebug panicnil=1")
    after = parse_go_mod("module example.org/app\ngo 1.22\nrequire a.org/x v1.1.0\nrequire n.org/n v1.0.0\n")
    assert changed_versions(mod, after) == [
        ("a.org/x", "=> ./x", "v1.1.0"), ("b.org/y", "=> d.org/y v2.1.0", None), ("c.org/z", "v0.1.0", None),
        ("go", "1.21", "1.22"), ("n.org/n", None, "v1.0.0"), ("toolchain", "go1.22.1", None),
    ]  # fmt: skip
    assert parse_go_sum("a.org/x v1.0.0 h1:a=\na.org/x v1.0.0/go.mod h1:b=\nstrange\n") == {
        ("a.org/x", "v1.0.0"): "h1:a="
    }
    glide = "imports:\n- name: github.com/m3db/m3x\n  version: 2e6f610c\n  subpackages:\n  - errors\n- name: go.uber.org/zap\n  version: 1\n"
    assert dict(read_lock(glide).requires) == {"github.com/m3db/m3x": "2e6f610c", "go.uber.org/zap": "1"}
    dep = '[[projects]]\n  branch = "master"\n  name = "github.com/a/b"\n  packages = ["."]\n  revision = "abc"\n  version = "v1"\n'
    assert dict(read_lock(dep).requires) == {"github.com/a/b": "abc"}
