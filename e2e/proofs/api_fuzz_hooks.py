"""Hooks of schemathesis: requests that end a session, a permission or a team are sent as a disposable user."""

import json
import os
from itertools import cycle
from typing import Any

import schemathesis

ENDING = {
    "session:create",
    "session:delete",
    "sessions:delete",
    "sessions:delete-all",
    "users:update",
    "users:change-password",
    "users:sign-up",
    "teams:delete",
    "teams:update",
    "members:update",
    "members:delete",
}
MOST_LETTERS = 5_000
"""Each may take twelve bytes."""
SPARED = cycle(json.loads(os.environ["SPARED_COOKIES"]))


@schemathesis.serializer("application/x-protobuf")
def as_it_is(_context: Any, value: Any) -> bytes | None:  # noqa: ANN401 - as schemathesis has it
    """Send bytes where protobuf is asked for; what they hold is left to the fuzzing of the readers."""
    content = getattr(value, "data", value)
    return content if isinstance(content, bytes) else str(content).encode("utf-8", "replace")


@schemathesis.hook
def before_call(_context: Any, case: Any, _kwargs: Any) -> None:  # noqa: ANN401 - as schemathesis has it
    """Send the request as a disposable user where it would end our own session."""
    operation_id = case.operation.definition.raw.get("operationId")
    if operation_id in ENDING:
        case.headers["Cookie"] = f"slowpath={next(SPARED)}"


@schemathesis.hook
def filter_case(_context: Any, case: Any) -> bool:  # noqa: ANN401 - as schemathesis has it
    """Skip requests whose line or headers exceed 64 KiB: the server closes the connection with a 400."""
    letters = sum(len(str(part or "")) for part in (case.path_parameters, case.query, case.headers, case.cookies))
    return letters < MOST_LETTERS
