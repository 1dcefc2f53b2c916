"""Run the user's script on a build: prepare the work tree, replace modules, run the script, read its result.

The script runs in a separate session, which is killed with this process.
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
from slowpath.verdicts.bisects.rules.go_releases import TOOLCHAIN
from slowpath.verdicts.bisects.service.candidate_discovery import MAIN, MultiRepositoryHistory
from slowpath_cli.core.input_files import DECODE_BINARY, InvalidInput, resolved
from slowpath_cli.local_bisect.build_changes import BuildChange, apply_change
from slowpath_cli.local_bisect.go_toolchain import go_environment, toolchain_override, write_go_lines
from slowpath_cli.local_bisect.local_repositories import DIES_WITH_US, InvalidRepository, LocalRepository
from slowpath_cli.local_bisect.output_values import read_signature_value
from slowpath_cli.local_bisect.script_output import list_benchmarks, read_number

GOOD, BAD, UNBUILDABLE, RETRY = 0, 1, 125, 75
MAX_OUTPUT_BYTES: Final = 1 << 20
MAX_RUNS: Final = 3
EXITED_WITH_1: Final = "The script exited with 1 and without output."
START_FAILURES: Final = {126: "it is not executable", 127: "it, or a program it calls, was not found"}
REPLACED: Final = re.compile(r"^[ \t]*(?:replace[ \t]+)?(\S+)(?:[ \t]+v\S+)?[ \t]+=>[ \t].*$", re.MULTILINE)


class ScriptProtocolError(Exception):
    """The script violated the protocol; the message gives the reason."""


@dataclass(frozen=True)
class ScriptResult:
    """Result of a script for a build."""

    kind: Literal["number", "good", "bad", "unbuildable", "nothing"]
    number: float | None = None
    reason: str = ""
    """Of a failed build, and of a result without a number: the last line of its output, or why there is none."""


@dataclass(frozen=True)
class MeasureScript:
    """The user's command."""

    words: Sequence[str]
    seconds: float
    directory: str
    signature: tuple[str, str] | None = None
    """Kind and subject to measure in its output files; None if it prints a number."""


def run_until_result(
    history: MultiRepositoryHistory[LocalRepository],
    script: MeasureScript,
    build: BuildInputs,
    slot: int,
    out: Path,
    *,
    change: BuildChange | None = None,
) -> tuple[ScriptResult, int]:
    """Run the script on a build until it has a result, at most MAX_RUNS times; also return the number of runs.

    Raises `ScriptProtocolError`.
    """
    for runs in range(1, MAX_RUNS + 1):
        try:
            work_dir, overrides = prepare_work_tree(history, script.directory, build, slot, change)
        except InvalidRepository as error:
            return ScriptResult("unbuildable", reason=str(error)), runs
        out.mkdir(parents=True, exist_ok=True)
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "SLOWPATH_COMMIT": build.commit,
            "SLOWPATH_DIR": str(work_dir),
            "SLOWPATH_OVERRIDES": json.dumps(overrides),
            "SLOWPATH_OUT": str(out),
            "SLOWPATH_SLOT": str(slot),
        }
        if TOOLCHAIN in overrides:
            environment |= go_environment(overrides[TOOLCHAIN], environment)
        if overrides.keys() - {TOOLCHAIN}:  # go.mod and go.sum may lack the requirements of a replaced module
            environment["GOFLAGS"] = f"{environment.get('GOFLAGS', '')} -mod=mod".strip()
        if change is not None:
            environment |= change.variant.variables(environment)
        code, output = _run(script, work_dir, environment, out)
        if code in START_FAILURES:
            raise ScriptProtocolError(f"the script could not be run ({START_FAILURES[code]}){last_line(out)}")
        if code != RETRY:
            return _answer_of(script, code, output, out), runs
    return ScriptResult("nothing"), MAX_RUNS


def _answer_of(script: MeasureScript, code: int, output: bytes, out: Path) -> ScriptResult:
    if code == GOOD and script.signature is not None:
        return ScriptResult("number", _value(out, *script.signature))
    if code == BAD and script.signature is not None:
        return ScriptResult("unbuildable", reason=last_output_line(out) or EXITED_WITH_1)
    if code == GOOD:
        _require_one_benchmark(output)
    return read_answer(code, output, out)


def absolute_command(words: list[str]) -> list[str]:
    """Return the user's command with an absolute path, so that it runs from any folder."""
    return [str(resolved(words[0]).absolute()), *words[1:]] if "/" in words[0] else words


def _value(out: Path, kind: str, subject: str) -> float:
    helper = Path(os.environ.get("SLOWPATH_DECODE_BIN") or DECODE_BINARY)
    try:
        return read_signature_value(out, kind, subject, helper)
    except (NotMeasured, InvalidInput) as error:
        raise ScriptProtocolError(f"the script's output in {out} has no value of {kind}:{subject}: {error}") from error


