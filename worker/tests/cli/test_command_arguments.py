"""The help of a command does not wait for the imports of the command."""

import subprocess
import sys

import pytest

from slowpath_cli.main import COMMANDS, main

SERVER_ONLY = {"admin", "mcp"}
HELP = """
import contextlib, io, sys
from slowpath_cli.main import main
for name in sys.argv[1:]:
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        main([name, "--help"])
print(*sorted(sys.modules), sep="\\n")
"""


def test_help_imports_neither_the_command_nor_its_libraries() -> None:
    commands = [name for name in COMMANDS if name not in SERVER_ONLY]
    loaded = subprocess.run([sys.executable, "-c", HELP, *commands], capture_output=True, text=True, check=True)
    modules = set(loaded.stdout.splitlines())
    assert {f"{COMMANDS[name][0]}_arguments" for name in commands} <= modules
    assert modules.isdisjoint({COMMANDS[name][0] for name in commands} | {"httpx", "sqlalchemy", "pydantic", "scipy"})


def test_names_keep_their_case_in_descriptions(capsys: pytest.CaptureFixture[str]) -> None:
    for command, names in (("pgo", "Write CPU profiles as"), ("experiment", "GOGC, GOMEMLIMIT, PGO")):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert names in " ".join(capsys.readouterr().out.split())
