"""`slowpath upload --build SERVICE@COMMIT --wait --fail-on-regression` against the whole app over HTTP, with its worker beside it."""

import argparse
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from slowpath.platform.accounts.rules.roles import TokenScope
from slowpath_cli.commands.build_gate import GateResult, KindResult
from slowpath_cli.commands.upload_arguments import add_arguments
from slowpath_cli.main import main
from tests.conftest import (  # noqa: F401 - pytest finds fixtures by name
    app,
    asker,
    client,
    emptied,
    engine,
    migrated,
    people,
    role,
    team,
)
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.jobs.conftest import Bench
from tests.jobs.conftest import bench as plain_bench  # noqa: F401 - as above
from tests.support.app_under_test import AppUnderTest
from tests.support.served_app import served
from tests.tasks.conftest import PROFILES, bench, settings  # noqa: F401 - as above
from tests.tasks.test_decode_handlers import run_all

PROFILE = PROFILES / "go-cpu-1.26.pb.gz"


@contextmanager
def working(bench: Bench) -> Iterator[None]:  # noqa: F811 - a fixture's name
    ended = threading.Event()

    def work() -> None:
        while not ended.is_set():
            run_all(bench)
            time.sleep(0.05)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.mark.database
def test_files_make_their_build_and_are_waited_for_with_a_token_that_may_only_upload(
    app: AppUnderTest, people: AccountsFactory, team: SomeTeam, bench: Bench, client: TestClient,  # noqa: F811
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for name in ("GITHUB_ACTIONS", "GITLAB_CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("slowpath_cli.commands.build_gate.MISSING_VERDICT_S", 0.5)
    token = people.token(team, TokenScope.UPLOAD).secret
    broken = tmp_path / "broken.pprof"
    broken.write_bytes(b"no profile")
    with served(app) as url, working(bench):
        words = ["upload", "--url", url, "--token", token, "--build", "Ingester@4f2c", "--branch", "main"]
        first = main([*words, "--wait", "--wait-timeout", "4", str(PROFILE)])
        again = main([*words, str(PROFILE)])
        refused = main([*words, "--fail-on-regression", "--wait-timeout", "30", str(broken)])

    output = capsys.readouterr()
    [build] = client.get("/api/v1/builds").json()["items"]
    artifacts = client.get("/api/v1/artifacts").json()["items"]
    assert (first, again, refused) == (0, 0, 3), output
    assert (build["commit"], build["branch"]) == ("4f2c", "main")
    assert {(each["name"], each["state"]) for each in artifacts} == {
        (PROFILE.name, "decoded"), (broken.name, "invalid")
    }  # fmt: skip
    assert broken.name in output.err
    assert token not in output.out + output.err


@pytest.mark.parametrize(
    ("state", "unread", "code"),
    [
        ("passed", (), 0), ("skipped", (), 0), ("changed", (), 1), ("changed", ("a",), 1), ("inconclusive", (), 3),
        ("passed", ("a",), 3), ("evaluating", (), 3), ("pending", (), 3), (None, (), 3),
    ],
)  # fmt: skip
def test_a_gate_passes_only_verified_builds(state: str | None, unread: tuple[str, ...], code: int) -> None:
    assert GateResult(unread, "id", state, "").exit_code() == code


@pytest.mark.parametrize(
    ("kinds", "gate", "code"),
    [
        ({"cpu": KindResult("regressed", True)}, ["cpu"], 1),
        ({"cpu": KindResult("mixed", True)}, ["cpu"], 1),
        ({"cpu": KindResult("regressed", False)}, ["cpu"], 3),
        ({"cpu": KindResult("unchanged", False), "heap": KindResult("regressed", True)}, ["cpu"], 0),
        ({"cpu": KindResult("improved", False)}, ["cpu"], 0),
        ({"cpu": KindResult("unchanged", False)}, ["cpu", "latency"], 3),
        ({"cpu": KindResult("regressed", True)}, ["latency", "cpu"], 1),
        ({"cpu": KindResult("inconclusive", False)}, ["cpu"], 3),
        ({}, ["cpu"], 3),
    ],
)  # fmt: skip
def test_a_gate_of_kinds_has_the_exit_codes_of_compare(
    kinds: dict[str, KindResult], gate: list[str], code: int
) -> None:
    assert GateResult((), "id", "passed", "", kinds).exit_code(gate) == code


@pytest.mark.parametrize("words", [["--gate"], ["--gate", "cpu,latency"], ["--fail-on-regression"]])
def test_a_gate_may_name_kinds(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    options = parser.parse_args(["cpu.pprof", *words])
    assert options.gate == {"--gate": (), "cpu,latency": ("cpu", "latency"), "--fail-on-regression": None}[words[-1]]


def test_a_gate_of_an_unknown_kind_is_declined(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    with pytest.raises(SystemExit) as ended:
        parser.parse_args(["cpu.pprof", "--gate", "cpus"])
    assert ended.value.code == 2
    assert "choose from cpu" in capsys.readouterr().err
