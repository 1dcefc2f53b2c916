"""The months of packed samples: each is a partition, made before it is needed, dropped when no team keeps anything of it."""

from collections.abc import Sequence

from sqlalchemy import Connection

from slowpath.evidence.metrics import queries
from slowpath.evidence.metrics.rules import MONTHS_AHEAD


def maintain_partitions(cross_team: Connection) -> Sequence[tuple[str, str]]:
    """Make the partitions of the months to come and drop those that are too old for every team.

    Returns which, and "made" or "dropped"; one "busy" means that others held the table too long, and nothing was done: the
    next time will do. `cross_team` has stepped into `slowpath_cross_team`.
    """
    done = queries.maintain_chunk_partitions(cross_team, MONTHS_AHEAD)
    busy = [each for each in done if each[1] == "busy"]
    return busy or done
