"""The documentation of the runner names every key, flag and placeholder that it reads."""

import argparse
import re
import tomllib
from pathlib import Path

from slowpath.verdicts.bisects.rules.bisect_states import ALIVE_SECONDS
from slowpath_cli.commands.runner_arguments import add_arguments
from slowpath_cli.runner.core import placeholders
from slowpath_cli.runner.core.runner_config import (
    COLLECT,
    COMMON,
    HEALTH,
    MEASURE,
    RUNNER,
    SECTIONS,
    parse_config,
)
from slowpath_cli.runner.core.server_allowlist import KEYS as ALLOW
from slowpath_cli.runner.drivers.command_driver import SECTION

TEXT = (Path(__file__).resolve().parents[3] / "frontend" / "docs" / "bisect-and-runner.md").read_text(encoding="utf-8")
ELSEWHERE = {"board", "grace_seconds", "abandon_seconds", "teardown_seconds"}
"""Documented with the drivers, or only for special cases."""


def test_the_whole_file_is_one_and_has_every_key() -> None:
    (block,) = (each for each in re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL) if "[runner]" in each)
    document = tomllib.loads(block)
    config = parse_config(document, {"KUBECONFIG": "/k"}, Path("/lab"))
    assert (config.name, config.slots, config.labels) == ("lab-1", 2, {"zone": "eu"})
    assert set(document) == SECTIONS
    for known in (RUNNER, MEASURE, COLLECT, HEALTH, COMMON, SECTION, ALLOW):
        missing = {key for key in known - ELSEWHERE if not re.search(rf"\b{key} ?=", block)}
        assert missing == set()


def test_flags_placeholders_and_times_are_the_real_ones() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    add_arguments(parser)
    flags = {
        flag for action in parser._actions if action.help != argparse.SUPPRESS for flag in action.option_strings
    } - {"--server", "--config"}
    options = set(re.findall(r"`(--[a-z-]+)", TEXT))
    assert flags <= options
    assert set(re.findall(r"`\{(\w+)\}`", TEXT)) == set(placeholders.KNOWN)
    assert f"silent for {ALIVE_SECONDS} s" in TEXT
