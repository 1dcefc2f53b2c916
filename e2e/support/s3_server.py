"""A real S3 server for proofs: gofakes3 as a Go module, with its data in a file, so that it can be killed."""

import os
import subprocess
from pathlib import Path

from bootstrap_parts.install_steps import find_go, go_environment
from support.debian_packages import TOOLS

SOURCE = Path(__file__).with_name("s3server")
BUCKET = "slowpath"


def s3_server_binary() -> Path | None:
    """Return the program, built once; None without Go or its modules."""
    program, go = TOOLS / "s3server", find_go()
    if program.exists():
        return program
    if go is None:
        return None
    TOOLS.mkdir(parents=True, exist_ok=True)
    built = subprocess.run(
        [str(go), "build", "-o", str(program), "."],
        cwd=SOURCE,
        env={**os.environ, **go_environment()},
        capture_output=True,
        timeout=240,
        check=False,
    )
    return program if built.returncode == 0 else None


def s3_environment(port: int) -> dict[str, str]:
    """Return the settings of a process whose blobs are in the server."""
    return {
        "BLOB_URL": f"s3://{BUCKET}",
        "AWS_ENDPOINT": f"http://127.0.0.1:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "slowpath",
        "AWS_SECRET_ACCESS_KEY": "slowpath",
    }
