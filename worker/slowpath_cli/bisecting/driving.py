"""Driving a search: what is asked of it is kept in a file after every step, so that it goes on where it was when it is killed."""

import json
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from slowpath.analysis.bisect import search
from slowpath.analysis.bisect import state as states
from slowpath.analysis.bisect.limits import probe_limit
from slowpath.analysis.bisect.line import GOOD_END, Candidate, line_of
from slowpath.analysis.bisect.search import Finished, Start, Steps
from slowpath.analysis.bisect.state import Settings, State
from slowpath.bisects.rules import nodes as many
from slowpath.bisects.rules.nodes import Build, Level, Node
from slowpath.bisects.service.history import History
from slowpath_cli.bisecting.measuring import Answer, BadScript, Script, answered, last_line
from slowpath_cli.bisecting.repositories import Repository

FORMAT: Final = "slowpath.bisect-session/1"
ENDED_SO: Final = {
    "unbuildable": "does not build: the script ended with 125",
    "nothing": "could not be measured: the script ended with 75 each time",
}
ANSWERED: Final = {
    "good": "good",
    "bad": "bad",
    "unbuildable": "does not build",
    "nothing": "tried in vain",
    "number": "",
}


class BadEnd(Exception):
    """One end of the range can not be built or started: there is nothing to search between."""


@dataclass
class Session:
    """A search with what its candidates are."""

    question: dict[str, Any]
    good: Build
    nodes: dict[str, Node]
    levels: dict[str, tuple[int, int]]
    """Candidate that was opened ("" for the range) to commits and classes inside."""
    state: State
    finished: bool = False
    runs: int = 0
    """How often the script was started, each time a deploy."""
    seconds: float = 0.0
    found: Finished | None = field(default=None)

    def build(self, id_: str) -> Build:
        """Return what is built for a place on the line."""
        return self.good if id_ == GOOD_END else self.nodes[id_].build

    @property
    def unbuildable_runs(self) -> int:
        """How many starts ended in a build that can not be made."""
        return sum(one.state == "unbuildable" for one in self.state.deploys)

    @property
    def builds(self) -> int:
        """How many different builds were started."""
        return len({json.dumps(asdict(self.build(one.build)), sort_keys=True) for one in self.state.deploys})


def new_session(question: dict[str, Any], good: str, level: Level, settings: Settings) -> Session:
    """Return a search that has not begun."""
    nodes = {one.id: one for one in level.nodes}
    line = line_of([_candidate(one) for one in level.nodes])
    return Session(question, Build(good), nodes, {"": (level.commits, len(level.nodes))}, search.begin(settings, line))


def _candidate(node: Node) -> Candidate:
    """Return a node as a candidate. Whether anything hides in it is looked up only once it is suspected."""
    return Candidate(node.id, hides=not node.id.endswith("/itself"))


