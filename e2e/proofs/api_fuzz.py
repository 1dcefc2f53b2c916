"""schemathesis over the whole API of a running stack: nothing may be a fault of ours, every answer as described.

`python -m proofs.api_fuzz --seconds N --seed N` is the long proof, beside `bootstrap.py services`.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from slowpath.adapters.postgres import create_postgres_engine
from slowpath.adapters.system_clock import SystemClock
from slowpath.core.db_sessions import Database
from tests.factories.accounts import AccountsFactory
from tests.support.app_under_test import built, settings_for
from tests.support.databases import TestDatabase, made_database
from tests.support.running_stacks import RunningStack, reported_faults, running_stack

SCHEMATHESIS = str(Path(sys.executable).with_name("schemathesis"))
HOOKS = Path(__file__).with_name("api_fuzz_hooks.py")
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "unsupported_method",
    "use_after_free",
)
"""Not `positive_data_acceptance`: what fits the shapes may still name what there is not. Not `ignored_auth`: every
endpoint is asked by everybody in the tests of separation."""
REJECTED = ("400", "401", "403", "404", "405", "406", "409", "413", "415", "422", "428", "429", "5xx")
"""How data that breaks the shapes may be refused: what schemathesis expects, and 413, since a text that is too long may make
the whole body too large."""
CONFIGURATION = f"[checks.negative_data_rejection]\nexpected-statuses = {json.dumps(REJECTED)}\n"
SPARED = 100
LINE_LETTERS = 300
"""Of a line of output: requests may be very long."""


@dataclass(frozen=True)
class SchemathesisRun:
    """The output of schemathesis."""

    code: int
    output: str


def ask(
    stack: RunningStack, database: TestDatabase, *, examples: int, seconds: float, seed: int, more: Sequence[str] = ()
) -> SchemathesisRun:
    """Let schemathesis ask the stack as a team's owner."""
    settings = settings_for(database.app_url)
    engine = create_postgres_engine(settings)
    app = built(Database(engine), settings)
    app.clock.at = SystemClock().now()  # of the sign-ins: sensitive changes need a recent one
    people = AccountsFactory(app)
    owner, spared = people.team().owner, [people.team().owner.cookie for _ in range(SPARED)]
    engine.dispose()
    command = [
        SCHEMATHESIS,
        "run",
        f"{stack.address}/api/v1/openapi.json",
        f"--url={stack.address}",
        f"--checks={','.join(CHECKS)}",
        f"--max-examples={examples}",
        f"--max-time={max(10, int(seconds))}",
        f"--seed={seed}",
        f"--header=Cookie:slowpath={owner.cookie}",
        f"--header=Origin:{stack.address}",
        "--exclude-operation-id=events:stream",  # its answer does not end
        "--exclude-operation-id=updates:stream",
        "--suppress-health-check=all",
        "--generation-database=none",
        "--continue-on-failure",
        "--warnings=off",
        "--workers=1",  # with more, two threads meet in Python's own parser, which 3.11 does not stand
        "--generation-with-security-parameters=false",
        "--no-color",
        "--request-timeout=20",
        *more,
    ]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": str(HOOKS), "SPARED_COOKIES": json.dumps(spared)}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "schemathesis.toml").write_text(CONFIGURATION, encoding="ascii")
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).splitlines()
    return SchemathesisRun(done.returncode, "\n".join(line[:LINE_LETTERS] for line in lines))


def main() -> int:
    """Ask for as long as there is time."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=600.0)
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    options.add_argument("--examples", type=int, default=1000)
    asked = options.parse_args()
    with made_database(f"slowpath_api_{os.getpid()}") as database, tempfile.TemporaryDirectory() as folder:
        database.migrate()
        with running_stack(database, Path(folder)) as stack:
            result = ask(stack, database, examples=asked.examples, seconds=asked.seconds, seed=asked.seed)
            faults = reported_faults(stack.folder)
    sys.stdout.write("\n".join([result.output[-20_000:], *faults[:20], f"seed {asked.seed}", ""]))
    good = result.code == 0 and not faults
    sys.stdout.write(f"{int(good)} passed, {int(not good)} failed\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
