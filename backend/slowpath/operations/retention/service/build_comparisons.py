"""Delete the comparisons of builds whose artifacts are gone: they are evidence of a build, not a user's."""

from slowpath.core.db_sessions import WriteSession
from slowpath.verdicts.comparisons.service import comparisons

BATCH_SIZE = 100


def delete_unused_build_comparisons(session: WriteSession) -> int:
    """Delete a batch; return their number, 0 if none is left."""
    found = comparisons.list_build_comparisons_without_artifacts(session, BATCH_SIZE)
    for comparison_id in found:
        comparisons.delete_comparison(session, comparison_id)
    return len(found)
