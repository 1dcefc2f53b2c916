"""`slowpath compare` from its arguments to its exit code, on the example's real profiles."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from slowpath_cli.core.input_files import DECODE_BINARY
from slowpath_cli.local_bisect.output_values import parse_signature, read_signature_value
from slowpath_cli.main import main
from tests.analysis.kinds.profiles.generated_profiles import file_of

EXAMPLE = Path(__file__).resolve().parents[2] / "example" / "artifacts"
INLINED, HELPER = EXAMPLE / "inlined", EXAMPLE / "helper"


def compare(base: object, candidate: object, *more: str) -> int:
    sides = [list(map(str, side)) if isinstance(side, list) else [str(side)] for side in (base, candidate)]
    return main(["compare", "--base", *sides[0], "--candidate", *sides[1], *more])


def cpu(folder: Path) -> list[Path]:
    return sorted(folder.glob("cpu.*.pb.gz"))


def answer(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_a_regression_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(cpu(INLINED), cpu(HELPER), "--json") == 1
    document = answer(capsys)
    assert document["verdict"] == "regressed"
    assert document["findings"][0]["subject"] == "stack-growth"
    assert document["findings"][0]["normalization"] == "per_request"
    assert document["sides"]["base"]["run_metadata"]["goos"] == "linux"


def test_folders_of_mixed_kinds_each_compared_with_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(INLINED, HELPER, "--json") == 1
    assert {"cpu", "heap", "allocs"} <= {kind["kind"] for kind in answer(capsys)["profile_kinds"]}


def test_findings_name_the_signature_that_a_bisect_measures(capsys: pytest.CaptureFixture[str]) -> None:
    compare(INLINED, HELPER, "--json")
    findings = answer(capsys)["findings"]
    named = {one["signature"]: one for one in findings if one["signature"] and one["direction"] == "worse"}
    assert "profile.category:stack-growth" in named
    for signature, finding in named.items():
        parsed = parse_signature(signature)
        assert parsed is not None
        values = [read_signature_value(folder, *parsed, DECODE_BINARY) for folder in (INLINED, HELPER)]
        assert values == pytest.approx([finding["base"], finding["candidate"]], rel=0.3), signature


def test_the_exit_code_is_over_the_kinds_that_are_gated(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(HELPER, INLINED) == 0
    assert compare(HELPER, INLINED, "--gate", "cpu") == 0
    assert compare(HELPER, INLINED, "--gate", "cpu,heap") == 3
    assert compare(INLINED, HELPER, "--gate", "heap,cpu") == 1
    with pytest.raises(SystemExit) as left:
        compare(INLINED, HELPER, "--gate", "cpu,speed")
    assert left.value.code == 2
    assert "unknown kind: speed; choose from cpu, " in capsys.readouterr().err


def test_an_improvement_is_exit_code_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(cpu(HELPER), cpu(INLINED)) == 0
    assert capsys.readouterr().out.startswith("Improved: ")


def test_too_little_data_is_exit_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(cpu(HELPER)[:1], cpu(HELPER)[1:2]) == 3
    assert capsys.readouterr().out.startswith("Inconclusive: ")


def test_plain_text_names_caller_path_and_caveats(capsys: pytest.CaptureFixture[str]) -> None:
    compare(cpu(INLINED), cpu(HELPER))
    out = capsys.readouterr().out
    assert "1 ▲ Stack growth (morestack) takes more time: " in out
    assert "ingester/ident.cloneBytes through runtime.newstack" in out
    assert "\x1b[" not in out
    assert max(len(line) for line in out.splitlines() if " " in line.strip()) <= 100


def test_other_kinds_are_skipped_with_a_caveat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in cpu(INLINED)[:2]:
        shutil.copy(path, tmp_path)
    (tmp_path / "metrics.prom").write_text("# HELP a b\n# TYPE a counter\na 1\n")
    (tmp_path / "damaged.pb.gz").write_bytes(cpu(INLINED)[0].read_bytes()[:500])
    compare(tmp_path, cpu(HELPER)[:2], "--json")
    caveats = {caveat["id"]: caveat["sentence"] for caveat in answer(capsys)["caveats"]}
    assert "1 metrics" in caveats["kinds-not-read"]
    assert "damaged.pb.gz" in caveats["unread-files"]


def test_spans_of_any_dialect_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    spans = Path(__file__).resolve().parents[2] / "decode" / "testdata" / "spans"
    assert compare(spans / "pushes.otlp.json", [spans / "pushes.jaeger.json", spans / "pushes.otlp.pb"], "--json") == 3
    document = answer(capsys)
    assert document["artifact_kinds"] == [{"kind": "spans", "verdict": "inconclusive"}]
    assert document["findings"] == []
    assert "spans-few-traces" in {caveat["id"] for caveat in document["caveats"]}


def test_sidecars_named_by_a_pattern_are_no_profiles(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(sorted(INLINED.glob("cpu.0[0-3]*")), sorted(HELPER.glob("cpu.0[0-3]*")), "--json") in {1, 3}
    assert len(answer(capsys)["sides"]["base"]["artifact_names"]) == 4


def test_facts_of_a_whole_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = [shutil.copy(path, tmp_path / f"{number}.pb.gz") for number, path in enumerate(cpu(INLINED)[:3])]
    facts = tmp_path / "facts"
    facts.write_text(json.dumps({"go_version": "go1.20"}))
    compare(bare, cpu(HELPER)[:3], "--json", "--metadata-base", str(facts))
    document = answer(capsys)
    assert document["sides"]["base"]["run_metadata"]["go_version"] == "go1.20"
    assert "go-version" in {caveat["id"] for caveat in document["caveats"]}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "empty"),
        (b"hello world\n", "not a pprof profile"),
        (b"\x1f\x8b\x08\x00garbage", ""),
    ],
)
def test_a_bad_file_is_exit_code_2_and_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, expected: str
) -> None:
    bad = tmp_path / "bad.pb.gz"
    bad.write_bytes(content)
    assert compare(bad, cpu(HELPER)[:1]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    assert "bad.pb.gz" in output.err
    assert expected in output.err


def test_missing_files_are_invalid_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(tmp_path / "none", HELPER) == 2
    assert "no such file or folder" in capsys.readouterr().err
    assert compare(tmp_path, HELPER) == 2
    assert "the folder has no files" in capsys.readouterr().err


def test_bad_facts_are_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    facts = tmp_path / "facts"
    facts.write_text('{"requests": "many"}')
    assert compare(cpu(INLINED)[:1], HELPER, "--metadata-base", str(facts)) in {1, 2, 3}
    bare = shutil.copy(cpu(INLINED)[0], tmp_path / "bare.pb.gz")
    (tmp_path / "bare.pb.gz.facts.json").write_text("{broken")
    assert compare(bare, cpu(HELPER)[:1]) == 2
    assert "bare.pb.gz.facts.json: not JSON" in capsys.readouterr().err


def test_relative_paths_are_those_of_where_npm_was_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INIT_CWD", str(EXAMPLE))
    assert compare("inlined/cpu.00.pb.gz", "helper/cpu.00.pb.gz", "--json") == 3


def test_a_missing_helper_is_our_fault(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SLOWPATH_DECODE_BIN", "/nowhere/slowpath-decode")
    assert compare(cpu(INLINED)[:1], cpu(HELPER)[:1]) == 70
    assert "internal error" in capsys.readouterr().err


def test_wrong_use_is_exit_code_2(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["compare", "--base", "x"])
    assert left.value.code == 2
    assert "--candidate" in capsys.readouterr().err
    assert main([]) == 2


PARCA = Path(__file__).resolve().parents[2] / "decode" / "testdata" / "profiles" / "parca-labels-cpu.pb.gz"


def test_two_labels_of_one_profile_are_two_sides(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(PARCA, PARCA, "--base-label", "api", "--candidate-label", "api=query", "--json") == 3
    assert {"cpu"} == {kind["kind"] for kind in answer(capsys)["profile_kinds"]}


def labelled_captures(folder: Path, seed: int, slow: float) -> Path:
    """Ten CPU profiles with labels, as pprof files: samples of endpoint /x are `slow` times as many."""
    folder.mkdir()
    means = {f"/{name}": 300.0 for name in "abcdefgh"} | {"/x": 150.0 * slow}
    rng = np.random.default_rng(seed)
    for number in range(10):
        samples = [
            (("main.main", f"main.f{at}"), float(rng.poisson(mean / 5))) for mean in means.values() for at in range(5)
        ]
        labels = [{"endpoint": endpoint} for endpoint in means for _ in range(5)]
        decoded = folder / "decoded"
        decoded.write_bytes(file_of(samples, labels=labels))
        packed = folder / f"cpu.{number:02}.pb.gz"
        subprocess.run(
            [str(DECODE_BINARY), "export", "--out", str(packed), str(decoded)], check=True, capture_output=True
        )
        decoded.unlink()
        facts = {"requests": 1_000, "run": f"{seed}/{number}", "started_at_ms": 1_000 * (20 * number + 10 * (seed % 2))}
        (folder / f"{packed.name}.metadata.json").write_text(json.dumps(facts))
    return folder


def test_a_change_is_located_in_a_label(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base, candidate = labelled_captures(tmp_path / "base", 1, 1.0), labelled_captures(tmp_path / "candidate", 2, 1.5)
    assert compare(base, candidate, "--json") == 1
    (located,) = [each for each in answer(capsys)["findings"] if each["kind"] == "profile.label"]
    assert (located["subject"], located["direction"]) == ("endpoint=/x", "worse")
    compare(base, candidate)
    text = " ".join(capsys.readouterr().out.split())
    assert "CPU per request in endpoint /x: " in text


def test_a_label_that_no_sample_has_is_an_error_with_the_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(PARCA, PARCA, "--candidate-label", "api=push") == 2
    assert "Label api has no value push in candidate: it has query." in capsys.readouterr().err
