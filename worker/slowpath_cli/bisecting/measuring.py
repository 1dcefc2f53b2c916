"""Running the user's script on a build: work trees of ours, modules replaced, its answer read.

The script runs in a session of its own that dies with us, so that nothing is left running however we end.
"""

import json
import os
import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from slowpath.analysis.builds.one_window import NotMeasured
from slowpath.bisects.rules.nodes import Build
from slowpath.bisects.service.history import MAIN, History
from slowpath_cli.bisecting.evidence import value_in
from slowpath_cli.bisecting.repositories import DIES_WITH_US, Repository
from slowpath_cli.reading import DECODE_BINARY, BadInput

GOOD, BAD, UNBUILDABLE, AGAIN = 0, 1, 125, 75
NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
MOST_BYTES: Final = 1 << 20
TIMES: Final = 3
NOT_RUN: Final = {126: "it may not be executed", 127: "it, or what it calls, is not there"}
REPLACED: Final = re.compile(r"^[ \t]*(?:replace[ \t]+)?(\S+)(?:[ \t]+v\S+)?[ \t]+=>[ \t].*$", re.MULTILINE)


class BadScript(Exception):
    """The script does not answer as it should; the text says what it did."""


@dataclass(frozen=True)
class Answer:
    """What a script said of a build."""

    kind: Literal["number", "good", "bad", "unbuildable", "nothing"]
    number: float | None = None


@dataclass(frozen=True)
class Script:
    """The user's command."""

    words: Sequence[str]
    seconds: float
    directory: str
    signature: tuple[str, str] | None = None
    """Kind and subject of what is read from the files it leaves; nothing: it prints a number."""


def answered(history: History[Repository], script: Script, build: Build, slot: int, out: Path) -> tuple[Answer, int]:
    """Run the script on a build until it answers, at most TIMES times; returns how often it ran too. Raises `BadScript`."""
    for times in range(1, TIMES + 1):
        place, overrides = laid_out(history, script.directory, build, slot)
        out.mkdir(parents=True, exist_ok=True)
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "SLOWPATH_COMMIT": build.commit,
            "SLOWPATH_DIR": str(place),
            "SLOWPATH_OVERRIDES": json.dumps(overrides),
            "SLOWPATH_OUT": str(out),
            "SLOWPATH_SLOT": str(slot),
        }
        if overrides:  # requirements of a replaced module need not be in our go.mod and go.sum
            environment["GOFLAGS"] = f"{environment.get('GOFLAGS', '')} -mod=mod".strip()
        code, said = _run(script, place, environment, out)
        if code in NOT_RUN:
            raise BadScript(f"the script could not be run ({NOT_RUN[code]}){last_line(out)}")
        if code == GOOD and script.signature is not None:
            return Answer("number", _value(out, *script.signature)), times
        if code != AGAIN:
            return read_answer(code, said, out), times
    return Answer("nothing"), TIMES


def _value(out: Path, kind: str, subject: str) -> float:
    helper = Path(os.environ.get("SLOWPATH_DECODE_BIN") or DECODE_BINARY)
    try:
        return value_in(out, kind, subject, helper)
    except (NotMeasured, BadInput) as error:
        raise BadScript(f"it left nothing that tells {kind}:{subject} in {out}: {error}") from error


def read_answer(code: int, said: bytes, out: Path) -> Answer:
    """Return what a script said by its exit code and its last number. Raises `BadScript`."""
    if code == UNBUILDABLE:
        return Answer("unbuildable")
    if code not in {GOOD, BAD}:
        raise BadScript(
            f"it ended with {code}; 0, 1, 75 and 125 have a meaning. What it wrote is in {out}{last_line(out)}"
        )
    if code == BAD:
        return Answer("bad")
    found = NUMBER.findall(said.decode("utf-8", "replace"))
    return Answer("number", float(found[-1])) if found else Answer("good")


def last_line(out: Path) -> str:
    """Return the last line of what a script complained of, to end a sentence with; a full stop where it did not."""
    file = out / "stderr"
    with suppress(OSError), file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - 4096))
        lines = opened.read().decode("utf-8", "replace").strip().splitlines()
        if lines:
            return f"; its last line of stderr: {''.join(one if one.isprintable() else ' ' for one in lines[-1])[:300]}"
    return "."


def laid_out(
    history: History[Repository], directory: str, build: Build, slot: int
) -> tuple[Path, dict[str, dict[str, str]]]:
    """Return the folder of the build's module in a clean work tree of the slot, and what stands in for its modules.

    Raises `BadRepository` where a commit is not there.
    """
    tree = history.repositories[MAIN].tree(slot, build.commit)
    place = tree / directory if directory else tree
    overrides: dict[str, dict[str, str]] = {}
    for module, sha in build.modules.items():
        folder = history.repositories[module].tree(slot, sha) / history.module_folder(module, sha)
        overrides[module] = {"commit": sha, "dir": str(folder)}
    for module, version in build.versions.items():
        overrides[module] = {"version": version}
    mod = place / "go.mod"
    if overrides and mod.is_file() and not mod.is_symlink():
        _replace(mod, overrides)
    return (place if place.is_dir() else tree), overrides


def _replace(mod: Path, overrides: Mapping[str, Mapping[str, str]]) -> None:
    """Have go.mod take modules from elsewhere."""
    text = mod.read_text(encoding="utf-8", errors="surrogateescape")
    text = REPLACED.sub(lambda found: "" if found[1].strip('"') in overrides else found[0], text)
    lines = [
        f"replace {module} => " + (json.dumps(to["dir"]) if "dir" in to else f"{module} {to['version']}")
        for module, to in overrides.items()
    ]
    mod.write_text("\n".join([text.rstrip("\n"), "", *lines, ""]), encoding="utf-8", errors="surrogateescape")


def _run(script: Script, place: Path, environment: Mapping[str, str], out: Path) -> tuple[int, bytes]:
    said, wrong = out / "stdout", out / "stderr"
    with said.open("wb") as stdout, wrong.open("wb") as stderr:
        try:
            child = subprocess.Popen(
                [*DIES_WITH_US, *script.words], cwd=place, env=dict(environment), stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise BadScript(f"{script.words[0]} can not be run: {error.strerror}.") from error
        try:
            code = _waited(child, script.seconds)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # and whatever it left running
            child.wait()
    with said.open("rb") as stdout:
        stdout.seek(max(0, said.stat().st_size - MOST_BYTES))
        return code, stdout.read()


def _waited(child: "subprocess.Popen[bytes]", seconds: float) -> int:
    try:
        return child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise BadScript(f"it did not end within {seconds:g} seconds.") from None
