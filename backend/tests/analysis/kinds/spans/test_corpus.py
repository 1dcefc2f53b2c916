"""Real span sets, of a corpus where one is given (SLOWPATH_CORPUS): every file has exact sums and a page."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.spans.critical_path import critical_path
from slowpath.analysis.kinds.spans.span_artifact import SpanArtifact
from slowpath.analysis.kinds.spans.span_forest import SpanForest
from slowpath.analysis.kinds.spans.span_gaps import find_gaps, self_ns
from slowpath.analysis.kinds.spans.span_table import SpanTable
from slowpath.analysis.kinds.spans.spans_page import page_of_one
from slowpath.analysis.kinds.spans.trace_waterfall import waterfall
from tests.analysis.documents import as_json
from tests.analysis.kinds.spans.compare_helpers import compared, subjects

ROOT = Path(__file__).resolve().parents[5]
DECODE = Path(os.environ.get("SLOWPATH_DECODE_BIN") or ROOT / "worker" / "decode" / "bin" / "slowpath-decode")


def decoded(path: Path, out: Path) -> SpanArtifact:
    subprocess.run([str(DECODE), "spans", str(path), str(out)], check=True, capture_output=True)
    return SpanArtifact(path.name, SpanTable.parse(out.read_bytes()), RunMetadata())


@pytest.fixture
def corpus() -> Path:
    given = os.environ.get("SLOWPATH_CORPUS")
    if not given:
        pytest.skip("SLOWPATH_CORPUS is not set")
    return Path(given) / "spans"


def test_every_file_has_exact_sums(corpus: Path, tmp_path: Path) -> None:
    paths = [path for path in sorted(corpus.rglob("*")) if path.is_file() and path.suffix in {".json", ".gz"}]
    assert len(paths) > 60
    for path in paths:
        artifact = decoded(path, tmp_path / "out")
        forest = SpanForest.of([artifact])
        own, roots = self_ns(forest, find_gaps(forest)), np.flatnonzero(forest.parent < 0)
        assert np.all((own >= 0) & (own <= forest.duration_ns)), path
        sums = critical_path(forest, roots.tolist()).of_rows(len(forest))
        assert sums.sum() == forest.duration_ns[roots].sum(), path
        dump_document(page_of_one(artifact))
        dump_document(waterfall(artifact.table, 0))


def synthetic(corpus: Path, name: str, out: Path) -> SpanArtifact:
    return decoded(corpus / "synthetic" / name, out)


@pytest.mark.parametrize("dialect", ["otlp", "jaeger", "zipkin"])
def test_the_gap_is_found(corpus: Path, tmp_path: Path, dialect: str) -> None:
    base = synthetic(corpus, f"base.{dialect}.json", tmp_path / "base")
    comparison = compared([base], [synthetic(corpus, f"head_gap.{dialect}.json", tmp_path / "head")])
    finding = comparison.findings[0]
    assert finding.subject == "distributor//api/v1/push|validateSeries|/cortex.Ingester/Push"
    assert (finding.base, finding.candidate) == pytest.approx((77_200, 6_623_400), rel=0.012)
    assert (comparison.verdict, len(comparison.findings)) == ("regressed", 1)
    share = as_json(comparison.page())["critical"][0]
    assert share["path"] == ["distributor /api/v1/push"]
    assert (share["base"]["share"], share["candidate"]["share"]) == pytest.approx((0.154, 0.414), abs=0.001)


def test_the_amplification_is_found(corpus: Path, tmp_path: Path) -> None:
    base = synthetic(corpus, "base.otlp.json", tmp_path / "base")
    comparison = compared([base], [synthetic(corpus, "head_amplified.otlp.json", tmp_path / "head")])
    assert subjects(comparison) == ["distributor->ingester"]
    assert (comparison.findings[0].base, comparison.findings[0].candidate) == (3.0, 5.0)


def test_equal_sets_in_different_dialects_have_no_findings(corpus: Path, tmp_path: Path) -> None:
    sets = [synthetic(corpus, f"base.{dialect}.json", tmp_path / dialect) for dialect in ("otlp", "jaeger", "zipkin")]
    assert compared(sets[:1], sets[1:]).findings == ()


def test_recorded_requests_show_the_distributors_gap(corpus: Path, tmp_path: Path) -> None:
    page = page_of_one(decoded(next((corpus / "otlp-lines").iterdir()), tmp_path / "out"))
    gaps = [row for row in page.gaps if row.service == "distributor" and not row.leaf and row.next == "Ingester.Push"]
    assert gaps[0].edge == "distributor/POST /api/v1/push|validate|Ingester.Push"
    assert page.amplification[0].edge == "distributor->ingester"
    assert page.amplification[0].base is not None
    assert page.amplification[0].base.mean == 3.0
    assert page.order == ["distributor", "ingester"]
