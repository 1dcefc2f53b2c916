"""A real S3 server for proofs: gofakes3 as a Go module, with its data in a file, so that it can be killed."""

from pathlib import Path

from support.go_programs import built_program

SOURCE = Path(__file__).with_name("s3server")
BUCKET = "slowpath"


def s3_server_binary() -> Path | None:
    """Return the program, built once; None without Go or its modules."""
    return built_program(SOURCE)


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
