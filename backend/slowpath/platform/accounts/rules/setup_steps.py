"""Steps that set up the first service of a team."""

from typing import Literal

SetupStep = Literal["upload", "build", "metrics", "deployment", "runner", "channel"]
