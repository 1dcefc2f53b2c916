"""The months of packed samples: each is a partition, made before it is needed, dropped when no team keeps anything of it."""

from collections.abc import Sequence

from sqlalchemy import Connection

from slowpath.metrics import queries
from slowpath.metrics.rules import MONTHS_AHEAD


def tidy(door: Connection) -> Sequence[tuple[str, str]]:
    """Make the partitions of the months to come and drop those that are too old for every team.

    Returns which, and "made" or "dropped"; one "busy" means that others held the table too long, and nothing was done: the
    next time will do. `door` has stepped into `slowpath_door`.
    """
    done = queries.tidy_parts(door, MONTHS_AHEAD)
    busy = [each for each in done if each[1] == "busy"]
    return busy or done
