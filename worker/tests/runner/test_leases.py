"""A hostile server: what it may not make a runner do, each attack over real HTTP by the real command."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from slowpath_cli.runner.core.leases import LeaseRefused, checked_lease, is_module_path, is_version
from slowpath_cli.runner.core.server_allowlist import Allow
from tests.runner.probe_server_double import COMMIT, ProbeServerDouble, lease, lending
from tests.support.git_repositories import SomeRepository, new_repository

CONFIG = """
[runner]
name = "here"
work = "work"
environment = ["LEDGER"]
[repositories]
{repositories}
{allow}
[deploy]
command = ["sh", "-c", "echo deployed $0 $1 >> $LEDGER; cat go.mod >> $LEDGER; echo $GOTOOLCHAIN $GODEBUG $GOEXPERIMENT >> $LEDGER; exec sleep 300", "{{commit}}", "{{service}}"]
[measure]
command = ["sh", "-c", "echo 42"]
"""
BLIND = "checkout = false"
GO_MOD = "module example.com/app\n\ngo 1.24\n\nrequire example.com/lib v1.2.3\n"
INJECTED = "v1.0.0\nreplace example.com/lib => example.net/evil v1.0.0"


class Here:
    """A runner whose file is written by the test."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.ledger = folder, folder / "ledger"
        self.child: subprocess.Popen[bytes] | None = None

    def start(self, lender: ProbeServerDouble, repositories: str = BLIND, allow: str = "") -> None:
        (self.folder / "runner.toml").write_text(
            CONFIG.format(repositories=repositories, allow=allow), encoding="utf-8"
        )
        environment = {
            **os.environ, "SLOWPATH_URL": lender.url, "SLOWPATH_TOKEN": "slp_x", "LEDGER": str(self.ledger),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }  # fmt: skip
        command = [sys.executable, "-m", "slowpath_cli.main", "runner", "--config", str(self.folder / "runner.toml")]
        with (self.folder / "log").open("ab") as log:
            self.child = subprocess.Popen(command, env=environment, stderr=log)

    def stop(self) -> None:
        if self.child is not None:
            self.child.terminate()
            self.child.wait(30)

    @property
    def deployed(self) -> str:
        return self.ledger.read_text(encoding="utf-8") if self.ledger.exists() else ""


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    one = Here(tmp_path)
    yield one
    one.stop()


def building(**build: Any) -> dict[str, Any]:  # noqa: ANN401 - members of a lease, also wrong ones
    return lease(build={"commit": COMMIT, "modules": {}, "versions": {}, "settings": {}, **build})


def toolchain(version: str = "v0.0.1-go1.24.0", settings: dict[str, str] | None = None) -> dict[str, Any]:
    return building(versions={"golang.org/toolchain": version}, settings=settings or {})


def serving(name: object) -> dict[str, Any]:
    one = lease()
    return {**one, "service": {**one["service"], "name": name}}


UNCHANGED: dict[str, Any] = {"environment": {}, "pgo": None, "reverts": None, "patch": None}
CHANGES: dict[str, dict[str, Any]] = {
    "sets a variable that is not of the runtime": {"environment": {"LD_PRELOAD": "/tmp/x.so"}},
    "sets a value with a line": {"environment": {"GOGC": "200\nX=1"}},
    "has another build option": {"pgo": "off -toolexec=/tmp/x"},
    "reverts a branch": {"reverts": "main"},
    "has a path as a patch": {"patch": "../../etc/passwd"},
    "lacks a field": {"environment": None},
}
BASE: dict[str, Any] = {"commit": COMMIT, "modules": {}, "versions": {}, "settings": {}}
TARGET: dict[str, Any] = {"base": BASE, "package": "cmd/service", "tags": []}


def compiling(**fields: object) -> dict[str, Any]:
    return lease(purpose="compile", compile={**TARGET, **fields})


