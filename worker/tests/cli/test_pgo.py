"""`slowpath pgo` with files: one merged CPU profile, or a reason."""

from pathlib import Path

import pytest

from slowpath_cli.core.input_files import DECODE_BINARY, decode_profiles
from slowpath_cli.main import main

ARTIFACTS = Path(__file__).resolve().parents[2] / "example" / "artifacts" / "inlined"


def test_cpu_profiles_are_merged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "default.pgo"
    files = [str(ARTIFACTS / name) for name in ("cpu.00.pb.gz", "cpu.01.pb.gz", "heap.00.pb.gz")]
    assert main(["pgo", *files, "--out", str(out)]) == 0
    assert f"go build -pgo={out}" in capsys.readouterr().out
    assert len(decode_profiles([str(out)], tmp_path / "read", DECODE_BINARY)) == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "either files or --profile-set"),
        ([str(ARTIFACTS / "heap.00.pb.gz")], "none of the files is a CPU profile"),
        (["--profile-set", "a"], "No server given"),
    ],
)
def test_what_cannot_be_written_is_explained(
    arguments: list[str],
    reason: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("SLOWPATH_URL", "SLOWPATH_SERVER"):
        monkeypatch.delenv(name, raising=False)
    assert main(["pgo", *arguments, "--out", str(tmp_path / "default.pgo")]) == 2
    assert reason in capsys.readouterr().err
