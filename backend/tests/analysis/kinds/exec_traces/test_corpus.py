"""Real traces: those of the example, and of a corpus where one is given (SLOWPATH_CORPUS)."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.exec_traces.trace_artifact import TraceArtifact
from slowpath.analysis.kinds.exec_traces.trace_page import page_of_one
from slowpath.analysis.kinds.exec_traces.trace_table import TraceTable
from tests.analysis.documents import as_json
from tests.analysis.kinds.exec_traces.compare_helpers import compared

ROOT = Path(__file__).resolve().parents[5]
DECODE = Path(os.environ.get("SLOWPATH_DECODE_BIN") or ROOT / "worker" / "decode" / "bin" / "slowpath-decode")
EXAMPLE = ROOT / "worker" / "example" / "traces"


def decoded(path: Path, out: Path) -> TraceArtifact:
    subprocess.run([str(DECODE), "trace", str(path), str(out)], check=True, capture_output=True)
    sidecar = path.with_name(path.name + ".facts.json")
    facts = RunMetadata.from_json(json.loads(sidecar.read_text())) if sidecar.is_file() else RunMetadata()
    return TraceArtifact(path.name, TraceTable.parse(out.read_bytes()), facts)


def example(variant: str, out: Path) -> list[TraceArtifact]:
    paths = sorted(path for path in (EXAMPLE / variant).glob("run.*.trace*") if path.suffix != ".json")
    return [decoded(path, out / f"{variant}.{path.name}") for path in paths]


@pytest.fixture
def corpus() -> Path:
    given = os.environ.get("SLOWPATH_CORPUS")
    if not given:
        pytest.skip("SLOWPATH_CORPUS is not set")
    return Path(given)


@pytest.mark.parametrize(("variant", "culprit", "expected"), [
    ("hogs", "main.hog", "main.hog occupied the processors for"),
    ("tickers", "main.ticker", "1,000 goroutines of main.ticker occupied the processors in turn for"),
])  # fmt: skip
def test_the_example_names_waiter_and_cause_first(variant: str, culprit: str, expected: str, tmp_path: Path) -> None:
    base, candidate = example("base", tmp_path), example(variant, tmp_path)
    for few in (1, len(base)):
        found = compared(base[:few], candidate[:few])
        assert found.verdict == "regressed"
        first, second = found.findings[:2]
        assert (first.kind, first.subject, first.quantile) == ("trace.sched_delay", "main.batcher|network", 0.99)
        assert first.contributions[0].subject == culprit
        assert first.contributions[0].share > 0.9
        assert expected in first.sentence
        assert first.base < 100_000
        assert first.candidate > 10_000_000
        assert second.kind == "trace.blame"


def test_more_garbage_is_reported_as_allocation(tmp_path: Path) -> None:
    found = compared(example("base", tmp_path), example("garbage", tmp_path))
    assert found.verdict == "regressed"
    assert "cpu" in {each.subject for each in found.findings if each.kind == "trace.gc"}
    batcher = next(each for each in found.findings if each.subject == "main.batcher|network")
    assert batcher.contributions[0].subject == "gc"


@pytest.mark.parametrize("variant", ["base", "hogs", "tickers", "garbage"])
def test_traces_of_one_binary_show_nothing(variant: str, tmp_path: Path) -> None:
    first, *others = example(variant, tmp_path)
    assert compared([first], others).findings == ()
    dump_document(page_of_one(first))


@pytest.mark.corpus
def test_a_service_with_hogs(corpus: Path, tmp_path: Path) -> None:
    base, base2, hogs = (decoded(corpus / f"traces/gen-svc/{n}.trace", tmp_path / n) for n in ("base", "base2", "hogs"))
    found = compared([base], [hogs])
    assert found.verdict == "regressed"
    assert found.findings[0].subject == "main.batcher|network"
    assert found.findings[0].base == pytest.approx(8_400, rel=0.05)
    assert found.findings[0].candidate == pytest.approx(54.5e6, rel=0.05)
    assert found.findings[0].contributions[0].subject == "main.hog"
    assert found.findings[0].contributions[0].share > 0.99
    assert compared([base], [base2]).findings == ()


@pytest.mark.corpus
def test_repeated_pairs(corpus: Path, tmp_path: Path) -> None:
    names = ("rep_base1", "rep_base2", "rep_head1", "rep_head2")
    one, two, three, four = (decoded(corpus / f"traces/gen-svc/{name}.trace", tmp_path / name) for name in names)
    found = compared([one, two], [three, four])
    assert found.verdict == "regressed"
    client = next(each for each in found.findings if each.subject == "main.client|chan receive")
    assert (client.base, client.candidate) == pytest.approx((81_500, 1_120_000), rel=0.05)
    assert client.contributions[0].subject == "main.hog"
    occupancy = {row["waiter"]: row for row in as_json(found.page())["occupancy"]}["main.client|chan receive"]
    new = [part["class"] for part in occupancy["parts"] if part["new"]]
    assert new[0] == "user|main.hog"
    assert compared([one], [two]).findings == ()


@pytest.mark.corpus
def test_captures_of_one_binary_show_nothing(corpus: Path, tmp_path: Path) -> None:
    sides = {
        side: [
            decoded(corpus / f"cases/tso-sched/{side}/trace.{n}.out.gz", tmp_path / f"{side}{n}") for n in ("00", "01")
        ]
        for side in ("aa1", "aa2", "base", "busy")
    }
    for a, b in (("aa1", "aa2"), ("aa1", "base"), ("aa2", "base")):
        assert compared(sides[a], sides[b]).findings == ()
        assert compared(sides[a][:1], sides[b][:1]).findings == ()
        assert compared(sides[b], sides[a]).verdict in {"unchanged", "inconclusive"}
    assert compared([*sides["aa1"], *sides["aa2"]], sides["base"]).findings == ()
    found = compared(sides["base"], sides["busy"])
    assert found.verdict == "regressed"
    assert "stats.Analyze" in found.findings[0].contributions[0].subject


@pytest.mark.corpus
def test_every_readable_trace_has_a_page(corpus: Path, tmp_path: Path) -> None:
    read = 0
    for path in sorted((corpus / "traces").glob("*/*")):
        out = tmp_path / "any"
        done = subprocess.run([str(DECODE), "trace", str(path), str(out)], check=False, capture_output=True)
        if done.returncode == 0:
            artifact = TraceArtifact(path.name, TraceTable.parse(out.read_bytes()), RunMetadata())
            assert len(dump_document(page_of_one(artifact))) < 4 * 2**20
            assert compared([artifact], [artifact]).findings == ()
            read += 1
    assert read > 40
