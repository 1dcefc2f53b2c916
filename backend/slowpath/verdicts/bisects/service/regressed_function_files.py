"""Files of regressed functions, from the function tables of the comparison of a bisect."""

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import replace

from slowpath.analysis.builds.regressed_files import files_of
from slowpath.analysis.formats.column_file import ColumnFileError
from slowpath.core.db_sessions import ReadSession
from slowpath.core.errors import NotFound
from slowpath.core.ids import BlobKey
from slowpath.core.ports import BlobStore
from slowpath.verdicts.bisects.service import bisect_proposals
from slowpath.verdicts.bisects.service.search_planner import PlanInputs
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.comparisons.service import diff_views

MOST_TABLES = 8


def list_function_tables(session: ReadSession, row: Bisect) -> list[BlobKey]:
    """Return the blob keys of the function tables."""
    comparison = bisect_proposals.get_source_comparison(session, row)
    views = [] if comparison is None else diff_views.list_views(session, [comparison.id])[comparison.id]
    return [BlobKey(one.functions_key) for one in views if one.functions_key and one.granularity == "function"][
        :MOST_TABLES
    ]


def add_function_files(ground: PlanInputs, keys: Sequence[BlobKey], blobs: BlobStore) -> PlanInputs:
    """Return the plan inputs with the files of regressed functions. Unreadable tables are skipped."""
    regressed, found = ground.regressed, list[str]()
    for key in keys:
        try:
            table = gzip.decompress(blobs.read(key))
            found += files_of(table, regressed.functions, regressed.main_directory)
        except (NotFound, ColumnFileError, OSError, EOFError, zlib.error):
            continue
    return replace(ground, regressed=replace(regressed, files=tuple(dict.fromkeys((*regressed.files, *found)))))
