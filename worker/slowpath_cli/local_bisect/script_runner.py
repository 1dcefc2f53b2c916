"""Run the user's script on a build: prepare the work tree, replace modules, run it, read its result.

The script runs in a separate session that is killed with this process, so that nothing keeps running.
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

from slowpath.analysis.builds.signature_value import NotMeasured
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.service.candidate_discovery import MAIN, MultiRepositoryHistory
from slowpath_cli.core.input_files import DECODE_BINARY, InvalidInput
from slowpath_cli.local_bisect.local_repositories import DIES_WITH_US, LocalRepository
from slowpath_cli.local_bisect.output_values import read_signature_value

GOOD, BAD, UNBUILDABLE, AGAIN = 0, 1, 125, 75
NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
MOST_BYTES: Final = 1 << 20
TIMES: Final = 3
NOT_RUN: Final = {126: "it is not executable", 127: "it, or a program it calls, was not found"}
REPLACED: Final = re.compile(r"^[ \t]*(?:replace[ \t]+)?(\S+)(?:[ \t]+v\S+)?[ \t]+=>[ \t].*$", re.MULTILINE)


class ScriptProtocolError(Exception):
    """The script broke the protocol; the message says how."""


@dataclass(frozen=True)
class ScriptResult:
    """Result of a script for a build."""

    kind: Literal["number", "good", "bad", "unbuildable", "nothing"]
    number: float | None = None


@dataclass(frozen=True)
class MeasureScript:
    """The user's command."""

    words: Sequence[str]
    seconds: float
    directory: str
    signature: tuple[str, str] | None = None
    """Kind and subject to measure in its output files; None: it prints a number."""


def run_until_result(
    history: MultiRepositoryHistory[LocalRepository], script: MeasureScript, build: BuildInputs, slot: int, out: Path
) -> tuple[ScriptResult, int]:
    """Run the script on a build until it has a result, at most TIMES times; also return the number of runs. Raises `ScriptProtocolError`."""
    for times in range(1, TIMES + 1):
        place, overrides = prepare_work_tree(history, script.directory, build, slot)
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
            raise ScriptProtocolError(f"the script could not be run ({NOT_RUN[code]}){last_line(out)}")
        if code == GOOD and script.signature is not None:
            return ScriptResult("number", _value(out, *script.signature)), times
        if code != AGAIN:
            return read_answer(code, said, out), times
    return ScriptResult("nothing"), TIMES


def _value(out: Path, kind: str, subject: str) -> float:
    helper = Path(os.environ.get("SLOWPATH_DECODE_BIN") or DECODE_BINARY)
    try:
        return read_signature_value(out, kind, subject, helper)
    except (NotMeasured, InvalidInput) as error:
        raise ScriptProtocolError(f"its output in {out} has no value of {kind}:{subject}: {error}") from error


def read_answer(code: int, said: bytes, out: Path) -> ScriptResult:
    """Return the result given by exit code and last number. Raises `ScriptProtocolError`."""
    if code == UNBUILDABLE:
        return ScriptResult("unbuildable")
    if code not in {GOOD, BAD}:
        raise ScriptProtocolError(
            f"it exited with {code}; only 0, 1, 75 and 125 are defined. Its output is in {out}{last_line(out)}"
        )
    if code == BAD:
        return ScriptResult("bad")
    found = NUMBER.findall(said.decode("utf-8", "replace"))
    return ScriptResult("number", float(found[-1])) if found else ScriptResult("good")


def last_line(out: Path) -> str:
    """Return the last line of the script's stderr as the end of a sentence, or a full stop."""
    file = out / "stderr"
    with suppress(OSError), file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - 4096))
        lines = opened.read().decode("utf-8", "replace").strip().splitlines()
        if lines:
            return f"; its last line of stderr: {''.join(one if one.isprintable() else ' ' for one in lines[-1])[:300]}"
    return "."


def prepare_work_tree(
    history: MultiRepositoryHistory[LocalRepository], directory: str, build: BuildInputs, slot: int
) -> tuple[Path, dict[str, dict[str, str]]]:
    """Return the folder of the build's module in a clean work tree of the slot, and its module overrides.

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


def _run(script: MeasureScript, place: Path, environment: Mapping[str, str], out: Path) -> tuple[int, bytes]:
    said, wrong = out / "stdout", out / "stderr"
    with said.open("wb") as stdout, wrong.open("wb") as stderr:
        try:
            child = subprocess.Popen(
                [*DIES_WITH_US, *script.words], cwd=place, env=dict(environment), stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise ScriptProtocolError(f"cannot run {script.words[0]}: {error.strerror}.") from error
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
        raise ScriptProtocolError(f"it did not end within {seconds:g} seconds.") from None
