"""What the start refuses before it begins, and in which words."""

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from bootstrap_parts import machine_checks, start_stack
from bootstrap_parts.console import StartupError
from bootstrap_parts.project_paths import BACKEND
from bootstrap_parts.secret_file import Secrets
from bootstrap_parts.stack import outside_parts


def test_an_older_python_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4, "final", 0))
    with pytest.raises(SystemExit, match=r"Python 3\.11 or newer is required; .* is 3\.10\."):
        runpy.run_path(str(BACKEND / "bootstrap.py"), run_name="__main__")


def test_an_older_node_is_rejected(tmp_path: Path) -> None:
    for name in ("node", "npm"):
        (tmp_path / name).write_text("#!/bin/sh\necho v18.19.0\n")
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        [sys.executable, str(BACKEND / "bootstrap.py"), "setup"],
        env={**os.environ, "PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == f"slowpath: Node 20.19 or newer is required; {tmp_path}/node is v18.19.0.\n"


def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    with pytest.raises(
        StartupError, match=r"Not enough disk space: a start needs \d+ MiB under .*, \d+ MiB are free\."
    ):
        machine_checks.check_disk(tmp_path / "not yet there", needed_bytes=1 << 60, purpose="a start")


@pytest.mark.parametrize("text", ["0", "65536", "-1", "http", "80 80", "٨٠"])
def test_invalid_ports_are_rejected(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", text)
    with pytest.raises(StartupError, match="is not a port"):
        start_stack.requested_port()


def test_half_a_database_of_ones_own(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MIGRATE_DATABASE_URL", "BROKER_URL", "BLOB_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DATABASE_URL", "postgresql://a:b@db/slowpath")
    with pytest.raises(StartupError, match="MIGRATE_DATABASE_URL is not"):
        outside_parts()


def test_secrets_are_drawn_once_and_are_the_owners(tmp_path: Path) -> None:
    drawn = Secrets.of(tmp_path)
    assert Secrets.of(tmp_path) == drawn
    assert (tmp_path / "secrets.json").stat().st_mode & 0o777 == 0o600
    assert (
        len(
            {
                drawn.superuser_password,
                drawn.owner_password,
                drawn.app_password,
                drawn.broker_password,
                drawn.secret_key,
            }
        )
        == 5
    )


def test_broken_secrets_are_not_drawn_anew(tmp_path: Path) -> None:
    (tmp_path / "secrets.json").write_text("{")
    with pytest.raises(StartupError, match="cannot be read"):
        Secrets.of(tmp_path)


def test_an_uncreatable_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StartupError, match="cannot be created"):
        machine_checks.make_folder(tmp_path / "file" / "data")
