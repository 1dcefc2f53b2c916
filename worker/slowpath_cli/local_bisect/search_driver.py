"""Run a search and store its session after every step, so that an interrupted search can resume."""

import json
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from slowpath.analysis.bisect import search
from slowpath.analysis.bisect import search_state as states
from slowpath.analysis.bisect.candidate_sequence import GOOD_END, line_of
from slowpath.analysis.bisect.limits import probe_limit
from slowpath.analysis.bisect.search import NextActions
from slowpath.analysis.bisect.search_state import ProbeStart, SearchResult, SearchSettings, SearchState, search_rest
from slowpath.commit_names import short_commit
from slowpath.verdicts.bisects.rules import candidates as many
from slowpath.verdicts.bisects.rules.candidates import BuildInputs, CandidateNode, SearchLevel
from slowpath.verdicts.bisects.rules.search_plan import candidate_of
from slowpath.verdicts.bisects.service.candidate_discovery import MultiRepositoryHistory
from slowpath_cli.local_bisect.local_repositories import LocalRepository
from slowpath_cli.local_bisect.probe_results import record_results, settle_results, verdicts_before_numbers
from slowpath_cli.local_bisect.progress_lines import describe_remaining, describe_result, find_top_suspect
from slowpath_cli.local_bisect.script_runner import (
    MeasureScript,
    ScriptProtocolError,
    ScriptResult,
    last_output_line,
    run_until_result,
)

FORMAT: Final = "slowpath.bisect-session/1"


@dataclass
class SearchSession:
    """A search and its candidates."""

    question: dict[str, Any]
    good: BuildInputs
    nodes: dict[str, CandidateNode]
    levels: dict[str, tuple[int, int]]
    """Numbers of commits and classes by expanded candidate ("" for the range)."""
    state: SearchState
    finished: bool = False
    runs: int = 0
    """Number of script runs, each a probe."""
    seconds: float = 0.0
    found: SearchResult | None = field(default=None)

    def build(self, id_: str) -> BuildInputs:
        """Return the build of a candidate or boundary."""
        return self.good if id_ == GOOD_END else self.nodes[id_].build

    @property
    def unbuildable_runs(self) -> int:
        """Return the number of runs whose build failed."""
        return sum(one.state == "unbuildable" for one in self.state.deploys)

    @property
    def builds(self) -> int:
        """Return the number of distinct builds that were run."""
        return len({json.dumps(asdict(self.build(one.build)), sort_keys=True) for one in self.state.deploys})


def new_session(question: dict[str, Any], good: str, level: SearchLevel, settings: SearchSettings) -> SearchSession:
    """Return a new search."""
    nodes = {one.id: one for one in level.nodes}
    line = line_of([candidate_of(one) for one in level.nodes])
    return SearchSession(
        question, BuildInputs(good), nodes, {"": (level.commits, level.classes)}, search.start_search(settings, line)
    )


def rest_of(session: SearchSession, culprit: str) -> SearchSession:
    """Return the search for what follows a culprit; its measurements are used again."""
    node, state = session.nodes[culprit], search_rest(session.state, culprit)
    classes = len(state.line) - len(state.line.pruned)
    return SearchSession(
        {**session.question, "good": node.sha, "rest_of": culprit}, node.build, session.nodes,
        {**session.levels, "": (session.levels[""][0], classes)}, state,
    )  # fmt: skip


