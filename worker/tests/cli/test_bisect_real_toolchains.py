"""`slowpath bisect` through released Go toolchains, fetched from the Go proxy: three documented changes of releases.

Fails without the proxy: a skipped proof would look like a passed one.
"""

import json
from pathlib import Path

import pytest

from slowpath.verdicts.bisects.rules.go_releases import GoRelease
from slowpath_cli.local_bisect.go_toolchain import list_releases
from slowpath_cli.main import main
from tests.support.git_repositories import new_repository

pytestmark = pytest.mark.long

BUILD_AND_RUN = """#!/bin/sh
: "${GOTOOLCHAIN:=go$(sed -n 's/^go //p' go.mod)}"
export GOTOOLCHAIN
go build -o "$SLOWPATH_OUT/app" . || exit 125
exec "$SLOWPATH_OUT/app"
"""
"""Builds with the version that go.mod names, as CI does, unless the search selects one."""
POLLED_TIMER = """
start := time.Now()
for i := 0; i < 4; i++ {
	timer := time.NewTimer(10 * time.Millisecond)
	for deadline := time.Now().Add(150 * time.Millisecond); len(timer.C) == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
}
fmt.Println(time.Since(start).Seconds() / 4)
"""
SMALL_SETS = """
var before, after runtime.MemStats
runtime.ReadMemStats(&before)
for i := 0; i < 1000; i++ {
	sets = append(sets[:0], map[int32]struct{}{})
	for k := int32(0); k < 11; k++ {
		sets[0][k] = struct{}{}
	}
}
runtime.ReadMemStats(&after)
fmt.Println(float64(after.TotalAlloc-before.TotalAlloc) / 1000)
"""
CLIENT_HELLO = """
client, server := net.Pipe()
go func() { _ = tls.Client(client, &tls.Config{ServerName: "example.org"}).Handshake() }()
n, err := server.Read(make([]byte, 1<<16))
if err != nil {
	panic(err)
}
fmt.Println(n)
"""
CHANGES = {
    "a polled timer waits for its deadline": ("time", POLLED_TIMER, "1.25.0", ["go1.23.0", "GODEBUG=asynctimerchan=1"]),
    "small sets need more bytes": ("runtime", SMALL_SETS, "1.25.0", ["go1.24.0", "GOEXPERIMENT=noswissmap"]),
    "a TLS client sends larger keys": ("crypto/tls net", CLIENT_HELLO, "1.24.0", ["go1.23.0", "GODEBUG=tlskyber=0"]),
}


@pytest.mark.parametrize(("packages", "body", "new", "expected"), CHANGES.values(), ids=CHANGES)
def test_the_change_of_a_release_is_found(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    packages: str,
    body: str,
    new: str,
    expected: list[str],
) -> None:
    monkeypatch.delenv("GOTOOLCHAIN", raising=False)
    monkeypatch.delenv("GOFLAGS", raising=False)
    imports = "\n".join(f'import "{one}"' for one in ("fmt", *packages.split()))
    program = f"package main\n\n{imports}\n\nvar sets []map[int32]struct{{}}\n\nfunc main() {{{body}}}\n"
    repository = new_repository(tmp_path / "r")
    mod = "module example.org/app\n\ngo {}\n"
    good = repository.commit({"go.mod": mod.format("1.22.12"), "main.go": program}, "Start")
    bad = repository.commit({"go.mod": mod.format(new)}, f"Use Go {new}")
    script = tmp_path / "measure.sh"
    script.write_text(BUILD_AND_RUN)
    script.chmod(0o755)
    main(["bisect", "--repo", str(repository.folder), "--work-dir", str(tmp_path / "work"), "--json", "--main", ".",
          "--good", good, "--bad", bad, "--", str(script)])  # fmt: skip
    out = capsys.readouterr()
    found = json.loads(out.out.splitlines()[-1])
    assert found["outcome"] == "found", out.err
    assert [one["culprit"] for one in found["levels"]] == [bad, *expected]
    assert found["deployments"] <= 14
    assert found["explained"]["culprit"]["share"] > 0.8
    assert expected[1] in found["sentences"][1]


def test_the_proxy_lists_first_releases_by_the_names_that_are_derived(tmp_path: Path) -> None:
    listed = list_releases(tmp_path)
    assert listed is not None
    assert {GoRelease(minor) for minor in range(21, 28)} <= listed
