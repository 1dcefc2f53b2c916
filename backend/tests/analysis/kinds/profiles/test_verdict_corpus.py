"""Real captures of the example, and every CPU profile of a corpus where one is given (SLOWPATH_CORPUS)."""

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.kinds.profiles.categories.stack_attribution import attribute_stacks
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.sets.profile_sets import make_sets
from slowpath.analysis.kinds.profiles.sets.stack_values import lay_out_stack_values
from slowpath.analysis.kinds.profiles.stacks.distinct_stacks import unite_stacks
from tests.analysis.kinds.profiles.compare_helpers import compared

ROOT = Path(__file__).resolve().parents[5]
DECODE = Path(os.environ.get("SLOWPATH_DECODE_BIN") or ROOT / "worker" / "decode" / "bin" / "slowpath-decode")
EXAMPLE = ROOT / "worker" / "example" / "artifacts"


def decoded(path: Path, out: Path) -> ProfileArtifact:
    subprocess.run([str(DECODE), "profile", str(path), str(out)], check=True, capture_output=True)
    sidecar = path.with_name(path.name + ".facts.json")
    facts = RunMetadata.from_json(json.loads(sidecar.read_text())) if sidecar.is_file() else RunMetadata()
    return ProfileArtifact(path.name, ProfileTable.parse(out.read_bytes()), facts)


def cpu_profiles(folder: Path, out: Path) -> list[ProfileArtifact]:
    return [decoded(path, out / path.name) for path in sorted(folder.glob("cpu.*.pb.gz"))]


def assert_parts_sum_to_the_whole(artifact: ProfileArtifact) -> None:
    """Every sample has exactly one category."""
    table = artifact.table
    for sample_type in table.sample_types:
        sets = make_sets([artifact], [artifact], sample_type)
        assert sets is not None
        stacks = unite_stacks([artifact.table, artifact.table])
        measured = lay_out_stack_values(stacks, sets)
        attribution = attribute_stacks(stacks.frames, stacks.labels)
        rows = measured.by_group(attribution.category.astype(np.int64), len(attribution.categories))
        assert rows[:, 0].sum() == table.total(table.sample_types.index(sample_type))


def test_categories_partition_the_samples_of_the_example(tmp_path: Path) -> None:
    for variant in ("inlined", "pool"):
        for artifact in cpu_profiles(EXAMPLE / variant, tmp_path)[:3]:
            assert_parts_sum_to_the_whole(artifact)


@pytest.mark.corpus
def test_categories_partition_the_samples_of_the_corpus(tmp_path: Path) -> None:
    given = os.environ.get("SLOWPATH_CORPUS")
    if not given:
        pytest.skip("SLOWPATH_CORPUS is not set")
    found = sorted(Path(given).glob("cases/*/*/cpu.*.pb.gz")) + sorted(Path(given).glob("pprof/self/*-cpu.pb.gz"))
    assert found
    for path in found:
        assert_parts_sum_to_the_whole(decoded(path, tmp_path / "out.col"))


def test_the_example_has_the_same_findings_with_swapped_sides(tmp_path: Path) -> None:
    inlined, helper = cpu_profiles(EXAMPLE / "inlined", tmp_path), cpu_profiles(EXAMPLE / "helper", tmp_path)
    there, back = compared(inlined, helper), compared(helper, inlined)
    assert (there.verdict, back.verdict) == ("regressed", "improved")
    for comparison in (there, back):
        assert comparison.findings[0].subject == "stack-growth"
        assert comparison.findings[0].attributed_callers[0].function == "ingester/ident.cloneBytes"


def test_halves_of_one_set_show_nothing(tmp_path: Path) -> None:
    helper = cpu_profiles(EXAMPLE / "helper", tmp_path)
    assert compared(helper[::2], helper[1::2]).findings == ()