class SearchDriver:
    """Runs the probes that the search selects."""

    def __init__(
        self,
        session: SearchSession,
        history: MultiRepositoryHistory[LocalRepository],
        script: MeasureScript,
        folder: Path,
        report: Callable[[SearchSession, str], None],
    ) -> None:
        """Store the session and the scripts' output in `folder`; report progress to `report`."""
        self._session, self._history, self._script = session, history, script
        self._folder, self._report = folder, report
        self._seen_failures: set[str] = set()
        self._stepped_at = time.monotonic()

    def measure_boundaries(self) -> None:
        """Run the probes of both boundaries that are missing, and no other. Raises as `drive` does."""
        session, self._stepped_at = self._session, time.monotonic()
        while search.missing_boundary_probes(session.state):
            actions = search.next_actions(session.state)
            if actions.finished is not None:
                break  # at the limit of probes
            self._step(actions)
            now = time.monotonic()
            session.seconds, self._stepped_at = session.seconds + now - self._stepped_at, now
            save_session(session, self._folder)

    def drive(self) -> SearchResult:
        """Run the search until it finishes; measurements are stored even after an error.

        Raises `ScriptProtocolError`, `UnbuildableBoundary`, `InvalidRepository`.
        """
        session, self._stepped_at = self._session, time.monotonic()
        while True:
            now = time.monotonic()
            session.seconds, self._stepped_at = session.seconds + now - self._stepped_at, now
            save_session(session, self._folder)
            actions = search.next_actions(session.state)
            if actions.finished is not None:
                session.finished, session.found = True, actions.finished
                save_session(session, self._folder)
                return actions.finished
            self._step(actions)

    def _step(self, actions: NextActions) -> None:
        session = self._session
        if actions.open is not None:
            self._expand(actions.open)
        if actions.start:
            session.state = search.record_started(session.state, actions.start)
            self._report_starts(actions.start)
        session.state = search.record_stopped(session.state, actions.close)
        if actions.measure:
            self._measure(actions.measure)

    def _expand(self, id_: str) -> None:
        session = self._session
        level = self._history.inside(session.nodes[id_])
        inner = [candidate_of(one) for one in level.nodes]
        if inner:
            session.nodes |= {one.id: one for one in level.nodes}
            session.levels[id_] = (level.commits, level.classes)
        if level.classes:
            self._report(
                session, f"expanding {session.nodes[id_].title or short_commit(id_)}: {level.classes} candidates"
            )
        session.state = search.record_expansion(session.state, id_, inner)

    def _report_starts(self, starts: tuple[ProbeStart, ...]) -> None:
        for one in starts:
            node = self._session.nodes.get(one.build)
            title = "" if node is None or one.purpose == "boundary" else f" {node.title}"
            self._report(self._session, f"{one.purpose}: {self._describe_build(one.build)}{title}")

    def _measure(self, numbers: tuple[int, ...]) -> None:
        session = self._session
        session.runs += len(numbers)
        save_session(session, self._folder)  # a started run counts, even if this process is killed
        slots = max(session.state.settings.slots, 1)
        with ThreadPoolExecutor(max_workers=slots + session.state.settings.control) as pool:
            running = [pool.submit(self._run_probe, number, slot) for slot, number in enumerate(numbers)]
            finished = [one.result() for one in running]
        session.runs += sum(times - 1 for _, times in finished)
        given = {number: answer for number, (answer, _) in zip(numbers, finished, strict=True)}
        results = settle_results(session.state, given)
        places = {one.number: str(self._out(one.number)) for one in session.state.deploys}
        session.state = record_results(session.state, results, places)
        corrected = verdicts_before_numbers(session.state, lambda number: last_output_line(self._first_out(number)))
        places |= {number: str(self._first_out(number)) for number in corrected}
        session.state = record_results(session.state, corrected, places)
        self._report_results(results | corrected, places)

    def _report_results(self, results: Mapping[int, ScriptResult], places: Mapping[int, str]) -> None:
        """Report the results, the candidate with the highest posterior, and what is expected to remain."""
        session = self._session
        for number, answer in results.items():
            build = self._describe_build(session.state.deploys[number - 1].build)
            result = describe_result(answer, f"{places[number]}/stderr", self._seen_failures)
            self._report(session, f"{build}: {result}")
        id_, probability = find_top_suspect(session.state)
        remaining = describe_remaining(session.state, session.seconds + time.monotonic() - self._stepped_at)
        suspect = session.nodes[id_] if id_ is not None else None
        words = (
            f"top suspect: {short_commit(suspect.sha)} {suspect.title}" if suspect else "no commit between good and bad"
        )
        ending = f"; {remaining}" if remaining else ""
        self._report(session, f"{words} ({100 * probability:.0f}%){ending}")

    def _run_probe(self, number: int, slot: int) -> tuple[ScriptResult, int]:
        deploy = self._session.state.deploys[number - 1]
        try:
            build = self._session.build(deploy.build)
            return run_until_result(self._history, self._script, build, slot, self._out(number))
        except ScriptProtocolError as error:
            raise ScriptProtocolError(f"On {self._describe_build(deploy.build)}, {error}") from error

    def _describe_build(self, build: str) -> str:
        if build == GOOD_END:
            return "the good boundary"
        sha = short_commit(self._session.nodes[build].sha)
        return f"the bad boundary ({sha})" if build == self._session.state.line.ids[-1] else sha

    def _first_out(self, number: int) -> Path:
        """Return the output folder of a probe's first run."""
        return self._folder / "out" / f"{number:04}-0"

    def _out(self, number: int) -> Path:
        """Return the output folder of a probe's next run."""
        return self._folder / "out" / f"{number:04}-{len(self._session.state.deploys[number - 1].windows)}"


def save_session(session: SearchSession, folder: Path) -> None:
    """Store a session atomically."""
    document = {
        "format": FORMAT,
        "question": session.question,
        "good": asdict(session.good),
        "nodes": [many.to_json(one) for one in session.nodes.values()],
        "levels": {key: list(value) for key, value in session.levels.items()},
        "state": states.to_json(session.state),
        "finished": session.finished,
        "outcome": None if session.found is None else session.found.outcome,
        "runs": session.runs,
        "seconds": session.seconds,
    }
    new = folder / f"session.{os.getpid()}"
    with new.open("w", encoding="utf-8") as file:
        json.dump(document, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / "session.json")


def resume_session(
    folder: Path, question: dict[str, Any], max_deployments: int | None, *, rest: bool = False
) -> SearchSession | None:
    """Return the stored session of the same question if it is unfinished or was stopped at a lower limit, or None.

    `rest`: also one that found a culprit, to continue after it.
    """
    try:
        document = json.loads((folder / "session.json").read_text(encoding="utf-8"))
        if document["format"] != FORMAT or document["question"] != question:
            return None
        nodes = [many.from_json(one) for one in document["nodes"]]
        state = states.from_json(document["state"])
        raised = (
            document.get("outcome") == "stopped"
            and max_deployments is not None
            and max_deployments > probe_limit(state)
        )
        if document["finished"] and not raised and not (rest and document.get("outcome") == "found"):
            return None
        state = replace(state, settings=replace(state.settings, most_deploys=max_deployments))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return SearchSession(
        question, BuildInputs(**document["good"]), {one.id: one for one in nodes},
        {key: (int(commits), int(classes)) for key, (commits, classes) in document["levels"].items()},
        state, runs=int(document["runs"]), seconds=float(document["seconds"]),
    )  # fmt: skip
