"""Builds checked out for slots from local and remote repositories."""

from pathlib import Path

import pytest

from slowpath.adapters.git_objects import CatFileReader
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath_cli.runner.core.driver_interface import DeploymentFailed
from slowpath_cli.runner.core.runner_config import MeasureConfig, RunnerConfig
from slowpath_cli.runner.core.work_trees import WorkTrees
from tests.support.git_repositories import new_repository


def test_a_module_is_replaced_and_an_address_is_fetched_when_a_commit_is_missing(tmp_path: Path) -> None:
    mono, lib = new_repository(tmp_path / "mono"), new_repository(tmp_path / "lib")
    first = mono.commit({"svc/go.mod": "module example.com/svc\n\nrequire example.com/lib v1.0.0\n"})
    guilty = lib.commit({"go.mod": "module example.com/lib\n\nrequire example.com/other v1.0.0\n", "slow": "1\n"})
    repositories = {"": str(mono.folder), "example.com/lib": f"file://{lib.folder}"}
    layout = WorkTrees(
        RunnerConfig("here", tmp_path / "work", MeasureConfig(("x",)), directory="svc", repositories=repositories),
        CatFileReader,
    )

    place, overrides = layout.of(BuildInputs(first, {"example.com/lib": guilty}, {"example.com/other": "v1.2.3"}), 0)
    with pytest.raises(DeploymentFailed, match=r"does not require example\.net/evil"):
        layout.of(BuildInputs(first, {"example.com/lib": guilty}, {"example.net/evil": "v1.2.3"}), 1)
    later = lib.commit({"slow": None})
    _, again = layout.of(BuildInputs(first, {"example.com/lib": later}), 1)

    assert (Path(overrides["example.com/lib"]["dir"]) / "slow").exists()
    assert not (Path(again["example.com/lib"]["dir"]) / "slow").exists()
    text = (place / "go.mod").read_text()
    assert f'replace example.com/lib => "{overrides["example.com/lib"]["dir"]}"' in text
    assert "replace example.com/other => example.com/other v1.2.3" in text
    assert place.parts[-1] == "svc"
    assert mono.git("status", "--porcelain") == ""


def test_a_failed_checkout_is_reported(tmp_path: Path) -> None:
    mono = new_repository(tmp_path / "mono")
    sha = mono.commit({"go.mod": "module m\n"})
    places = {"": str(mono.folder), "far": f"file://{tmp_path}/nowhere", "evil": "ext::sh -c id"}
    layout = WorkTrees(
        RunnerConfig("here", tmp_path / "work", MeasureConfig(("x",)), repositories=places), CatFileReader
    )
    with pytest.raises(DeploymentFailed, match=r"has no repository for example.com/lib"):
        layout.of(BuildInputs(sha, {"example.com/lib": "b" * 40}), 0)
    with pytest.raises(DeploymentFailed, match=r"the repository has no commit 'bbb"):
        layout.of(BuildInputs("b" * 40), 0)
    with pytest.raises(DeploymentFailed, match="not a valid repository address") as refused:
        layout.of(BuildInputs(sha, {"evil": "b" * 40}), 0)
    assert not refused.value.is_transient
    with pytest.raises(DeploymentFailed) as failed:
        layout.of(BuildInputs(sha, {"far": "b" * 40}), 0)
    assert failed.value.is_transient
