"""Completed comparisons with views that can be opened, stored by the functions that the worker uses."""

import gzip
from dataclasses import dataclass
from uuid import UUID

import numpy as np

from slowpath.analysis.formats.column_file import Array, pack_strings, write_columns
from slowpath.analysis.kinds.profiles.decoded.profile_header import SampleType
from slowpath.analysis.kinds.profiles.views.diff_view_inputs import DiffViewSummary
from slowpath.core.ids import ArtifactId, ComparisonId
from slowpath.evidence.profiles.rules import Granularity
from slowpath.evidence.profiles.service import stored_views
from slowpath.evidence.profiles.service.stored_views import FirstViewFiles, RemainingViewFiles
from slowpath.verdicts.comparisons.rules import ComparisonState, ExportFormat
from slowpath.verdicts.comparisons.service import comparison_exports, comparison_results, comparisons, diff_views
from slowpath.verdicts.comparisons.service.comparison_results import DiffViewKey
from slowpath.verdicts.comparisons.service.comparisons import SideRequest
from tests.factories.files import FilesFactory
from tests.factories.findings import make_result

FUNCTION_VIEW = DiffViewKey("cpu", "cpu", Granularity.FUNCTION)
LINE_VIEW = DiffViewKey("cpu", "cpu", Granularity.LINE)
CPU_TIME = SampleType("cpu", "nanoseconds")
NAMES = ["", "root", "main.main", "main.clone", "<img src=x onerror=alert(1)>", "=cmd()"]
PRESENT_NAMES, FORMER_NAMES = ("normalizations", "default_normalization"), ("bases", "default_basis")
NORMALIZATIONS = [{"id": "share", "unit": "%", "base_scale": 1.0, "candidate_scale": 1.0}]


def diff_columns(names: tuple[str, str] = PRESENT_NAMES) -> bytes:
    """Return a tree: root > main.main > (main.clone > main.clone, hostile), root > formula."""
    normalizations, default_normalization = names
    header = {
        "format": "slowpath.diff",
        "format_version": 1,
        "kind": "cpu",
        "nodes_total": 6,
        "nodes_sent": 6,
        normalizations: NORMALIZATIONS,
        default_normalization: "share",
        "categories": ["app"],
    }
    total = np.array([100, 90, 60, 20, 30, 10], dtype=np.float64)
    own = np.array([0, 0, 40, 20, 30, 10], dtype=np.float64)
    columns: dict[str, Array] = {
        "node_id": np.arange(6, dtype=np.uint32),
        "node_parent": np.array([0xFFFFFFFF, 0, 1, 2, 1, 0], dtype=np.uint32),
        "node_name": np.array([1, 2, 3, 3, 4, 5], dtype=np.uint32),
        "node_size": np.array([6, 4, 2, 1, 1, 1], dtype=np.uint32),
        "base_self": own,
        "base_total": total,
        "candidate_self": own * 2,
        "candidate_total": total * 2,
    }
    return write_columns(header, {**columns, **pack_strings(NAMES)})


def line_columns() -> bytes:
    """Return two lines of main.clone, of which the first is the caller of an inlined main.clone in the candidate."""
    cost = np.array([30.0, 10.0])
    columns = {
        "function": np.array([3, 3], dtype=np.uint32),
        "line": np.array([10, 12], dtype=np.int32),
        "base_self": cost,
        "base_total": cost,
        "candidate_self": cost * 2,
        "candidate_total": cost * 2,
        "base_attributed": cost / 2,
        "candidate_attributed": cost,
        "inlined_function": np.array([3], dtype=np.uint32),
        "inlined_line": np.array([10], dtype=np.int32),
        "inlined_callee": np.array([3], dtype=np.uint32),
        "inlined_sides": np.array([2], dtype=np.uint8),
    }
    return write_columns({"format": "slowpath.lines", "format_version": 1}, {**columns, **pack_strings(NAMES)})


@dataclass(frozen=True)
class ComparisonsFactory:
    """Makes comparisons of a team."""

    files: FilesFactory

    def asked(self, name: str = "Base against candidate") -> ComparisonId:
        """Make a comparison whose job waits."""
        base, candidate = (SideRequest((ArtifactId(self.files.decoded()),)) for _ in range(2))
        with self.files.app.database.writing(self.files.scope) as session:
            return ComparisonId(comparisons.create_comparison(session, name, base, candidate).id)

    def done(self, name: str = "Base against candidate", names: tuple[str, str] = PRESENT_NAMES) -> ComparisonId:
        """Make a finished comparison: the view by function is cut, the one by line is not.

        `names` are the members of the view's header with the normalizations and the default one.
        """
        comparison_id, blobs, team_id = self.asked(name), self.files.app.recorded_blobs, self.files.team.id
        keys = {
            part: comparison_results.make_view_key(team_id, comparison_id, FUNCTION_VIEW, part)
            for part in ("all", "first", "functions", "lines")
        }
        blobs.put(keys["all"], diff_columns(names))
        blobs.put(keys["first"], gzip.compress(diff_columns(names)))
        blobs.put(keys["functions"], gzip.compress(b"functions"))
        blobs.put(keys["lines"], line_columns())
        first = FirstViewFiles(keys["first"], keys["functions"], nodes=6, functions=4)
        remaining = RemainingViewFiles(all_key=keys["all"], lines_key=keys["lines"])
        described = [
            (FUNCTION_VIEW, DiffViewSummary("cpu", CPU_TIME, CPU_TIME.unit, "function", ("share",), "share")),
            (LINE_VIEW, DiffViewSummary("cpu", CPU_TIME, CPU_TIME.unit, "line", ("share",), "share")),
        ]
        with self.files.app.database.writing(self.files.scope) as session:
            comparison_results.record_result(
                session, comparison_id, comparison_results.ComparisonResult(make_result(), described, [FUNCTION_VIEW])
            )
            session.flush()
            row = diff_views.get_view_by_key(session, comparison_id, "cpu", "cpu", "function")
            stored_views.record_view_files(row, first, remaining)
        return comparison_id

    def failed(self) -> ComparisonId:
        """Make a comparison that came to nothing."""
        comparison_id = self.asked()
        problem = {
            "type": "urn:slowpath:nothing-to-compare",
            "title": "Nothing to compare",
            "detail": "No kind in common.",
        }
        with self.files.app.database.writing(self.files.scope) as session:
            row = comparisons.get_comparison(session, comparison_id)
            row.state, row.problem = ComparisonState.FAILED, problem
        return comparison_id

    def exported(self, comparison_id: ComparisonId, content: bytes, file_name: str) -> UUID:
        """Make a finished export."""
        with self.files.app.database.writing(self.files.scope) as session:
            export = comparison_exports.create_export(session, comparison_id, ExportFormat.CSV, None)
            key = comparisons.make_export_key(self.files.team.id, export.id)  # type: ignore[arg-type]  # ids of rows are plain
            export.state, export.blob_key, export.size_bytes = ComparisonState.DONE, key, len(content)
            export.file_name, export.media_type = file_name, "text/csv"
        self.files.app.recorded_blobs.put(key, content)
        return export.id
