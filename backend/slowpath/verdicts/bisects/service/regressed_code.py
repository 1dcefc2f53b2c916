"""What regressed of a regression or comparison: the evidence that commits are ranked by, in every list and in a bisect."""

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from slowpath.analysis.bisect.commit_suspicion import RegressedCode
from slowpath.analysis.builds.regressed_files import files_of
from slowpath.analysis.findings.findings import Finding
from slowpath.analysis.formats.column_file import ColumnFileError
from slowpath.analysis.formats.go_function_names import is_standard
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import NotFound
from slowpath.core.ids import BlobKey, ComparisonId, RegressionId, ServiceId
from slowpath.core.ports import BlobStore
from slowpath.inventory.repositories.errors import RepositoryNotLinked
from slowpath.inventory.repositories.service import commit_graph
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.comparisons.errors import ComparisonNotFound
from slowpath.verdicts.comparisons.service import comparison_results, comparisons, diff_views
from slowpath.verdicts.comparisons.tables import Comparison
from slowpath.verdicts.regressions.errors import RegressionNotFound
from slowpath.verdicts.regressions.service import regression_views
from slowpath.verdicts.regressions.tables import Regression

MOST_FUNCTIONS: Final = 200
MOST_FILES: Final = 200
MOST_TABLES: Final = 8
FUNCTION_KINDS: Final = frozenset({"profile.function", "growth.count"})


@dataclass(frozen=True)
class RegressedSubject:
    """A regression, a comparison, or the function that a bisect measures."""

    regression_id: UUID | None = None
    comparison_id: UUID | None = None
    function: str = ""


def subject_of(row: Bisect) -> RegressedSubject:
    """Return what a bisect searches the cause of."""
    is_function = row.signature.get("kind") in FUNCTION_KINDS
    function = str(row.signature.get("subject") or "") if is_function else ""
    return RegressedSubject(row.regression_id, row.comparison_id, function)


def find_regressed_code(session: ReadSession, subject: RegressedSubject) -> RegressedCode:
    """Return the functions that got slower, from the regression and its comparison."""
    functions: list[str] = []
    found = _find_regression(session, subject.regression_id)
    if found is not None:
        series = [(str(one["kind"]), str(one["subject"])) for one in found.related_series]
        functions += [name for kind, name in ((found.kind, found.subject), *series) if kind in FUNCTION_KINDS]
    comparison = _find_source_comparison(session, subject)
    for one in list_worse_findings(comparison) if comparison is not None else ():
        if one.kind in FUNCTION_KINDS:
            functions.append(one.subject)
        for caller in one.attributed_callers:
            functions += [name for name in (caller.function, *caller.path) if name]
    named = [one for one in dict.fromkeys((*functions, subject.function)) if "." in one]
    return RegressedCode(named[:MOST_FUNCTIONS])


def read_regressed_code(
    session: ReadSession, blobs: BlobStore, service_id: ServiceId, subject: RegressedSubject
) -> RegressedCode:
    """Return the functions that got slower, with their files."""
    try:
        built = commit_graph.get_service_source(session, service_id)
    except RepositoryNotLinked:
        return find_regressed_code(session, subject)
    folder = "/".join(filter(None, (built.directory, built.main_package)))
    regressed = replace(find_regressed_code(session, subject), main_directory=folder)
    return add_function_files(regressed, list_function_tables(session, subject), blobs)


def list_function_tables(session: ReadSession, subject: RegressedSubject) -> list[BlobKey]:
    """Return the blob keys of the function tables of the comparison."""
    comparison = _find_source_comparison(session, subject)
    views = [] if comparison is None else diff_views.list_views(session, [comparison.id])[comparison.id]
    return [BlobKey(one.functions_key) for one in views if one.functions_key and one.granularity == "function"][
        :MOST_TABLES
    ]


def add_function_files(regressed: RegressedCode, keys: Sequence[BlobKey], blobs: BlobStore) -> RegressedCode:
    """Return the code with the files of its functions.

    Tables are read until each function is in one. Unreadable tables are skipped.
    """
    files_by_function: dict[str, list[str]] = {}
    for key in keys:
        left = [one for one in regressed.functions if one not in files_by_function and not is_standard(one)]
        if not left:
            break
        try:
            table = gzip.decompress(blobs.read(key))
            files_by_function.update(files_of(table, left, regressed.main_directory))
        except (NotFound, ColumnFileError, OSError, EOFError, zlib.error):
            continue
    found = dict.fromkeys(each for one in regressed.functions for each in files_by_function.get(one, ()))
    return replace(regressed, files=tuple(dict.fromkeys((*regressed.files, *list(found)[:MOST_FILES]))))


def find_comparison(session: ReadSession, comparison_id: UUID | None) -> Comparison | None:
    """Return a comparison, or None if there is none or it was deleted."""
    if comparison_id is None:
        return None
    try:
        return comparisons.get_comparison(session, ComparisonId(comparison_id))
    except ComparisonNotFound:
        return None


def list_worse_findings(row: Comparison) -> list[Finding]:
    """Return the findings of a comparison that are regressions."""
    return [one for one in comparison_results.list_findings(row) if one.direction == "worse"]


def _find_source_comparison(session: ReadSession, subject: RegressedSubject) -> Comparison | None:
    """Return the comparison of a subject, or that of its regression."""
    found = _find_regression(session, subject.regression_id)
    return find_comparison(session, subject.comparison_id or (found.comparison_id if found is not None else None))


def _find_regression(session: ReadSession, regression_id: UUID | None) -> Regression | None:
    if regression_id is None:
        return None
    try:
        return regression_views.get_regression(session, RegressionId(regression_id))
    except RegressionNotFound:
        return None
