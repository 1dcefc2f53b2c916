"""All outputs of a comparison, built and checked: the document, its text, every view and table."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from slowpath.analysis.comparison.compare_sides import SideComparison
from slowpath.analysis.comparison.comparison_document import make_comparison_document
from slowpath.analysis.formats.column_file import read_columns
from slowpath.analysis.formats.document_json import dump_document
from slowpath.analysis.kinds.profiles.decoded.profile_artifact import ProfileArtifact
from slowpath.analysis.kinds.profiles.views.stored_view import StoredView
from tests.analysis.compare_helpers import compared
from tests.analysis.kinds.profiles import generated_profiles

# Values and intervals that a page draws; an interval is NaN where there is none, by the format.
FINITE = ("base_self", "base_total", "candidate_self", "candidate_total", "hidden_base", "hidden_candidate")


def assert_compares(
    base: Sequence[ProfileArtifact], candidate: Sequence[ProfileArtifact], *, views: bool = True
) -> SideComparison:
    """Compare and build all of the answer: nothing raises, no number is infinite or undefined."""
    comparison = compared(base, candidate)
    document = json.loads(dump_document(make_comparison_document(comparison)))
    assert document["verdict"] in {"regressed", "improved", "mixed", "unchanged", "inconclusive"}
    assert not any(word in json.dumps(document) for word in ("nan ", "inf ", "Infinity"))
    if views and comparison.profiles is not None:
        for view in comparison.profiles.views():
            dump_document(view.describe())
            parts = [view.diff_columns(part) for part in ("all", "first", "rest")]
            parts.append(view.function_columns())
            if view.ground.granularity == "line":
                parts.append(view.line_columns())
            StoredView.parse(parts[0]).search(lambda name: "a" in name)
            for part in parts:
                columns = read_columns(part, read_format(part))
                json.dumps(columns.header, allow_nan=False)
                for name in FINITE:
                    if name in columns.arrays:
                        assert np.all(np.isfinite(columns.column(name, "f64"))), name
    return comparison


def read_format(part: bytes) -> str:
    """Return the format of a column file, from its header."""
    for name in ("slowpath.diff", "slowpath.functions", "slowpath.lines"):
        if name.encode() in part[:4096]:
            return name
    raise AssertionError("a column file without a known format")


def zeroed(artifact: ProfileArtifact) -> ProfileArtifact:
    """The same profile with every value 0."""
    table = artifact.table
    values = tuple(np.zeros_like(each) for each in table.values)
    return replace(artifact, name=f"zero-{artifact.name}", table=replace(table, values=values, summary=None))


def emptied(artifact: ProfileArtifact) -> ProfileArtifact:
    """A profile of the same kind without a sample or a function."""
    table = artifact.table
    empty = generated_profiles.table(
        [],
        kind=table.kind,
        types=[(each.type, each.unit) for each in table.sample_types],
        ticks=[1] * len(table.sample_types),
        duration_ns=table.duration_ns,
        time_ns=table.time_ns,
        period=table.period,
    )
    return replace(artifact, name=f"empty-{artifact.name}", table=empty)
