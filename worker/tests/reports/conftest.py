"""A bench with the real helper, and the browser of a team, as for decoding."""

from tests.conftest import (  # noqa: F401 - pytest finds fixtures by name
    app,
    asker,
    client,
    emptied,
    engine,
    migrated,
    people,
    role,
    team,
)
from tests.jobs.conftest import bench as plain_bench  # noqa: F401 - as above
from tests.tasks.conftest import bench, settings  # noqa: F401 - as above
