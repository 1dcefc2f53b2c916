"""In which files what regressed stands: the tables of functions of the comparison that a bisect began with tell it."""

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


def tables(session: ReadSession, row: Bisect) -> list[BlobKey]:
    """Return where the tables of functions lie."""
    comparison = bisect_proposals.get_source_comparison(session, row)
    views = [] if comparison is None else diff_views.views(session, [comparison.id])[comparison.id]
    return [BlobKey(one.functions_key) for one in views if one.functions_key and one.granularity == "function"][
        :MOST_TABLES
    ]


def with_files(ground: PlanInputs, keys: Sequence[BlobKey], blobs: BlobStore) -> PlanInputs:
    """Return the ground with the files of the regressed functions. A table that can not be read tells of none."""
    regressed, found = ground.regressed, list[str]()
    for key in keys:
        try:
            table = gzip.decompress(blobs.read(key))
            found += files_of(table, regressed.functions, regressed.main_directory)
        except (NotFound, ColumnFileError, OSError, EOFError, zlib.error):
            continue
    return replace(ground, regressed=replace(regressed, files=tuple(dict.fromkeys((*regressed.files, *found)))))
