"""The row of a decoded profile, and the place of its columns."""

from dataclasses import replace

import pytest

from slowpath.analysis.kinds.registry import PROFILE
from slowpath.core.ids import ArtifactId
from slowpath.evidence.kind_registry import columns_keys
from slowpath.evidence.profiles.service import profiles as service
from slowpath.evidence.profiles.tables import Profile
from slowpath.units import Nanoseconds
from tests.factories.accounts import SomeTeam
from tests.factories.files import HEADER, FilesFactory
from tests.support.app_under_test import AppUnderTest

pytestmark = pytest.mark.database


@pytest.fixture
def files(app: AppUnderTest, team: SomeTeam) -> FilesFactory:
    return FilesFactory(app, team)


def test_columns_lie_under_team_version_and_hash(team: SomeTeam) -> None:
    key = service.columns_key(team.id, "abcdef")

    assert key == f"{team.id}/profiles/v{service.COLUMNS_VERSION}/ab/abcdef"


def test_decoding_again_replaces_what_was_written_down(files: FilesFactory) -> None:
    artifact_id = ArtifactId(files.decoded())
    key = service.columns_key(files.team.id, "other")

    with files.app.database.writing(files.scope) as session:
        service.record(session, artifact_id, replace(HEADER, warnings=("cut",)), key, 7)
    with files.app.database.reading(files.scope) as session:
        row = session.get_one(Profile, (files.team.id, artifact_id))
        assert (row.warnings, row.columns_key, row.columns_bytes) == (["cut"], key, 7)
        assert row.counts["truncated_samples"] == 0


def test_artifacts_without_a_profile_have_no_columns(files: FilesFactory) -> None:
    decoded, received = ArtifactId(files.decoded()), ArtifactId(files.received())

    with files.app.database.reading(files.scope) as session:
        keys = columns_keys(session, [decoded, received])
        assert [kind for kind, _ in keys[decoded]] == [PROFILE]
        assert not keys[received]
        assert columns_keys(session, []) == {}


def test_the_largest_numbers_of_a_profile_can_be_stored(files: FilesFactory) -> None:
    artifact_id = ArtifactId(files.received())
    most = replace(HEADER, time_ns=Nanoseconds(2**63 - 1), duration_ns=Nanoseconds(-(2**63)), period=2**63 - 1)

    with files.app.database.writing(files.scope) as session:
        service.record(session, artifact_id, most, service.columns_key(files.team.id, "x"), 1)

    assert service.summary(most)["time_ns"] == 2**63 - 1
