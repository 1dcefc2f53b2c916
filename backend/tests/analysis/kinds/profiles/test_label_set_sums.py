"""A brief file has the same labels as a whole one: as sums of sets, without samples."""

import subprocess
from pathlib import Path

import numpy as np
import pytest

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import ColumnFileError, write_columns
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable, read_profile_columns
from slowpath.analysis.kinds.profiles.sets.label_totals import LabelTotals, label_totals
from slowpath.analysis.kinds.profiles.sets.profile_sets import make_sets
from tests.analysis.kinds.profiles.test_verdict_corpus import DECODE

PARCA = Path(__file__).resolve().parents[5] / "worker/decode/testdata/profiles/parca-labels-cpu.pb.gz"


def decode(folder: Path, *options: str) -> bytes:
    out = folder / "decoded"
    subprocess.run([str(DECODE), "profile", *options, str(PARCA), str(out)], check=True)
    return out.read_bytes()


def totals(content: bytes) -> LabelTotals:
    side = [ProfileArtifact("a", ProfileTable.parse(content), RunMetadata())]
    sets = make_sets(side, side, side[0].table.sample_types[0])
    assert sets is not None
    found = label_totals(sets)
    assert found is not None
    return found


def test_totals_of_labels_are_those_of_the_samples(tmp_path: Path) -> None:
    brief, whole = totals(decode(tmp_path, "--brief")), totals(decode(tmp_path))
    assert [(each.key, each.values) for each in brief.keys] == [(each.key, each.values) for each in whole.keys]
    assert len(whole.keys) > 0
    for mine, theirs in zip(brief.keys, whole.keys, strict=True):
        assert np.array_equal(brief.rows(mine), whole.rows(theirs))


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("labelset_value_0", "sums of sets of labels differ"),
        ("label_key", "columns of labels differ"),
        ("labelset_label", "offsets of sets of labels"),
    ],
)
def test_damaged_labels_of_a_brief_file_are_refused(tmp_path: Path, column: str, message: str) -> None:
    read = read_profile_columns(decode(tmp_path, "--brief"))
    header = {name: value for name, value in read.header.items() if name != "columns"}
    with pytest.raises(ColumnFileError, match=message):
        ProfileTable.parse(write_columns(header, {**read.arrays, column: read.arrays[column][1:]}))
