"""The configuration of the runner is validated as a whole before it starts."""

import argparse
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from slowpath_cli.commands import runner
from slowpath_cli.commands.runner_arguments import add_arguments
from slowpath_cli.runner.core.driver_interface import DriverEnvironment, InvalidDriverConfig
from slowpath_cli.runner.core.placeholders import UnknownPlaceholder, fill_placeholder
from slowpath_cli.runner.core.runner_config import InvalidRunnerConfig, RunnerConfig, parse_config
from slowpath_cli.runner.drivers import DRIVERS, read_driver

WHOLE = """
[runner]
name = "lab-1"
slots = 2
labels = { zone = "a" }
work = "work"
directory = "/services/ingester/"
environment = ["KUBECONFIG"]
[repositories]
"" = "mono"
"example.com/libx" = "https://git.example.com/libx.git"
"example.com/liby" = "git@example.com:liby.git"
[deploy]
command = ["./deploy.sh", "{commit}", "--port={port}"]
stays = false
teardown = ["./down.sh", "{run_id}"]
ports = [9001, 9002]
health = { url = "http://127.0.0.1:{port}/healthz", within = 60 }
[measure]
collect = { pprof = "127.0.0.1:{port}", seconds = 10, trace = 1, metrics = "http://127.0.0.1:{port}/metrics" }
"""


def parse_config_text(
    text: str, environment: Mapping[str, str] | None = None, base: Path = Path("/lab")
) -> RunnerConfig:
    return parse_config(tomllib.loads(text), environment or {}, base)


def test_a_whole_file() -> None:
    config = parse_config_text(
        WHOLE, {"KUBECONFIG": "/k", "PATH": "/bin", "SLOWPATH_TOKEN": "slp_secret", "OTHER": "x"}
    )
    assert (config.name, config.slots, config.directory) == ("lab-1", 2, "services/ingester")
    assert config.work == Path("/lab/work")
    assert config.repositories == {
        "": "/lab/mono", "example.com/libx": "https://git.example.com/libx.git", "example.com/liby": "git@example.com:liby.git",
    }  # fmt: skip
    assert config.environment == {"KUBECONFIG": "/k", "PATH": "/bin"}
    assert config.driver == "command"
    assert sorted(config.deploy) == ["command", "stays", "teardown"]
    assert config.ports == (9001, 9002)
    assert config.health is not None
    assert config.measure.collect is not None
    assert config.measure.collect.traces == 1


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("slots = 2", "slots = 65", "slots must be between 1 and 64, not 65"),
        ("slots = 2", "slot = 2", "unknown key 'slot'"),
        ('name = "lab-1"', 'name = "lab 1"', "'lab 1' must have at most 100 letters"),
        ('"" = "mono"', "", "has no main repository"),
        ('["KUBECONFIG"]', '["SLOWPATH_TOKEN"]', "'SLOWPATH_TOKEN' cannot be passed on"),
        ("ports = [9001, 9002]", "ports = [0]", "a list of ports"),
        ('url = "http://127.0.0.1:{port}/healthz", ', "", "needs either url"),
        ('pprof = "127.0.0.1:{port}", ', "", "set pprof to the address"),
        ("[measure]", '[measure]\ncommand = ["x"]', "needs either command"),
        ("[measure]", '[measure]\ncommand = "x"', "a list of words"),
        ("[measure]", "[measure]\ntakes = 5", "takes is for a command"),
        ("[measure]", "[measuring]", "unknown key 'measuring'"),
    ],
)
def test_invalid_configuration_is_rejected(before: str, after: str, expected: str) -> None:
    assert before in WHOLE
    with pytest.raises(InvalidRunnerConfig, match=expected):
        parse_config_text(WHOLE.replace(before, after))


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ({"command": "./x"}, "a list of words"),
        ({"command": []}, "is missing"),
        ({"command": ["x", "{comit}"]}, r"Unknown placeholder \{comit\}"),
        ({"command": ["x"], "stays": False}, "needs teardown"),
        ({"command": ["x"], "teardown": ["y"]}, "stays must be true"),
        ({"command": ["x"], "grace": 1}, "unknown key 'grace'"),
        ({"command": ["x"], "grace_seconds": 0}, "numbers above 0"),
    ],
)
def test_a_drivers_section_that_makes_no_sense_is_refused(
    section: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    with pytest.raises(InvalidDriverConfig, match=expected):
        read_driver("command", section, DriverEnvironment("here", tmp_path))


def test_drivers_are_found_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidDriverConfig, match=r"unknown driver 'os'; choose from command"):
        read_driver("os", {}, DriverEnvironment("here", tmp_path))
    assert "os" not in DRIVERS
    assert read_driver("external", {}, DriverEnvironment("here", tmp_path)).endpoints({"port": 7}) == {"port": "7"}


