"""Commands that the command line prints start as the user started it."""

import pytest

from slowpath_cli.core.program_words import program_words
from slowpath_cli.local_bisect.search_report import continue_command

NPM = {"npm_lifecycle_event": "slowpath", "npm_package_json": "/src/slowpath/package.json"}


def test_npm_in_the_checkout_and_from_elsewhere() -> None:
    assert program_words({**NPM, "INIT_CWD": "/src/slowpath"}) == ["npm", "run", "--silent", "slowpath", "--"]
    assert program_words({**NPM, "INIT_CWD": "/src/service"})[:3] == ["npm", "--prefix", "/src/slowpath"]


def test_the_installed_command_and_other_scripts_of_npm() -> None:
    assert program_words({}) == ["slowpath"]
    assert program_words({**NPM, "npm_lifecycle_event": "test"}) == ["slowpath"]


def test_a_search_is_continued_as_it_was_started(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {**NPM, "INIT_CWD": "/src/service"}.items():
        monkeypatch.setenv(name, value)

    command = continue_command(["bisect", "--good", "a", "--", "./measure.sh"], 10)

    assert command.startswith("npm --prefix /src/slowpath run --silent slowpath -- bisect ")
    assert command.endswith(" -- ./measure.sh")
