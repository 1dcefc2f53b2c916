"""The nodes that are sent first are the largest; of equal ones, those that come first."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowpath.analysis.findings.run_metadata import RunMetadata
from slowpath.analysis.formats.column_file import ColumnFile, read_columns
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.decoded.profile_table import ProfileTable
from slowpath.analysis.kinds.profiles.stacks.granularities import GRANULARITIES, Granularity
from slowpath.analysis.kinds.profiles.views import diff_tree
from slowpath.analysis.kinds.profiles.views.diff_tree import DiffTree, are_largest
from slowpath.analysis.kinds.profiles.views.diff_views import DiffViewBuilder
from slowpath.analysis.kinds.profiles.views.profile_set_views import measure_set
from slowpath.analysis.kinds.profiles.views.stored_view import strings_of
from tests.analysis.kinds.profiles.test_profile_set_views import GOLDEN

CPU_FILES = [GOLDEN / f"{name}.slowcol" for name in ("go-cpu-1.26", "go-sample-cpu", "parca-labels-cpu")]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 45))
def test_the_largest_nodes_are_chosen_as_by_sorting(weights: list[int], most: int) -> None:
    by_size = sorted(range(len(weights)), key=lambda node: (-weights[node], node))
    chosen = are_largest(np.array(weights, dtype=np.float64), most)
    assert np.flatnonzero(chosen).tolist() == sorted(by_size[:most])


def named(columns: ColumnFile) -> dict[str, list[object]]:
    """The columns of nodes, with names instead of numbers of names, and without what depends on the part."""
    names = strings_of(columns)
    rows = {
        column: array.tolist()
        for column, array in columns.arrays.items()
        if not column.startswith(("strings_", "hidden_", "low_", "high_", "q_"))
    }
    return {**rows, "node_name": [names[number] for number in rows["node_name"]]}


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("path", CPU_FILES, ids=lambda path: path.stem)
def test_the_first_nodes_are_the_largest_of_the_complete_tree(
    path: Path, granularity: Granularity, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a single side, only these are made before the other parts."""
    monkeypatch.setattr(diff_tree, "FIRST_NODES", 7)
    tree = tree_of(path, granularity)
    first, complete = (read_columns(tree.part(part), "slowpath.diff") for part in ("first", "all"))
    weight = complete.arrays["candidate_total"]
    largest = np.sort(np.lexsort((np.arange(len(weight)), -weight))[:7])
    assert named(first) == {column: [values[node] for node in largest] for column, values in named(complete).items()}


@pytest.mark.parametrize("granularity", GRANULARITIES)
@pytest.mark.parametrize("path", CPU_FILES, ids=lambda path: path.stem)
def test_the_category_of_a_function_is_that_of_its_heaviest_node(path: Path, granularity: Granularity) -> None:
    tree = tree_of(path, granularity)
    expected = np.zeros(len(tree.ground.stacks.labels), dtype=np.uint8)
    nodes = tree.trie
    order = np.argsort(tree.weight[nodes.segment], kind="stable")
    expected[nodes.label[order]] = tree.kinds[0][order]
    assert tree.label_categories().tolist() == expected.tolist()


def tree_of(path: Path, granularity: Granularity) -> DiffTree:
    artifact = ProfileArtifact(path.name, ProfileTable.parse(path.read_bytes()), RunMetadata())
    sample_type = artifact.table.sample_types[-1]
    values = measure_set([artifact], artifact.table.kind, sample_type.type, ())
    assert values is not None
    return DiffTree(DiffViewBuilder(values).view(sample_type, granularity).ground)
