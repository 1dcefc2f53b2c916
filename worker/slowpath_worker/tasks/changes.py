"""Look through the environments of a team for changes of latency, judge the deploys that are due, and have builds measured."""

from slowpath.metrics.jobs import WatchLatency
from slowpath.metrics.service import checking, watching
from slowpath.metrics.service.watch_memory import WatchMemory
from slowpath.regressions.service import latency
from slowpath_worker.context import Context

__all__ = ["WatchLatency", "Watcher", "watch_latency"]


class Watcher:
    """Looks at what came in since, and remembers the minutes it has seen."""

    def __init__(self) -> None:
        """Begin knowing nothing."""
        self._memory = WatchMemory()

    def __call__(self, _job: WatchLatency, context: Context) -> None:
        """Look, environment by environment; each is written down when it is done."""
        _watch(context, self._memory)


watch_latency = Watcher()
"""One a process: others that look begin by reading hours."""


def _watch(context: Context, memory: WatchMemory) -> None:
    with context.reading() as session:
        environments = watching.environments(session)

    rng = context.dice()
    for number, environment_id in enumerate(environments):
        context.progress("looking for changes", number / len(environments))
        with context.reading() as session:
            gathered = watching.gather(session, environment_id, memory)
            looks = checking.due_looks(session, gathered) if gathered is not None else []
        if gathered is None:
            continue
        found = watching.explained(gathered, watching.look(gathered, memory, context.team_id, rng))
        judged = checking.judge(looks, rng)
        if found:
            with context.reading() as session:
                found = watching.without_rhythm(session, gathered, found)
        with context.writing() as session:
            watching.record(session, gathered, found)
            checking.record(session, judged)
            if gathered.minutes_due:
                deploys = [each for service in gathered.services for each in service.deploys]
                latency.ask_where_due(session, gathered.recognised, environment_id, deploys)

    with context.finishing():
        pass