class Driver:
    """Runs what the search asks for."""

    def __init__(
        self,
        session: Session,
        history: History[Repository],
        script: Script,
        folder: Path,
        tell: Callable[[Session, str], None],
    ) -> None:
        """Keep the session and what scripts leave in a folder; tell of progress in words."""
        self._session, self._history, self._script = session, history, script
        self._folder, self._tell = folder, tell

    def drive(self) -> Finished:
        """Go on to the end. Raises `BadScript`, `BadEnd`, `BadRepository`; what was measured is kept whatever happens."""
        session, last = self._session, time.monotonic()
        while True:
            now = time.monotonic()
            session.seconds, last = session.seconds + now - last, now
            kept(session, self._folder)
            todo = search.steps(session.state)
            if todo.finished is not None:
                session.finished, session.found = True, todo.finished
                kept(session, self._folder)
                return todo.finished
            self._step(todo)

    def _step(self, todo: Steps) -> None:
        session = self._session
        if todo.open is not None:
            self._open(todo.open)
        if todo.start:
            session.state = search.started(session.state, todo.start)
            self._tell_start(todo.start)
        session.state = search.closed(session.state, todo.close)
        if todo.measure:
            self._measure(todo.measure)

    def _open(self, id_: str) -> None:
        session = self._session
        level = self._history.inside(session.nodes[id_])
        inner = [_candidate(one) for one in level.nodes]
        if inner:
            session.nodes |= {one.id: one for one in level.nodes}
            session.levels[id_] = (level.commits, len(level.nodes))
            self._tell(session, f"looking into {session.nodes[id_].title or id_[:12]}: {len(inner)} candidates")
        session.state = search.opened(session.state, id_, inner)

    def _tell_start(self, starts: tuple[Start, ...]) -> None:
        for one in starts:
            node = self._session.nodes.get(one.build)
            self._tell(self._session, f"{one.purpose}: {f'{node.sha[:12]} {node.title}' if node else 'the good end'}")

    def _measure(self, numbers: tuple[int, ...]) -> None:
        session = self._session
        session.runs += len(numbers)
        kept(session, self._folder)  # what is started counts, even if we are killed before it answers
        slots = max(session.state.settings.slots, 1)
        with ThreadPoolExecutor(max_workers=slots + session.state.settings.control) as pool:
            running = [pool.submit(self._ask, number, slot) for slot, number in enumerate(numbers)]
            answers = [one.result() for one in running]
        values = {}
        for number, (answer, times) in zip(numbers, answers, strict=True):
            session.runs += times - 1
            if answer.kind == "number" and answer.number is not None:
                values[number] = answer.number
            else:
                session.state = self._other(session.state, number, answer)
        session.state = search.measured(session.state, values)
        self._tell_answers(dict(zip(numbers, (answer for answer, _ in answers), strict=True)))

    def _tell_answers(self, answers: Mapping[int, Answer]) -> None:
        """Tell what was measured, and who is most believed after it."""
        session = self._session
        for number, answer in answers.items():
            node = session.nodes.get(session.state.deploys[number - 1].build)
            said = f"{answer.number:g}" if answer.number is not None else ANSWERED[answer.kind]
            self._tell(session, f"{node.sha[:12] if node else 'the good end'}: {said}")
        belief = search.belief_of(session.state)
        most = int(belief.here.argmax())
        suspect = session.nodes[session.state.line.ids[most]]
        self._tell(session, f"most believed: {suspect.sha[:12]} {suspect.title} ({100 * belief.here[most]:.0f} %)")

    def _ask(self, number: int, slot: int) -> tuple[Answer, int]:
        deploy = self._session.state.deploys[number - 1]
        try:
            build = self._session.build(deploy.build)
            return answered(self._history, self._script, build, slot, self._out(number))
        except BadScript as error:
            place = "the good end" if deploy.build == GOOD_END else self._session.nodes[deploy.build].sha[:12]
            raise BadScript(f"On {place}, {error}") from error

    def _out(self, number: int) -> Path:
        """Return where a deploy's next run leaves what it writes."""
        return self._folder / "out" / f"{number:04}-{len(self._session.state.deploys[number - 1].windows)}"

    def _other(self, state: State, number: int, answer: Answer) -> State:
        deploy = state.deploys[number - 1]
        if answer.kind in {"good", "bad"}:
            return search.judged(state, number, bad=answer.kind == "bad")
        if deploy.purpose in {"end", "control"}:
            raise BadEnd(
                f"{'The good' if deploy.build == GOOD_END else 'The bad'} end {ENDED_SO[answer.kind]}. "
                f"What the script wrote is in {self._out(number)}{last_line(self._out(number))}"
            )
        return search.unbuildable(state, number)


def kept(session: Session, folder: Path) -> None:
    """Write a session, whole or not at all."""
    told = {
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
        json.dump(told, file)
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder / "session.json")


def taken_up(folder: Path, question: dict[str, Any], most: int | None) -> Session | None:
    """Return the session that answers the same question, if it is unfinished or ended at a limit below `most`; else None."""
    try:
        told = json.loads((folder / "session.json").read_text(encoding="utf-8"))
        if told["format"] != FORMAT or told["question"] != question:
            return None
        nodes = [many.from_json(one) for one in told["nodes"]]
        state = states.from_json(told["state"])
        raised = told.get("outcome") == "stopped" and most is not None and most > probe_limit(state)
        if told["finished"] and not raised:
            return None
        state = replace(state, settings=replace(state.settings, most_deploys=most))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Session(
        question, Build(**told["good"]), {one.id: one for one in nodes},
        {key: (int(commits), int(classes)) for key, (commits, classes) in told["levels"].items()},
        state, runs=int(told["runs"]), seconds=float(told["seconds"]),
    )  # fmt: skip
