"""What must hold after the faults: everything acknowledged is there, complete, and each blob of the store has a row."""

import hashlib
import os
import time

import psycopg

import slowpath.metadata
from proofs.faults_load import FaultsLoad
from proofs.faults_stack import Stack, admin_url
from slowpath.adapters.obstore_blobs import ObstoreBlobs
from slowpath.adapters.postgres import create_postgres_engine
from slowpath.core.db_sessions import Database, TeamScope
from slowpath.core.ids import TeamId
from slowpath.core.settings import read_settings
from slowpath.evidence.metrics.service.series_reader import SeriesSelector, select_all
from support.s3_server import BUCKET, s3_environment

assert slowpath.metadata.FEATURES  # rows refer to tables of features that are not named here

PATIENCE_SECONDS = 60.0
HOUR_MS = 3_600_000


def judge(stack: Stack, load: FaultsLoad, team_id: TeamId) -> list[str]:
    """Return what is wrong with what was acknowledged."""
    wrong = _wait_until_done(stack)
    with load.client() as client:
        for artifact_id, sha256 in load.files.items():
            body = client.get(f"/artifacts/{artifact_id}").json()
            if body.get("state") != "decoded":
                wrong.append(f"artifact {artifact_id} is {body.get('state')}: {body.get('problem')}")
            if hashlib.sha256(client.get(f"/artifacts/{artifact_id}/original").content).hexdigest() != sha256:
                wrong.append(f"artifact {artifact_id} has other bytes")
        for comparison_id in load.comparisons:
            body = client.get(f"/comparisons/{comparison_id}").json()
            if body.get("state") != "done":
                wrong.append(f"comparison {comparison_id} is {body.get('state')}: {body.get('problem')}")
        count = len(client.get("/comparisons?limit=200").json()["items"])
        if count != len(load.comparisons):
            wrong.append(f"{count} comparisons were made, {len(load.comparisons)} acknowledged")
    engine = create_postgres_engine(read_settings(), pool_size=1)
    with Database(engine).reading(TeamScope(team_id)) as session:
        (found,) = select_all(session, [SeriesSelector("up")], 0, int(time.time() * 1000) + HOUR_MS)
    engine.dispose()
    there = {
        at: value
        for data in found
        if data.values is not None
        for at, value in zip(data.times_ms.tolist(), data.values.tolist(), strict=True)
    }
    lost = [at for at, value in load.samples.items() if there.get(at) != value]
    strange = [at for at, value in there.items() if load.sent_samples.get(at) != value]
    wrong += [f"{len(lost)} acknowledged samples are lost or other"] if lost else []
    wrong += [f"{len(strange)} samples were never sent"] if strange else []
    return wrong + _compare_store(stack, team_id)


def _compare_store(stack: Stack, team_id: TeamId) -> list[str]:
    """Return blobs without a row: nothing would ever delete them."""
    if "S3" not in stack.proxies:
        return []
    os.environ.update(s3_environment(stack.proxies["S3"].port))
    stored = {blob.key for page in ObstoreBlobs(f"s3://{BUCKET}").listed(str(team_id)) for blob in page}
    with psycopg.connect(admin_url(), autocommit=True) as admin:
        rows = {key for (key,) in admin.execute("SELECT key FROM stored_blob WHERE team_id = %s", (team_id,))}
    without = stored - rows
    return (
        [f"{len(without)} of {len(stored)} blobs have no row: {sorted(without)[:3]}"] if without or not stored else []
    )


def _wait_until_done(stack: Stack) -> list[str]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    left: list[tuple[str, ...]] = []
    while time.monotonic() < deadline:
        stack.look_after(0.3)
        with psycopg.connect(admin_url(), autocommit=True) as admin:
            left = admin.execute(
                "SELECT name, state, problem::text FROM job WHERE state IN ('waiting', 'running')"
                " AND name IN ('artifacts.decode', 'comparisons.compute')"
            ).fetchall()
        if not left:
            return []
    return [f"{len(left)} jobs are not done {PATIENCE_SECONDS:.0f} s after the last fault: {left[:3]}"]
