"""Former names of options and commands work for one release, with a warning on stderr."""

import argparse
import json
from pathlib import Path
from types import ModuleType

import pytest

from slowpath_cli.commands import bisect_arguments as bisect
from slowpath_cli.commands import compare_arguments as compare
from slowpath_cli.commands import runner_arguments as runner
from slowpath_cli.commands import upload_arguments as upload
from slowpath_cli.core.renamed_options import accept_former_name
from slowpath_cli.core.sidecars import find_sidecar, is_sidecar
from slowpath_cli.runner.core.driver_interface import DriverEnvironment
from slowpath_cli.runner.drivers import DRIVERS, read_driver

BISECT = ["--good", "a", "--bad", "b", "--", "true"]
COMPARE = ["--base", "a", "--candidate", "b"]


@pytest.mark.parametrize(
    ("command", "rest", "old", "new", "value"),
    [
        (bisect, BISECT, "--belief", "--stop-probability", "0.9"),
        (bisect, BISECT, "--fresh", "--restart", None),
        (bisect, BISECT, "--work", "--work-dir", "d"),
        (bisect, BISECT, "--max-deploys", "--max-deployments", "9"),
        (bisect, BISECT, "--timeout", "--script-timeout", "3"),
        (upload, ["f"], "--facts", "--metadata", "f"),
        (upload, ["f"], "--timeout", "--wait-timeout", "3"),
        (compare, COMPARE, "--facts-base", "--metadata-base", "f"),
        (compare, COMPARE, "--facts-candidate", "--metadata-candidate", "f"),
        (runner, [], "--url", "--server", "http://h"),
        (runner, [], "--work", "--work-dir", "d"),
        (runner, [], "--health", "--health-check", "http://h"),
        (runner, [], "--pprof", "--pprof-url", "http://h"),
    ],
)
def test_a_former_option_sets_the_same_value_with_a_warning(
    capsys: pytest.CaptureFixture[str],
    command: ModuleType,
    rest: list[str],
    old: str,
    new: str,
    value: str | None,
) -> None:
    parser = argparse.ArgumentParser(prog="slowpath")
    command.add_arguments(parser)
    given = [] if value is None else [value]

    expected = parser.parse_args([new, *given, *rest])
    assert capsys.readouterr().err == ""
    assert parser.parse_args([old, *given, *rest]) == expected
    warning = capsys.readouterr().err
    assert f"{old} is now {new};" in warning
    assert old not in parser.format_help().split()


def test_a_former_option_keeps_checks_and_default() -> None:
    parser = argparse.ArgumentParser()
    count = parser.add_argument("--count", type=int, choices=(1, 2), default=1)
    accept_former_name(parser, count, "--number", "--amount")

    assert parser.parse_args([]).count == 1
    assert parser.parse_args(["--number=2"]).count == 2
    assert parser.parse_args(["--amount", "2"]).count == 2
    with pytest.raises(SystemExit):
        parser.parse_args(["--number", "3"])


@pytest.mark.parametrize("name", ["external", "none"])
def test_a_former_driver_name_is_the_same_driver(name: str, tmp_path: Path) -> None:
    assert read_driver(name, {}, DriverEnvironment("here", tmp_path)).endpoints({"port": 7}) == {"port": "7"}
    assert {"github-actions", "external"} <= set(DRIVERS)
    assert not {"github", "none"} & set(DRIVERS)


def test_both_sidecar_names_are_read_and_the_new_one_wins(tmp_path: Path) -> None:
    profile = tmp_path / "cpu.pb.gz"
    assert find_sidecar(profile) is None
    former = tmp_path / "cpu.pb.gz.facts.json"
    former.write_text(json.dumps({"requests": 1}))
    assert find_sidecar(profile) == former
    new = tmp_path / "cpu.pb.gz.metadata.json"
    new.write_text(json.dumps({"requests": 2}))
    assert find_sidecar(profile) == new
    assert is_sidecar(former.name)
    assert is_sidecar(new.name)
    assert not is_sidecar(profile.name)
