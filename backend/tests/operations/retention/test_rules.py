"""Which owner a blob key names, under which rule a file is retained, and the limits of the rules."""

from uuid import UUID

import pytest

from slowpath.operations.retention.rules import (
    DEFAULT_DAYS,
    FILE_KINDS,
    KINDS,
    UNREAD,
    BlobFolder,
    BlobOwner,
    folder_of,
    max_days,
    min_days,
    owner_of,
    rule_kind,
)

TEAM = UUID(int=1)
ROW = UUID(int=2)
HASH = "ab" * 32


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        (f"originals/{HASH}", BlobOwner(BlobFolder.ORIGINALS, sha256=HASH)),
        (f"profiles/3/{HASH}", BlobOwner(BlobFolder.PROFILES, sha256=HASH)),
        (f"spans/{HASH}/traces", BlobOwner(BlobFolder.SPANS, sha256=HASH)),
        (f"comparisons/{ROW}/result", BlobOwner(BlobFolder.COMPARISONS, row_id=ROW)),
        (f"parts/{ROW}/1", BlobOwner(BlobFolder.PARTS, row_id=ROW)),
        (f"reports/{ROW}", BlobOwner(BlobFolder.REPORTS, row_id=ROW)),
    ],
)
def test_a_key_names_the_file_or_the_row_that_owns_the_blob(path: str, owner: BlobOwner) -> None:
    assert owner_of(f"{TEAM}/{path}") == owner


@pytest.mark.parametrize(
    "key",
    [
        str(TEAM),
        f"{TEAM}/originals",
        f"{TEAM}/elsewhere/{HASH}",
        f"{TEAM}/originals/{HASH[:-1]}",
        f"{TEAM}/reports/not-an-id",
        f"{TEAM}/comparisons/{HASH}",
    ],
)
def test_a_key_of_an_unknown_form_has_no_owner_and_so_is_never_deleted(key: str) -> None:
    assert owner_of(key) is None


def test_the_folder_follows_the_team() -> None:
    assert folder_of(f"{TEAM}/originals/{HASH}") == "originals"
    assert folder_of(f"{TEAM}/{HASH}") == ""


@pytest.mark.parametrize("kind", [None, "", "profile.unknown", "metrics", "audit"])
def test_a_file_of_an_unknown_kind_follows_the_rule_of_unread_files(kind: str | None) -> None:
    assert rule_kind(kind) == UNREAD


@pytest.mark.parametrize("kind", FILE_KINDS)
def test_a_file_of_a_known_kind_follows_its_own_rule(kind: str) -> None:
    assert rule_kind(kind) == kind


@pytest.mark.parametrize("kind", KINDS)
def test_every_default_is_a_value_that_may_be_set(kind: str) -> None:
    default = DEFAULT_DAYS[kind]
    assert min_days(kind) <= max_days(kind)
    assert default is None or min_days(kind) <= default <= max_days(kind)


def test_no_file_expires_by_default() -> None:
    assert {kind for kind, days in DEFAULT_DAYS.items() if days is not None} == {"metrics"}
