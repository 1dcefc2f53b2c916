"""Run the builds of an experiment block by block, each with the user's script."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from slowpath.analysis.experiments.block_order import make_block_order
from slowpath.analysis.experiments.output_measures import (
    InvalidOutput,
    OutputMeasures,
    read_output_measures,
)
from slowpath.analysis.experiments.variants import BASE
from slowpath.verdicts.bisects.rules.candidates import BuildInputs
from slowpath.verdicts.bisects.service.candidate_discovery import MultiRepositoryHistory
from slowpath_cli.local_bisect.build_changes import BuildChange
from slowpath_cli.local_bisect.local_repositories import LocalRepository
from slowpath_cli.local_bisect.progress_lines import format_si
from slowpath_cli.local_bisect.script_runner import (
    MAX_OUTPUT_BYTES,
    MeasureScript,
    ScriptProtocolError,
    ScriptResult,
    run_until_result,
)
from slowpath_cli.local_experiment.experiment_session import ExperimentSession, save_session

SLOT: Final = 0
"""Runs are one after the other: two at the same time would measure each other."""
FAILURES: Final = {
    "unbuildable": "does not build",
    "bad": "the script exited with 1",
    "nothing": "the script exited with 75 each time",
}


class BaseNotMeasured(Exception):
    """The unchanged commit cannot be measured, so no effect can be."""


@dataclass(frozen=True)
class ExperimentBuild:
    """One build of an experiment: a commit, and how a variant changes it."""

    name: str
    inputs: BuildInputs
    change: BuildChange | None = None


class ExperimentDriver:
    """Runs blocks until all builds are measured."""

    def __init__(
        self,
        session: ExperimentSession,
        history: MultiRepositoryHistory[LocalRepository],
        script: MeasureScript,
        folder: Path,
        report: Callable[[str], None],
        *,
        is_value_better_larger: bool,
    ) -> None:
        """Store the session and the scripts' output in `folder`; report progress to `report`."""
        self._session, self._history, self._script = session, history, script
        self._folder, self._report, self._is_value_better_larger = folder, report, is_value_better_larger

    def drive(self, builds: Sequence[ExperimentBuild], blocks: int) -> None:
        """Run all blocks; every run is stored at once. Raises `BaseNotMeasured`, `ScriptProtocolError`."""
        session, by_name = self._session, {one.name: one for one in builds}
        total = blocks * len(builds)
        for block in range(blocks):
            for position, name in enumerate(make_block_order(list(by_name), block, session.seed)):
                if session.is_done(block, name):
                    continue
                begun = time.monotonic()
                words = self._run(block, by_name[name])
                session.seconds += time.monotonic() - begun
                save_session(session, self._folder)
                done = block * len(builds) + position + 1
                self._report(f"[{done}/{total}] block {block + 1}, {name}: {words}")

    def _run(self, block: int, build: ExperimentBuild) -> str:
        """Run one build and record its values, or why there are none; return the result in words."""
        out = self._folder / "out" / f"{block:03}-{_file_name(build.name)}"
        try:
            result, _ = run_until_result(self._history, self._script, build.inputs, SLOT, out, change=build.change)
            found = self._read(result, out)
        except (ScriptProtocolError, InvalidOutput) as error:
            reason = str(error)
        else:
            if found is not None:
                self._session.record(block, build.name, found.values, found.larger_is_better)
                return ", ".join(f"{format_si(value)} {measure}" for measure, value in found.values.items())
            reason = f"{FAILURES[result.kind]}{f': {result.reason}' if result.reason else ''}"
        if build.name == BASE:
            raise BaseNotMeasured(f"The unchanged commit cannot be measured: {reason} The script's output is in {out}.")
        self._session.failures[build.name] = f"{reason} (log: {out}/stderr)"
        return self._session.failures[build.name]

    def _read(self, result: ScriptResult, out: Path) -> OutputMeasures | None:
        """Return the measures of a run; None if it failed. Raises `InvalidOutput`."""
        if result.kind not in {"number", "good"}:
            return None
        if self._script.signature is not None and result.number is not None:
            name = self._script.signature[1]
            larger = frozenset({name}) if self._is_value_better_larger else frozenset[str]()
            return OutputMeasures({name: result.number}, larger)
        with (out / "stdout").open("rb") as file:
            text = file.read(MAX_OUTPUT_BYTES).decode("utf-8", "replace")
        return read_output_measures(text, is_value_better_larger=self._is_value_better_larger)


def _file_name(name: str) -> str:
    return "".join(one if one.isalnum() or one in "=-." else "_" for one in name)[:80].lstrip(".")


def failures_of(session: ExperimentSession, builds: Sequence[ExperimentBuild]) -> Mapping[str, str]:
    """Return why builds of this experiment were not measured, by name."""
    return {one.name: session.failures[one.name] for one in builds if one.name in session.failures}
