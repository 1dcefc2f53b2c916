"""The demo of bisect: its runner configuration is valid, and the last line names the levels."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from demos.bisect import bisect_report
from demos.bisect_runner import SLOTS, file_of
from demos.bisect_team import captured, read_metadata
from example.bisects.generated_histories import Sizes, written
from slowpath_cli.runner.core import runner_config as files

SMALL = Sizes(mono=24, libdb=16, libx=10, outside=4)


def test_the_runner_takes_its_file(tmp_path: Path) -> None:
    made = written(tmp_path / "h", 1, SMALL)
    path = file_of(made, tmp_path)
    config = files.parse_config(files.load_config(path), os.environ, path.parent)
    assert config.driver == "command"
    assert config.slots == len(config.ports) == SLOTS
    assert dict(config.repositories) == {
        "": str(made.repositories[0].folder),
        "db.example/libdb": str(made.repositories[1].folder),
        "x.example/libx": str(made.repositories[2].folder),
    }
    assert config.measure.command[0] == config.deploy["command"][0] == sys.executable  # as it is, even if it is a link
    assert "{dir}" in config.deploy["command"]
    assert "{out}" in config.measure.command


@pytest.mark.processes
def test_both_boundaries_are_captured_with_their_metadata(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = written(tmp_path / "histories", 1, SMALL)
    proxy = {"GOPROXY": f"file://{tmp_path}/histories/proxy", "GOMODCACHE": f"{tmp_path}/modules"}
    for name, value in (proxy | {"GOFLAGS": "-modcacherw", "GOSUMDB": "off", "GOTOOLCHAIN": "local"}).items():
        monkeypatch.setenv(name, value)
    captures = captured(made, tmp_path, print, count=1, seconds=1)
    for side in ("good", "bad"):
        (capture,) = captures[side]
        assert read_metadata(capture)["requests"] > 0
        assert read_metadata(capture)["run"] == f"{side}/0"


def level(key: str, repository: str, sha: str | None) -> dict[str, Any]:
    return {"key": key, "repository": repository, "culprit": sha and {"sha": sha}}


def test_the_branch_of_a_merge_is_no_level_of_its_own(tmp_path: Path) -> None:
    made = written(tmp_path / "h", 1, SMALL)
    probes = [
        {"level": "", "state": "done"},
        {"level": "", "state": "unbuildable"},
        {"level": "a", "state": "done"},
        {"level": "b", "state": "done"},
        {"level": "b", "state": "invalidated"},
    ]
    levels = [level("", "mono", "merge"), level("a", "mono", "inner"), level("b", "libdb", "bump")]
    cost = {"deployments": 4, "git_bisect_best_of_5_probes": 50}
    report = bisect_report({"levels": levels, "probes": probes, "cost": cost}, made, 12.4)
    assert report["levels"] == [
        {"repository": "mono", "culprit": "inner", "deploys": 2},
        {"repository": "libdb", "culprit": "bump", "deploys": 2},
    ]
    assert (report["deploys"], report["git_bisect_deploys"], report["seconds"]) == (4, 50, 12)
