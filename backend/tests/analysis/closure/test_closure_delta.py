"""A closure computed from the previous one equals the closure read anew, whatever changed between; and a module's digest."""

import random
from pathlib import Path

import pytest

from slowpath.adapters.egress import AllowlistedEgressClient
from slowpath.adapters.egress_policy import parse_allowlist
from slowpath.adapters.git_mirror import GitLimits, GitMirror
from slowpath.adapters.git_remotes import AllowedRemotes
from slowpath.analysis.closure.build_constraints import BuildTarget
from slowpath.analysis.closure.go_packages import PackageCache, PackageReader
from slowpath.analysis.closure.module_digests import ModuleDigests
from slowpath.analysis.closure.package_closure import PackageClosureReader
from tests.support.git_repositories import SomeRepository, new_repository

GO_MOD = "module example.org/app\n\ngo 1.22\n\nrequire example.org/far v1.0.0\n\nreplace example.org/near => ./near\n"
FIRST = {
    "go.mod": GO_MOD,
    "cmd/main.go": 'package main\n\nimport (\n\t_ "example.org/app/a"\n\t_ "example.org/near"\n\t_ "example.org/far"\n)\n\nfunc main() {}\n',
    "a/a.go": 'package a\n\nimport _ "embed"\n\n//go:embed data\nvar Data string\n',
    "a/data/x.txt": "x\n",
    "b/b.go": "package b\n",
    "near/go.mod": "module example.org/near\n",
    "near/near.go": "package near\n",
    "docs/x.md": "x\n",
}
EDITS: list[dict[str, str | bytes | None]] = [
    {"docs/x.md": "y\n"},
    {"a/a_test.go": "package a\n"},
    {"a/a.go": "package a\n\nconst N = 1\n"},
    {"a/a.go": 'package a\n\nimport _ "example.org/app/b"\n'},
    {"b/b.go": "package b\n\nconst N = 2\n"},
    {"a/data/x.txt": "z\n"},
    {"near/near.go": "package near\n\nconst N = 3\n"},
    {"near/go.mod": "module example.org/near\n\ngo 1.20\n"},
    {"b/go.mod": "module example.org/app/b\n"},
    {"b/go.mod": None},
    {"go.mod": GO_MOD.replace("v1.0.0", "v1.1.0")},
    {"a/.gitattributes": "* text\n"},
    {"a/x.s": '#include "../docs/x.h"\n'},
    {"a/x.s": None},
    {"a/cgo.go": 'package a\n\nimport "C"\n'},
    {"a/cgo.go": None},
    {"cmd/main.go": "package main\n\nfunc main() {}\n"},
    {"cmd/main.go": FIRST["cmd/main.go"]},
    {"cmd/default.pgo": b"\x01"},
    {
        "vendor/modules.txt": "# example.org/far v1.0.0\nexample.org/far\n",
        "vendor/example.org/far/far.go": "package far\n",
    },
    {"vendor/modules.txt": None},
]


def mirrored(tmp_path: Path, repository: SomeRepository) -> GitMirror:
    remotes = AllowedRemotes(AllowlistedEgressClient(parse_allowlist(""), only_listed=False), [repository.folder])
    mirror = GitMirror(tmp_path / "mirror", remotes, GitLimits(1 << 30, 60))
    mirror.fetch(f"file://{repository.folder}", None, lambda: None)
    return mirror


@pytest.mark.parametrize("seed", range(4))
def test_delta_of_the_one_before_or_read_anew(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    repository = new_repository(tmp_path / "app")
    shas, target = [repository.commit(FIRST)], BuildTarget(cgo=False if seed % 2 else None)
    edits = EDITS.copy()
    rng.shuffle(edits)
    for edit in edits:
        there = {name: content for name, content in edit.items() if content or (repository.folder / name).exists()}
        shas.append(repository.commit(there))
    with mirrored(tmp_path, repository).objects() as objects:
        one = PackageClosureReader(objects, "", "cmd", target)
        for sha in shas:
            root = objects.root(sha)
            anew = PackageClosureReader(objects, "", "cmd", target).at(root)
            closure = one.at(root)
            assert (closure.hash, dict(closure.inputs), closure.problem) == (anew.hash, dict(anew.inputs), anew.problem)


def test_a_modules_digest_leaves_out_what_no_importer_builds(tmp_path: Path) -> None:
    repository = new_repository(tmp_path / "app")
    shas = [
        repository.commit(
            {"go.mod": "module example.org/m\n\ngo 1.22\n", "m.go": "package m\n", "in/x.go": "package in\n"}
        ),
        repository.commit(
            {"README.md": "x\n", "in/x_test.go": "package in\n", "in/testdata/x": "x\n", "docs/a.md": "x\n"}
        ),
        repository.commit({"in/x.go": "package in\n\nconst N = 1\n"}),
        repository.commit({"in/x_windows.go": "package in\n\nconst W = 1\n"}),
        repository.commit({"go.mod": "module example.org/m\n\ngo 1.23\n"}),
    ]
    with mirrored(tmp_path, repository).objects() as objects:
        digests = ModuleDigests(PackageReader(objects, PackageCache(), BuildTarget()))
        found = [digests.at(objects.root(sha)) for sha in shas]
    assert found[0] == found[1] != found[2] == found[3] != found[4]