ATTACKS: dict[str, dict[str, Any]] = {
    "a line for go.mod in a version": building(versions={"example.com/lib": INJECTED}),
    "a line for go.mod in a module": building(versions={"example.com/lib v1.0.0\nreplace a": "v1.0.0"}),
    "an option as a version": building(versions={"example.com/lib": "-mod=mod"}),
    "an option as a module": building(versions={"-modfile=/tmp/x": "v1.0.0"}),
    "a path as a module": building(versions={"example.com/../../etc": "v1.0.0"}),
    "a branch as a version": building(versions={"example.com/lib": "main"}),
    "a version of another major": building(versions={"example.com/lib": "v2.0.0"}),
    "an option as a commit": building(commit="--upload-pack=touch /tmp/owned"),
    "a branch as a commit": building(commit="main"),
    "a commit with a line after it": building(commit=COMMIT + "\n"),
    "an option as a module's commit": building(modules={"example.com/lib": "--output=/tmp/x"}),
    "a pre-release as a Go release": toolchain("v0.0.1-go1.24rc1"),
    "a path in a Go release": toolchain("v0.0.1-go1.24.0/../../x"),
    "a Go release with a platform": toolchain("v0.0.1-go1.24.0.linux-amd64"),
    "a variable that no release changed": toolchain(settings={"GODEBUG": "gctrace=1"}),
    "another value of a variable": toolchain(settings={"GODEBUG": "asynctimerchan=1,tls3des=0"}),
    "an experiment that is not in the table": toolchain(settings={"GOEXPERIMENT": "none"}),
    "a variable of the loader": toolchain(settings={"LD_PRELOAD": "/tmp/x"}),
    "flags of the go command": toolchain(settings={"GOFLAGS": "-toolexec=/tmp/x"}),
    "a line in a go line": toolchain(settings={"go": "1.24.0\nreplace a => b"}),
    "settings without a Go release": building(settings={"GODEBUG": "asynctimerchan=1"}),
    "steps up in a service": serving("../../../bin/sh"),
    "an option as a service": serving("--privileged"),
    "a line in a service": serving("ingester\nkind: Secret"),
    "a service that is no text": serving(["sh", "-c", "id"]),
    "a number that is a text": lease(measurement_seconds="1e9"),
    "a time without end": lease(deployment_seconds=1e300),
    "a slot that there is not": lease(slot=7),
    "a build that is a list": lease(build=[]),
    "a truth value for a number": lease(measurements_requested=True),
    "more than any lease has": building(versions={f"example.com/m{one}": "v1.0.0" for one in range(5_000)}),
    **{
        f"a variant that {name}": lease(purpose="variant", variant={**UNCHANGED, **change})
        for name, change in CHANGES.items()
    },
    "a variable that the configuration does not allow": lease(
        purpose="variant", variant={**UNCHANGED, "environment": {"GOGC": "200"}}
    ),
    "a revert that the configuration does not allow": lease(
        purpose="variant", variant={**UNCHANGED, "reverts": COMMIT}
    ),
    "a patch that the configuration does not allow": lease(purpose="variant", variant={**UNCHANGED, "patch": 64 * "a"}),
    "a compilation without its target": lease(purpose="compile"),
    "a target of another purpose": lease(compile=TARGET),
    "steps up in a package": compiling(package="../../etc"),
    "an option as a package": compiling(package="-toolexec=/tmp/x"),
    "a pattern as a package": compiling(package="..."),
    "an option in the tags": compiling(tags=["a -toolexec=/tmp/x"]),
    "a base that is no commit": compiling(base={**BASE, "commit": "main"}),
    "a line in a version of the base": compiling(base={**BASE, "versions": {"example.com/lib": INJECTED}}),
    "a callback to a file": lease(callback={"url": "file:///etc/passwd", "token": "x"}),
    "a header in a callback": lease(callback={"url": "http://127.0.0.1/", "token": "x\r\nX-Evil: 1"}),
}


