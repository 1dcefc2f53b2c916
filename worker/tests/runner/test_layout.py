"""Builds laid out for slots from repositories near and far."""

from pathlib import Path

import pytest

from slowpath.bisects.rules.nodes import Build
from slowpath_cli.runner.config import Config, Measure
from slowpath_cli.runner.driver import DeployFailed
from slowpath_cli.runner.layout import Layout
from tests.support.git_repositories import new_repository


def test_a_module_stands_in_and_an_address_is_fetched_when_a_commit_is_missing(tmp_path: Path) -> None:
    mono, lib = new_repository(tmp_path / "mono"), new_repository(tmp_path / "lib")
    first = mono.commit({"svc/go.mod": "module example.com/svc\n\nrequire example.com/lib v1.0.0\n"})
    guilty = lib.commit({"go.mod": "module example.com/lib\n\nrequire example.com/other v1.0.0\n", "slow": "1\n"})
    repositories = {"": str(mono.folder), "example.com/lib": f"file://{lib.folder}"}
    layout = Layout(Config("here", tmp_path / "work", Measure(("x",)), directory="svc", repositories=repositories))

    place, overrides = layout.of(Build(first, {"example.com/lib": guilty}, {"example.com/other": "v1.2.3"}), 0)
    with pytest.raises(DeployFailed, match=r"does not require example\.net/evil"):
        layout.of(Build(first, {"example.com/lib": guilty}, {"example.net/evil": "v1.2.3"}), 1)
    later = lib.commit({"slow": None})
    _, again = layout.of(Build(first, {"example.com/lib": later}), 1)

    assert (Path(overrides["example.com/lib"]["dir"]) / "slow").exists()
    assert not (Path(again["example.com/lib"]["dir"]) / "slow").exists()
    text = (place / "go.mod").read_text()
    assert f'replace example.com/lib => "{overrides["example.com/lib"]["dir"]}"' in text
    assert "replace example.com/other => example.com/other v1.2.3" in text
    assert place.parts[-1] == "svc"
    assert mono.git("status", "--porcelain") == ""


def test_what_can_not_be_laid_out_is_told(tmp_path: Path) -> None:
    mono = new_repository(tmp_path / "mono")
    sha = mono.commit({"go.mod": "module m\n"})
    places = {"": str(mono.folder), "far": f"file://{tmp_path}/nowhere", "evil": "ext::sh -c id"}
    layout = Layout(Config("here", tmp_path / "work", Measure(("x",)), repositories=places))
    with pytest.raises(DeployFailed, match=r"knows no repository for example.com/lib"):
        layout.of(Build(sha, {"example.com/lib": "b" * 40}), 0)
    with pytest.raises(DeployFailed, match=r"the repository has no commit 'bbb"):
        layout.of(Build("b" * 40), 0)
    with pytest.raises(DeployFailed, match="not the address") as refused:
        layout.of(Build(sha, {"evil": "b" * 40}), 0)
    assert not refused.value.passing
    with pytest.raises(DeployFailed) as failed:
        layout.of(Build(sha, {"far": "b" * 40}), 0)
    assert failed.value.passing
