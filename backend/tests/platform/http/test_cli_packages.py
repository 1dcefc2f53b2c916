"""The command line as a file: served if it was built, else an error that says how."""

from pathlib import Path

import pytest
from sqlalchemy import Engine

from slowpath.core.db_sessions import Database
from tests.support.app_under_test import AppUnderTest, built, settings_for
from tests.support.databases import TestDatabase

pytestmark = pytest.mark.database


def test_a_file_that_was_not_built_is_reported(app: AppUnderTest) -> None:
    missing = app.asked().get("/cli/linux-amd64")
    assert missing.status_code == 404
    assert "npm run package" in missing.text
    assert app.asked().get("/cli").json() == {"platforms": []}


def test_the_built_file_is_served_without_a_sign_in(emptied: TestDatabase, engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "slowpath-linux-amd64").write_bytes(b"#!/bin/sh\n" * 300)
    client = built(Database(engine), settings_for(emptied.app_url, cli_packages=tmp_path)).asked()
    served = client.get("/cli/linux-amd64")
    assert (served.status_code, served.content) == (200, b"#!/bin/sh\n" * 300)
    assert "content-encoding" not in served.headers, "it is compressed already"
    assert client.get("/cli/linux-arm64").status_code == 404
    assert client.get("/cli").json() == {"platforms": ["linux-amd64"]}
