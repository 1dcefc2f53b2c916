"""A program that pushes, what a team has stored, and the fold that a worker would do."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient
from httpx2 import Response

from slowpath.analysis.kinds.metrics.samples.sample_compaction import compact_chunk
from slowpath.analysis.kinds.metrics.samples.series_data import SeriesData
from slowpath.core.db_sessions import TeamScope
from slowpath.evidence.metrics.service import chunk_compaction
from slowpath.evidence.metrics.service.series_reader import SeriesSelector, select_all
from slowpath.platform.accounts.rules.roles import TokenScope
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.remote_write import V1_HEADERS, Sent, v1
from tests.support.app_under_test import AppUnderTest

NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""

Push = Callable[..., Response]
Stored = Callable[..., list[SeriesData]]
Fold = Callable[[], bool]


@pytest.fixture
def program(app: AppUnderTest, people: AccountsFactory, team: SomeTeam) -> TestClient:
    return app.asked(token=people.token(team, TokenScope.UPLOAD).secret)


@pytest.fixture
def push1(program: TestClient) -> Push:
    def send(*series: Sent) -> Response:
        answer: Response = program.post("/api/v1/metrics/write", content=v1(series), headers=V1_HEADERS)
        return answer

    return send


@pytest.fixture
def stored(app: AppUnderTest, team: SomeTeam) -> Stored:
    def read(name: str = "up", from_ms: int = 0, to_ms: int = 2 * NOW_MS, **equal: str) -> list[SeriesData]:
        with app.database.reading(TeamScope(team.id)) as session:
            return select_all(session, [SeriesSelector(name, equal)], from_ms, to_ms)[0]

    return read


@pytest.fixture
def fold_all(app: AppUnderTest, team: SomeTeam) -> Fold:
    """Do what the worker does, as often as there is something to do; return whether there was."""

    def run(most: int = 1_000_000) -> bool:
        done = False
        while True:
            with app.database.reading(TeamScope(team.id)) as session:
                gathered = chunk_compaction.gather_wal_samples(session, most)
            if gathered is None:
                return done
            folded = list(compact_chunk(gathered.sorted_out))
            with app.database.writing(TeamScope(team.id)) as session:
                assert chunk_compaction.replace_wal_with_chunks(session, gathered, folded)
                chunk_compaction.enqueue_next_compaction(session, gathered, recorded=True)
            done = True

    return run
