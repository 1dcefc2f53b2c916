"""A small round of the kill proof: each kind of process is killed once. The long one is `npm run test:long -- kills`."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bootstrap.start_process import BOOTSTRAP, environment_of

pytestmark = pytest.mark.processes

DECODES = 12


@pytest.mark.takes_long
@pytest.mark.database
def test_no_decode_is_lost_or_doubled_whatever_is_killed(tmp_path: Path) -> None:
    proof = [sys.executable, "-m", "proofs.kill_proof", "--decodes", str(DECODES), "--kills", "5"]

    done = subprocess.run(
        [*BOOTSTRAP, "services", "--", *proof],
        env=environment_of(tmp_path, 0),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-6000:]}"
    assert "1 passed, 0 failed" in done.stdout
