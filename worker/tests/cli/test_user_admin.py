"""`slowpath admin create-user`, `set-password`, `reset-second-factor` and `audit verify` against a real database."""

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from slowpath.core.encryption import create_sealer
from slowpath.platform.accounts.service.linked_identities import TOKEN_PURPOSE
from tests.support.app_under_test import AppUnderTest
from tests.support.databases import TestDatabase

pytestmark = [pytest.mark.database, pytest.mark.processes]


def admin(database: TestDatabase, *words: str, password: str = "a long enough one") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "slowpath_cli.main", "admin", *words],
        input=f"{password}\n",
        env={**os.environ, "DATABASE_URL": database.app_url, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )


def sign_in(app: AppUnderTest, password: str) -> int:
    answer = app.asked().post("/api/v1/session", json={"email": "jo@example.com", "password": password})
    status: int = answer.status_code
    return status


def test_a_user_is_created_and_the_password_is_reset(app: AppUnderTest, emptied: TestDatabase) -> None:
    made = admin(emptied, "create-user", "--email", "jo@example.com", "--name", "Jo", "--team", "Ingesters")
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith("jo@example.com owns the team ingesters-")
    assert sign_in(app, "a long enough one") == 201

    changed = admin(emptied, "set-password", "--email", "JO@example.com", password="another long one")
    assert (changed.returncode, changed.stdout) == (0, "Set the password of JO@example.com and ended 1 sessions.\n")
    assert [sign_in(app, "a long enough one"), sign_in(app, "another long one")] == [401, 201]


@pytest.mark.parametrize(
    ("words", "password", "code", "expected"),
    [
        (("create-user", "--email", "nobody", "--name", "Jo"), "a long enough one", 2, "--email"),
        (("create-user", "--email", "jo@example.com", "--name", " "), "a long enough one", 2, "--name"),
        (("create-user", "--email", "jo@example.com", "--name", "Jo"), "short", 2, "password"),
        (("set-password", "--email", "jo@example.com"), "a long enough one", 1, "No account has"),
    ],
)
def test_impossible_requests_are_rejected(
    emptied: TestDatabase, words: tuple[str, ...], password: str, code: int, expected: str
) -> None:
    done = admin(emptied, *words, password=password)
    assert (done.returncode, expected in done.stderr) == (code, True), done.stderr


def test_audit_logs_are_verified(app: AppUnderTest, emptied: TestDatabase) -> None:
    for name in ("ann", "bob"):
        assert admin(emptied, "create-user", "--email", f"{name}@example.com", "--name", name).returncode == 0
        assert admin(emptied, "reset-second-factor", "--email", f"{name}@example.com").returncode == 0
    intact = admin(emptied, "audit", "verify")
    lines = intact.stdout.splitlines()
    assert (intact.returncode, [line.split("-")[0] for line in lines]) == (0, ["ann", "bob"])
    slug, known = lines[0].partition(":")[0], lines[0].rpartition(" ")[2]
    after = admin(emptied, "audit", "verify", "--team", slug, "--after", known)
    assert (after.returncode, after.stdout) == (0, f"{slug}: 0 entries are intact, up to {known}\n")

    with psycopg.connect(emptied.admin_url, autocommit=True) as connection:
        connection.execute(
            "UPDATE audit_event SET details = '{}' WHERE sequence = 1 AND team_id = (SELECT id FROM team WHERE slug = %s)",
            (slug,),
        )
    broken = admin(emptied, "audit", "verify")
    assert broken.returncode == 1
    assert f"{slug}: entry 1 (" in broken.stderr
    assert "1 of 2 audit logs are broken" in broken.stderr
    for words in (("--after", known), ("--team", "none"), ("--team", slug, "--after", "x")):
        assert admin(emptied, "audit", "verify", *words).returncode == 2


def test_an_operator_learns_whether_a_key_can_be_removed(
    app: AppUnderTest, emptied: TestDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert admin(emptied, "create-user", "--email", "jo@example.com", "--name", "Jo").returncode == 0
    monkeypatch.delenv("SLOWPATH_SECRET_KEY", raising=False)
    assert admin(emptied, "renew-encryption").returncode == 2
    monkeypatch.setenv("SLOWPATH_SECRET_KEY", app.settings.secret_key.get_secret_value())
    monkeypatch.setenv("SLOWPATH_ENCRYPTION_KEYS", "1=the first key 16")
    assert sign_in(app, "a long enough one") == 201
    sealed = create_sealer(app.settings).seal("token", TOKEN_PURPOSE)
    with psycopg.connect(emptied.admin_url, autocommit=True) as connection:
        connection.execute("UPDATE user_session SET encrypted_id_token = %s", (sealed,))
    done = admin(emptied, "renew-encryption")
    assert (done.returncode, "former keys can be removed" in done.stdout) == (0, True), done.stderr
    monkeypatch.setenv("SLOWPATH_ENCRYPTION_KEYS", "2=the second key 16")
    lost = admin(emptied, "renew-encryption")
    assert (lost.returncode, "1 values cannot be decrypted" in lost.stderr) == (1, True)


def test_blobs_without_a_row_are_recorded_once(
    emptied: TestDatabase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert admin(emptied, "create-user", "--email", "jo@example.com", "--name", "Jo", "--team", "Jo").returncode == 0
    monkeypatch.delenv("BLOB_URL", raising=False)
    assert admin(emptied, "list-blobs").returncode == 2
    with psycopg.connect(emptied.admin_url) as connection:
        team_id = connection.execute("SELECT id FROM team").fetchall()[0][0]
    file = tmp_path / str(team_id) / "files" / ("a" * 64)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"left behind")
    monkeypatch.setenv("BLOB_URL", tmp_path.as_uri())
    first, again = admin(emptied, "list-blobs"), admin(emptied, "list-blobs")
    assert (first.returncode, first.stdout.split(" without")[0]) == (0, "Recorded 1 blobs"), first.stderr
    assert again.stdout.startswith("Recorded 0 blobs")
