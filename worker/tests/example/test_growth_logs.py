"""The example's stack-growth logs as they are shipped: small, without facts of the machine, and with the regression."""

import gzip
import json
import re
from pathlib import Path

import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath_cli.main import main

LOGS = Path(__file__).resolve().parents[2] / "example" / "artifacts-growth"
VARIANTS = ("inlined", "helper", "pool")
FILES = sorted(LOGS.glob("*/growth.*.log.gz"))
A_PATH = re.compile(rb"/(home|root|tmp|work|Users|usr|var|opt)/[\w./-]*")
PRINTED = re.compile(rb"^runtime: stack growths: 2048->(\d+) 4096->(\d+) start=2048$", re.MULTILINE)


def test_three_runs_of_each_variant() -> None:
    assert [len(list((LOGS / variant).glob("*.log.gz"))) for variant in VARIANTS] == [3, 3, 3]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.name}")
def test_a_log_is_small_and_names_no_machine(file: Path) -> None:
    data = gzip.decompress(file.read_bytes())
    assert file.stat().st_size < 40_000
    assert not A_PATH.findall(data)
    assert len(PRINTED.findall(data)) == 1
    facts = RunMetadata.from_json(json.loads(Path(f"{file}.facts.json").read_text()))
    assert facts.requests
    assert facts.wall_ns
    assert re.fullmatch(r"[0-9a-f]{40}", facts.commit or "")


def test_the_readme_counts_what_the_logs_hold() -> None:
    readme = (LOGS / "README.md").read_text()
    for variant in VARIANTS:
        texts = [gzip.decompress(file.read_bytes()) for file in FILES if file.parent.name == variant]
        recorded = sum(text.count(b"runtime: newstack at ") for text in texts)
        printed = sum(int(number) for text in texts for match in PRINTED.findall(text) for number in match)
        assert f"| `{variant}` | {recorded} | {printed:,} |" in readme


@pytest.mark.parametrize(
    ("base", "candidate", "code", "expected"),
    [
        ("inlined", "helper", 1, "attributed to ident.cloneBytes."),
        ("helper", "pool", 0, "Goroutine stacks grow less often"),
        ("inlined", "inlined", 0, "Unchanged"),
    ],
)
def test_the_command_line_shows_the_documented_cause(
    base: str, candidate: str, code: int, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--base", str(LOGS / base), "--candidate", str(LOGS / candidate)]) == code
    assert expected in " ".join(capsys.readouterr().out.split())