def test_flags_stand_above_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INIT_CWD", str(tmp_path))
    (tmp_path / "r.toml").write_text(WHOLE, encoding="utf-8")
    config = _flagged("--config", "r.toml", "--slots", "3", "--name", "other", "--label", "zone=b", "--label", "q=a=b")
    assert (config.slots, config.name, config.driver) == (3, "other", "command")
    assert config.labels == {"zone": "b", "q": "a=b"}
    with pytest.raises(InvalidRunnerConfig, match=r"--label is NAME=VALUE, not 'zone'"):
        _flagged("--repo", "mono", "--measure", "./m.sh", "--label", "zone")
    plain = _flagged(
        "--repo", "mono", "--module-repo", "m=lib", "--measure", "./m.sh 'a b'", "--", "./d.sh", "{commit}"
    )
    assert plain.repositories == {"": str(tmp_path / "mono"), "m": str(tmp_path / "lib")}
    assert plain.measure.command == ("./m.sh", "a b")
    assert plain.deploy == {"command": ["./d.sh", "{commit}"]}
    assert _flagged("--repo", "mono", "--measure", "./m.sh").driver == "external"


def _flagged(*words: str) -> RunnerConfig:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return runner._config(parser.parse_args(list(words)))


def test_without_a_configuration_the_error_names_what_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    assert runner.run(parser.parse_args([])) == 2
    assert "--config FILE" in capsys.readouterr().err


def test_placeholders_that_are_no_words_stay() -> None:
    assert fill_placeholder('{"a": 1} {} {A} {commit}', {"commit": "c"}) == '{"a": 1} {} {A} c'
    with pytest.raises(UnknownPlaceholder, match=r"Unknown placeholder \{x\}; known are \{commit\}"):
        fill_placeholder("{x}", {"commit": "c"})


def test_programs_beside_the_file_are_found_from_every_work_tree(tmp_path: Path) -> None:
    for name in ("deploy.sh", "measure.sh"):
        (tmp_path / name).touch()
    text = """
[repositories]
"" = "."
[deploy]
command = ["./deploy.sh", "./x"]
health = { command = ["./in-the-build.sh"] }
[measure]
command = ["./measure.sh"]
takes = 2.5
"""
    config = parse_config_text(text, base=tmp_path)
    assert config.deploy["command"] == [f"{tmp_path}/deploy.sh", "./x"]
    assert config.measure.command == (f"{tmp_path}/measure.sh",)
    assert config.measure.takes_seconds == 2.5
    assert config.health is not None
    assert config.health.command == ("./in-the-build.sh",)


NO_CHECKOUT = """
[repositories]
checkout = false
%s
[deploy]
%s
[measure]
command = ["x"]
"""
DEPLOYED = {
    "command": 'command = ["./deploy.sh"]\nstays = true',
    "webhook": 'driver = "webhook"\nto = "http://127.0.0.1:1/x"',
    "none": 'driver = "none"',
}


@pytest.mark.parametrize("driver", DEPLOYED)
@pytest.mark.parametrize(
    ("repository", "has_go", "expected"),
    [('"" = "mono"', True, True), ('"" = "mono"', False, False), ("", True, False)],
)
def test_every_driver_compiles_with_the_repository_and_go(
    tmp_path: Path, driver: str, repository: str, *, has_go: bool, expected: bool
) -> None:
    if has_go:
        (tmp_path / "go").write_text("#!/bin/sh\n")
        (tmp_path / "go").chmod(0o755)
    config = parse_config_text(NO_CHECKOUT % (repository, DEPLOYED[driver]), {"PATH": str(tmp_path)})
    assert (config.compile, config.checkout) == (expected, False)


def test_compile_needs_the_main_repository() -> None:
    text = NO_CHECKOUT % ("", DEPLOYED["webhook"])
    with pytest.raises(InvalidRunnerConfig, match="compile needs the main repository"):
        parse_config_text(f"[runner]\ncompile = true\n{text}")
    assert parse_config_text(f"[runner]\ncompile = false\n{text}").compile is False