@pytest.mark.parametrize("hostile", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_hostile_lease_is_refused(hostile: dict[str, Any]) -> None:
    with pytest.raises(LeaseRefused):
        _allowed(checked_lease(hostile, [0]))


def _allowed(checked: dict[str, Any]) -> None:
    Allow().check(checked, {}, checkout=False)


def test_a_valid_lease_passes_unchanged() -> None:
    target = building(
        modules={"shop/quoter": "b" * 40},
        versions={"example.com/lib": "v1.2.4-0.20260101000000-abcdefabcdef", "golang.org/toolchain": "v0.0.1-go1.23.0"},
        settings={"go": "1.23.0", "GODEBUG": "asynctimerchan=1,tls3des=1", "GOEXPERIMENT": "noswissmap"},
    )

    checked = checked_lease(target, [0])

    assert {name: checked[name] for name in ("run_id", "build", "slot", "callback")} == {
        name: target[name] for name in ("run_id", "build", "slot", "callback")
    }


def test_a_valid_compilation_passes_and_its_base_is_checked_by_the_configuration() -> None:
    base = {**BASE, "modules": {"example.com/lib": COMMIT}}
    checked = checked_lease(compiling(base=base, tags=["netgo"]), [0])
    assert checked["compile"] == {**TARGET, "base": base, "tags": ["netgo"]}
    with pytest.raises(LeaseRefused, match=r"not in .allow. modules"):
        Allow(modules=()).check(checked, {}, checkout=False)
    with pytest.raises(LeaseRefused, match=r"no repository for example.com/lib"):
        Allow().check(checked, {"": "mono"}, checkout=False)
    Allow().check(checked, {"": "mono", "example.com/lib": "lib"}, checkout=False)


@pytest.mark.processes
def test_the_command_rejects_each_and_continues_with_a_valid_one(here: Here) -> None:
    """Over real HTTP: a hostile lease is not deployed, the server receives the reason, and the runner continues."""
    some = [
        "a line for go.mod in a version",
        "an option as a commit",
        "steps up in a service",
        "more than any lease has",
    ]
    honest = lease()
    with lending() as lender:
        here.start(lender)
        for name in some:
            lender.leases.append(ATTACKS[name])
            reports = lender.until_ended(ATTACKS[name]["run_id"], 60)
            assert reports["outcome"] == "failed"
            assert "rejected" in reports["log_tail"]
        lender.leases.append(honest)
        assert lender.until_ended(honest["run_id"], 60)["outcome"] == "done"

    assert here.deployed.count("deployed") == 1


@pytest.fixture
def app(tmp_path: Path) -> tuple[SomeRepository, str]:
    repository = new_repository(tmp_path / "app")
    return repository, repository.commit({"go.mod": GO_MOD, "main.go": "package main\n"}, "Begin")


def checked_out(repository: SomeRepository) -> str:
    return f'"" = "{repository.folder}"'


def test_a_module_that_the_commit_does_not_require_is_not_fetched(here: Here, app: tuple[SomeRepository, str]) -> None:
    repository, sha = app
    foreign = lease(build={"commit": sha, "modules": {}, "versions": {"example.net/evil": "v1.0.0"}})
    with lending(foreign) as lender:
        here.start(lender, checked_out(repository))
        reports = lender.until_ended(foreign["run_id"], 60)

    assert reports["outcome"] == "failed"
    assert "does not require example.net/evil" in reports["log_tail"]
    assert "evil" not in here.deployed


def test_a_module_that_the_commit_requires_is_replaced(here: Here, app: tuple[SomeRepository, str]) -> None:
    repository, sha = app
    asked = lease(build={"commit": sha, "modules": {}, "versions": {"example.com/lib": "v1.3.0"}})
    with lending(asked) as lender:
        here.start(lender, checked_out(repository))
        assert lender.until_ended(asked["run_id"], 60)["outcome"] == "done"

    assert "replace example.com/lib => example.com/lib v1.3.0" in here.deployed


@pytest.mark.parametrize(
    ("allow", "why"),
    [
        ('modules = ["example.org/*"]', "not in [allow] modules"),
        ('services = ["billing"]', "not in [allow] services"),
        ('refs = ["refs/heads/release-*"]', "[allow] refs"),
    ],
)
def test_requests_outside_the_allowlist_of_the_runner_are_rejected(
    here: Here, app: tuple[SomeRepository, str], allow: str, why: str
) -> None:
    repository, sha = app
    asked = lease(build={"commit": sha, "modules": {}, "versions": {"example.com/lib": "v1.3.0"}})
    with lending(asked) as lender:
        here.start(lender, checked_out(repository), f"[allow]\n{allow}")
        reports = lender.until_ended(asked["run_id"], 60)

    assert reports["outcome"] == "failed"
    assert why in reports["log_tail"]
    assert here.deployed == ""


@pytest.mark.parametrize(
    ("path", "good"),
    [
        ("example.com/a", True), ("github.com/A/b-c_d.e", True), ("gopkg.in/yaml.v3", True), ("golang.org/x/exp", True),
        ("example.com/a/v2", True), ("example.com/a/v1", False), ("example.com/a/v02", False), ("nodomain/a", False),
        ("example.com//a", False), ("example.com/a/", False), ("/example.com/a", False), ("example.com/.a", False),
        ("example.com/a.", False), ("example.com/..", False), ("example.com/a b", False), ("example.com/a\n", False),
        ("Example.com/a", False), ("example.com/con", False), ("example.com/a~1", False), ("-x.com/a", False), ("", False),
        ("example.com/a@v1", False), ('example.com/"a"', False), ("example.com/ä", False),
    ],
)  # fmt: skip
def test_module_paths_are_those_of_go(path: str, good: bool) -> None:
    assert is_module_path(path, published=True) is good


@pytest.mark.parametrize(
    ("version", "path", "good"),
    [
        ("v1.2.3", "example.com/a", True), ("v0.0.0-20260101000000-abcdefabcdef", "example.com/a", True),
        ("v1.2.3-rc.1", "example.com/a", True), ("v2.0.0", "example.com/a/v2", True), ("v2.0.0", "example.com/a", False),
        ("v2.0.0+incompatible", "example.com/a", True), ("v1.0.0", "example.com/a/v2", False),
        ("v3.0.1", "gopkg.in/yaml.v3", True), ("v2.0.0", "gopkg.in/yaml.v3", False), ("1.2.3", "example.com/a", False),
        ("v1.2", "example.com/a", False), ("latest", "example.com/a", False), ("v1.2.3 ", "example.com/a", False),
        ("v01.2.3", "example.com/a", False), ("v1.2.3+meta", "example.com/a", False), ("v1.2.3\n", "example.com/a", False),
    ],
)  # fmt: skip
def test_versions_are_those_of_go(version: str, path: str, good: bool) -> None:
    assert is_version(version, path) is good


PATCH = "--- a/cost\n+++ b/cost\n@@ -1 +1 @@\n-2\n+1\n"


@pytest.mark.processes
def test_allowed_variants_change_the_work_tree_and_the_variables(here: Here) -> None:
    """A revert, a patch by its hash and a variable reach the deployed program; another patch than the lease's does not."""
    repository = new_repository(here.folder / "app")
    repository.commit({"go.mod": "cost 1\n", "cost": "1\n"})
    culprit = repository.commit({"go.mod": "cost 2\n", "cost": "2\n"})
    commit = repository.commit({"README": "x\n"})
    foreign = new_repository(here.folder / "elsewhere").commit({"x": "y\n"})

    def variant(**change: Any) -> dict[str, Any]:  # noqa: ANN401 - members of a variant
        build = {"commit": commit, "modules": {}, "versions": {}}
        return lease(purpose="variant", build=build, variant={**UNCHANGED, **change})

    cases = {
        "revert": (variant(reverts=culprit, environment={"GOGC": "200"}), "done"),
        "patch": (variant(patch=hashlib.sha256(PATCH.encode()).hexdigest()), "done"),
        "another patch": (variant(patch=64 * "a"), "failed"),
        "foreign": (variant(reverts=foreign), "failed"),
        "not allowed": (variant(environment={"GODEBUG": "x=1"}), "failed"),
    }
    allow = '[allow]\nvariants = ["GOGC", "revert", "patch"]'
    with lending() as lender:
        lender.patch = PATCH
        here.start(lender, f'"" = "{repository.folder}"', allow)
        logs = {}
        for name, (offer, outcome) in cases.items():
            lender.leases.append(offer)
            report = lender.until_ended(offer["run_id"], 60)
            assert report["outcome"] == outcome, (name, report)
            logs[name] = report["log_tail"]
        assert lender.introduced[0]["variants"] == ["GOGC", "revert", "patch"]
    assert "is not the one of the lease" in logs["another patch"]
    assert "not in [allow] variants" in logs["not allowed"]
    assert here.deployed.count("deployed") == 2
    assert here.deployed.count("cost 1") == 1  # reverted
    assert here.deployed.count("cost 2") == 1  # the patch changes another file


@pytest.mark.parametrize(
    ("allow", "why"),
    [
        (Allow(), None),
        (Allow(toolchains=("1.23.*",)), None),
        (Allow(modules=("example.com/*",), toolchains=("1.23.*",)), None),
        (Allow(toolchains=("1.24.*",)), r"Go 1\.23\.4 is not in \[allow\] toolchains"),
        (Allow(modules=("example.com/*",)), r"golang\.org/toolchain is not in \[allow\] modules"),
    ],
)
def test_go_releases_are_allowed_by_the_configuration(allow: Allow, why: str | None) -> None:
    offered = checked_lease(toolchain("v0.0.1-go1.23.4"), [0])
    if why is None:
        allow.check(offered, {}, checkout=False)
    else:
        with pytest.raises(LeaseRefused, match=why):
            allow.check(offered, {}, checkout=False)


@pytest.mark.processes
def test_a_go_release_is_in_the_environment_and_its_settings_in_go_mod(
    here: Here, app: tuple[SomeRepository, str]
) -> None:
    repository, sha = app
    settings = {"go": "1.25.0", "GODEBUG": "containermaxprocs=0", "GOEXPERIMENT": "nodwarf5"}
    versions = {"golang.org/toolchain": "v0.0.1-go1.25.0"}
    asked = lease(build={"commit": sha, "modules": {}, "versions": versions, "settings": settings})
    with lending(asked) as lender:
        here.start(lender, checked_out(repository))
        reports = lender.until_ended(asked["run_id"], 60)

    assert reports["outcome"] == "done", reports
    assert "go 1.25.0\n" in here.deployed
    assert "godebug containermaxprocs=0\n" in here.deployed
    assert "go1.25.0 containermaxprocs=0 nodwarf5" in here.deployed
    assert "replace" not in here.deployed
