"""Critical paths as a profile: the reader of profiles reads it, and its sums are those of the requests."""

import subprocess
from pathlib import Path

import numpy as np

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.estimates.profile_thresholds import ProfileThresholds
from slowpath.analysis.kinds.profiles.verdict.compare_profiles import compare_profiles
from slowpath.analysis.kinds.spans.critical_profile import critical_profile
from slowpath.analysis.kinds.spans.span_table import SpanTable
from tests.analysis.kinds.spans.generated_spans import Drawn, Service, drawn_set, table_of

ROOT = Path(__file__).resolve().parents[5]
GOLDEN = ROOT / "worker" / "decode" / "testdata" / "golden"


def test_sums_are_those_of_the_requests() -> None:
    table = SpanTable.parse((GOLDEN / "spans-pushes.slowcol").read_bytes())
    profile = ProfileTable.parse(critical_profile(table))
    roots = np.flatnonzero(table.parent < 0)
    assert profile.kind == "critical-path"
    assert profile.total(1) == table.duration_ns[roots].sum()
    assert profile.total(0) == len(table)
    names = [profile.strings[int(key)] for key in profile.node_key.tolist()]
    assert names[:3] == ["", "distributor /api/v1/push", "distributor /cortex.Ingester/Push"]
    assert profile.node_parent.tolist()[1:4] == [0, 1, 2]


def test_equal_paths_have_equal_hashes_in_different_sets() -> None:
    one = ProfileTable.parse(critical_profile(table_of([Drawn("a", 0, 9, (Drawn("b", 1, 2), Drawn("c", 3, 4)))])))
    two = ProfileTable.parse(critical_profile(table_of([Drawn("a", 0, 9, (Drawn("c", 3, 4), Drawn("d", 5, 6)))])))
    hashes = [
        {p.strings[int(k)]: int(h) for k, h in zip(p.node_key, p.node_hash, strict=True)}
        for p in (one, two)
        if p.node_hash is not None
    ]
    assert hashes[0]["api a"] == hashes[1]["api a"] != 0
    assert hashes[0]["api c"] == hashes[1]["api c"]


def test_it_is_drawn_like_any_profile() -> None:
    rng = np.random.default_rng(1)
    sides = [
        [ProfileArtifact("s", ProfileTable.parse(critical_profile(drawn_set(Service(), rng, 20).table)), RunMetadata())]
        for _ in range(2)
    ]
    compared = compare_profiles(sides[0], sides[1], ProfileThresholds(), rng, lambda _step, _fraction: None)
    assert [(kind.comparison.kind, kind.verdict) for kind in compared.kinds] == [("critical-path", None)]
    views = [view.describe() for view in compared.views()]
    assert {view.sample_type.type for view in views} == {"count", "critical"}


def test_the_decoder_exports_it(tmp_path: Path) -> None:
    (tmp_path / "p.slowcol").write_bytes(critical_profile(table_of([Drawn("a", 0, 9, (Drawn("b", 1, 2),))])))
    helper = ROOT / "worker" / "decode" / "bin" / "slowpath-decode"
    subprocess.run([helper, "export", "--out", tmp_path / "p.pb.gz", tmp_path / "p.slowcol"], check=True)
    assert (tmp_path / "p.pb.gz").stat().st_size > 0
