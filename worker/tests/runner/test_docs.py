"""What the documentation of the runner tells is what it reads."""

import argparse
import re
import tomllib
from pathlib import Path

from slowpath.bisects.rules.states import ALIVE_SECONDS
from slowpath_cli.runner import command, words
from slowpath_cli.runner.config import COLLECT, COMMON, HEALTH, MEASURE, RUNNER, SECTIONS, of
from slowpath_cli.runner.drivers.command import SECTION

TEXT = (Path(__file__).resolve().parents[3] / "frontend" / "docs" / "runner.md").read_text(encoding="utf-8")
ELSEWHERE = {"board", "grace_seconds", "abandon_seconds", "teardown_seconds"}
"""Told with the drivers, or for nobody but those who need them."""


def test_the_whole_file_is_one_and_has_every_key() -> None:
    (block,) = re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)
    told = tomllib.loads(block)
    config = of(told, {"KUBECONFIG": "/k"}, Path("/lab"))
    assert (config.name, config.slots, config.labels) == ("lab-1", 2, {"zone": "eu"})
    assert set(told) == SECTIONS
    for known in (RUNNER, MEASURE, COLLECT, HEALTH, COMMON, SECTION):
        missing = {key for key in known - ELSEWHERE if not re.search(rf"\b{key} ?=", block)}
        assert missing == set()


def test_flags_placeholders_and_times_are_the_real_ones() -> None:
    parser = argparse.ArgumentParser(add_help=False)
    command.add_arguments(parser)
    flags = {flag for action in parser._actions for flag in action.option_strings} - {"--url", "--config"}
    told = set(re.findall(r"`(--[a-z-]+)", TEXT))
    assert flags <= told
    assert set(re.findall(r"`\{(\w+)\}`", TEXT)) == set(words.KNOWN)
    assert f"silent for {ALIVE_SECONDS} s" in TEXT
