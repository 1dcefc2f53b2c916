"""Delete the comparisons of builds whose artifacts are gone: they are evidence of a build, not a user's."""

from slowpath.core.db_sessions import WriteSession
from slowpath.core.ids import BlobKey
from slowpath.verdicts.comparisons.service import comparisons

BATCH_SIZE = 100


def delete_unused_build_comparisons(session: WriteSession) -> tuple[int, list[BlobKey]]:
    """Delete a batch; return their number (0 if none is left) and their blob keys, to delete after the commit."""
    found = comparisons.list_build_comparisons_without_artifacts(session, BATCH_SIZE)
    keys = [key for comparison_id in found for key in comparisons.delete_comparison(session, comparison_id)]
    return len(found), keys
