"""Which owner a blob key names, under which rule a file is retained, and the limits of the rules."""

from uuid import UUID

import pytest

from slowpath.evidence.kind_registry import blob_folders
from slowpath.operations.retention.rules import (
    BlobFolder,
    BlobOwner,
    RetentionLimits,
    owner_of,
)
from slowpath.operations.retention.service.retention_rules import limits_by_kind

TEAM = UUID(int=1)
ROW = UUID(int=2)
HASH = "ab" * 32


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        (f"originals/{HASH}", BlobOwner(BlobFolder.ORIGINALS, sha256=HASH)),
        (f"profiles/3/{HASH}", BlobOwner("profiles", sha256=HASH)),
        (f"spans/{HASH}/traces", BlobOwner("spans", sha256=HASH)),
        (f"comparisons/{ROW}/result", BlobOwner(BlobFolder.COMPARISONS, row_id=ROW)),
        (f"parts/{ROW}/1", BlobOwner(BlobFolder.PARTS, row_id=ROW)),
        (f"reports/{ROW}", BlobOwner(BlobFolder.REPORTS, row_id=ROW)),
    ],
)
def test_a_key_names_the_file_or_the_row_that_owns_the_blob(path: str, owner: BlobOwner) -> None:
    assert owner_of(f"{TEAM}/{path}", blob_folders()) == owner


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
    assert owner_of(key, blob_folders()) is None


@pytest.mark.parametrize(("kind", "limits"), limits_by_kind().items())
def test_every_default_is_a_value_that_may_be_set(kind: str, limits: RetentionLimits) -> None:
    assert limits.min_days <= limits.max_days
    assert limits.default_days is None or limits.min_days <= limits.default_days <= limits.max_days
    assert limits.default_days is not None or limits.can_be_unlimited


def test_no_file_expires_by_default() -> None:
    assert {kind for kind, limits in limits_by_kind().items() if limits.default_days is not None} == {"metrics"}