def read_answer(code: int, output: bytes, out: Path) -> ScriptResult:
    """Return the result given by exit code and number. Raises `ScriptProtocolError`."""
    if code == UNBUILDABLE:
        return ScriptResult("unbuildable", reason=last_output_line(out))
    if code not in {GOOD, BAD}:
        raise ScriptProtocolError(
            f"the script exited with {code}; only 0, 1, 75 and 125 are defined. Its output is in {out}{last_line(out)}"
        )
    if code == BAD:
        return ScriptResult("bad", reason=last_output_line(out))
    number = read_number(output.decode("utf-8", "replace"))
    return ScriptResult("good", reason=last_output_line(out)) if number is None else ScriptResult("number", number)


def _require_one_benchmark(output: bytes) -> None:
    names = list_benchmarks(output.decode("utf-8", "replace"))
    if len(names) > 1:
        shown = f"{', '.join(names[:3])}{' ...' if len(names) > 3 else ''}"
        raise ScriptProtocolError(
            f"the script printed {len(names)} benchmarks ({shown}). Run one of them (-bench '^{names[0].partition('-')[0]}$'), "
            "or print one number in the last line."
        )


def last_line(out: Path) -> str:
    """Format the last line of the script's stderr as the end of a sentence; a full stop without stderr."""
    line = _last_line_of(out / "stderr")
    return f"; the last line of stderr: {line}" if line else "."


def last_output_line(out: Path) -> str:
    """Return the last line that the script wrote to stderr, else to stdout; "" without output."""
    return _last_line_of(out / "stderr") or _last_line_of(out / "stdout")


def _last_line_of(file: Path) -> str:
    with suppress(OSError), file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - 4096))
        lines = opened.read().decode("utf-8", "replace").strip().splitlines()
        return "".join(one if one.isprintable() else " " for one in lines[-1])[:300] if lines else ""
    return ""


def prepare_work_tree(
    history: MultiRepositoryHistory[LocalRepository],
    directory: str,
    build: BuildInputs,
    slot: int,
    change: BuildChange | None = None,
) -> tuple[Path, dict[str, dict[str, str]]]:
    """Return the folder of the build's module in a clean work tree of the slot, and its module overrides.

    Raises `InvalidRepository` if a commit is missing, or if the change of a variant does not apply.
    """
    tree = history.repositories[MAIN].tree(slot, build.commit)
    if change is not None:
        apply_change(history.repositories[MAIN], tree, change)
    work_dir = tree / directory if directory else tree
    overrides: dict[str, dict[str, str]] = {}
    for module, sha in build.modules.items():
        folder = history.repositories[module].tree(slot, sha) / history.module_folder(module, sha)
        overrides[module] = {"commit": sha, "dir": str(folder)}
    for module, version in build.versions.items():
        if module != TOOLCHAIN:
            overrides[module] = {"version": version}
    mod = work_dir / "go.mod"
    if overrides and mod.is_file() and not mod.is_symlink():
        _replace(mod, overrides)
    if toolchain := toolchain_override(build):
        write_go_lines(work_dir, tree, toolchain)
        overrides[TOOLCHAIN] = toolchain
    return (work_dir if work_dir.is_dir() else tree), overrides


def _replace(mod: Path, overrides: Mapping[str, Mapping[str, str]]) -> None:
    """Write the replacements of modules into a go.mod, in place of existing ones."""
    text = mod.read_text(encoding="utf-8", errors="surrogateescape")
    text = REPLACED.sub(lambda found: "" if found[1].strip('"') in overrides else found[0], text)
    lines = [
        f"replace {module} => " + (json.dumps(to["dir"]) if "dir" in to else f"{module} {to['version']}")
        for module, to in overrides.items()
    ]
    mod.write_text("\n".join([text.rstrip("\n"), "", *lines, ""]), encoding="utf-8", errors="surrogateescape")


def _run(script: MeasureScript, work_dir: Path, environment: Mapping[str, str], out: Path) -> tuple[int, bytes]:
    output, errors = out / "stdout", out / "stderr"
    with output.open("wb") as stdout, errors.open("wb") as stderr:
        try:
            child = subprocess.Popen(
                [*DIES_WITH_US, *script.words], cwd=work_dir, env=dict(environment), stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr,
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            raise ScriptProtocolError(f"cannot run {script.words[0]}: {error.strerror}.") from error
        try:
            code = _wait(child, script.seconds)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # also kills processes that the script left running
            child.wait()
    with output.open("rb") as stdout:
        stdout.seek(max(0, output.stat().st_size - MAX_OUTPUT_BYTES))
        return code, stdout.read()


def _wait(child: "subprocess.Popen[bytes]", seconds: float) -> int:
    try:
        return child.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        raise ScriptProtocolError(f"the script did not finish within {seconds:g} seconds.") from None
