"""A program that pushes, what a team has stored, and the fold that a worker would do."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient
from httpx import Response

from slowpath.accounts.rules.roles import TokenScope
from slowpath.analysis.metrics.folding import fold
from slowpath.analysis.metrics.series import SeriesData
from slowpath.core.sessions import Scope
from slowpath.metrics.service import folding
from slowpath.metrics.service.reading import Selector, select
from tests.factories.accounts import AccountsFactory, SomeTeam
from tests.factories.remote_write import V1_HEADERS, Sent, v1
from tests.support.house import House

NOW_MS = 1_795_262_400_000
"""The frozen clock's time."""

Push = Callable[..., Response]
Stored = Callable[..., list[SeriesData]]
Fold = Callable[[], bool]


@pytest.fixture
def program(house: House, people: AccountsFactory, team: SomeTeam) -> TestClient:
    return house.asked(token=people.token(team, TokenScope.UPLOAD).secret)


@pytest.fixture
def push1(program: TestClient) -> Push:
    def send(*series: Sent) -> Response:
        answer: Response = program.post("/api/v1/metrics/write", content=v1(series), headers=V1_HEADERS)
        return answer

    return send


@pytest.fixture
def stored(house: House, team: SomeTeam) -> Stored:
    def read(name: str = "up", from_ms: int = 0, to_ms: int = 2 * NOW_MS, **equal: str) -> list[SeriesData]:
        with house.database.reading(Scope(team.id)) as session:
            return select(session, Selector(name, equal), from_ms, to_ms)

    return read


@pytest.fixture
def fold_all(house: House, team: SomeTeam) -> Fold:
    """Do what the worker does, as often as there is something to do; tell whether there was."""

    def run(most: int = 1_000_000) -> bool:
        done = False
        while True:
            with house.database.reading(Scope(team.id)) as session:
                gathered = folding.gather(session, most)
            if gathered is None:
                return done
            folded = list(fold(gathered.sorted_out, gathered.there))
            with house.database.writing(Scope(team.id)) as session:
                assert folding.record(session, gathered, folded)
                folding.go_on(session, gathered, recorded=True)
            done = True

    return run
