"""A strict host: a real database for each process, emptied for each test; the whole app over it; the caller, by marker."""

import gc
from collections.abc import Generator, Iterator

import pytest
import structlog
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, settings
from sqlalchemy import Engine

from slowpath.adapters.postgres import create_postgres_engine
from slowpath.core.db_sessions import Database
from slowpath.platform.accounts.rules.roles import Role
from tests.factories.accounts import AccountsFactory, SomePerson, SomeTeam
from tests.support.app_under_test import AppUnderTest, built, one_loop, settings_for
from tests.support.databases import TestDatabase, shared_database
from tests.support.statements import Statements, counted

EXAMPLES = {"quick": 40, "thorough": 250}
"""Examples of each property, by Hypothesis profile: of `npm test`, and of the long proof `properties`."""


def pytest_configure() -> None:
    """Send our log lines to pytest, which shows those of a failed test. Unconfigured, structlog draws every local.

    What hypothesis draws first on a fresh machine waits seconds for its tables of letters: no failure of a test.
    """
    for profile, examples in EXAMPLES.items():
        settings.register_profile(
            profile, max_examples=examples, suppress_health_check=[HealthCheck.too_slow], deadline=None
        )
    settings.load_profile("quick")  # --hypothesis-profile is read afterwards
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(default=str),
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test marked `asked_by` once for each role it names."""
    marker = metafunc.definition.get_closest_marker("asked_by")
    if marker is not None and "role" in metafunc.fixturenames:
        metafunc.parametrize("role", [Role(name) for name in marker.args], ids=str)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes long."""
    items.sort(key=lambda item: item.get_closest_marker("takes_long") is None)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while tests are collected, and exclude modules and tests from it afterwards.

    They live until the end, and there are millions of objects: to look through them again and again took a third of the time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def migrated() -> Iterator[TestDatabase]:
    """Give this process's own database, at the newest migration."""
    with shared_database() as database:
        yield database


@pytest.fixture(scope="session")
def engine(migrated: TestDatabase) -> Iterator[Engine]:
    """Give an engine that signs in as the app does, and the loop over which the app is asked."""
    made = create_postgres_engine(settings_for(migrated.app_url))
    with one_loop():
        yield made
    made.dispose()


@pytest.fixture
def emptied(migrated: TestDatabase) -> TestDatabase:
    """Give the database without any row."""
    migrated.empty()
    return migrated


@pytest.fixture
def app(emptied: TestDatabase, engine: Engine) -> AppUnderTest:
    """Give the app over an empty database."""
    return built(Database(engine), settings_for(emptied.app_url))


@pytest.fixture
def people(app: AppUnderTest) -> AccountsFactory:
    """Give the maker of people and teams."""
    return AccountsFactory(app)


@pytest.fixture
def team(people: AccountsFactory) -> SomeTeam:
    """Give a team with its owner."""
    return people.team()


@pytest.fixture
def role() -> Role:
    """Say who asks; the marker `asked_by` names others."""
    return Role.OWNER


@pytest.fixture
def asker(people: AccountsFactory, team: SomeTeam, role: Role) -> SomePerson:
    """Give the person of the team who asks."""
    return team.owner if role is Role.OWNER else people.member(team, role)


@pytest.fixture
def client(app: AppUnderTest, asker: SomePerson) -> TestClient:
    """Give the browser of the user who sends the requests."""
    return app.asked(cookie=asker.cookie)


@pytest.fixture
def queries(engine: Engine) -> Iterator[Statements]:
    """Count the statements that a test causes."""
    with counted(engine) as statements:
        yield statements
