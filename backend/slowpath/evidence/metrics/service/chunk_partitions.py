"""Monthly partitions of chunks: created in advance, dropped when no team retains their samples."""

from collections.abc import Sequence

from sqlalchemy import Connection

from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.rules import MONTHS_AHEAD


def maintain_partitions(cross_team: Connection) -> Sequence[tuple[str, str]]:
    """Create the partitions of the coming months and drop those that are expired for every team.

    Returns the partitions with "made" or "dropped". "busy" means that the table was locked too long and nothing was done;
    the next run will try again. `cross_team` has the role `slowpath_cross_team`.
    """
    done = queries.maintain_chunk_partitions(cross_team, MONTHS_AHEAD)
    busy = [each for each in done if each[1] == "busy"]
    return busy or done
