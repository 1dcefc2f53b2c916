"""Look through the environments of a team for changes of latency, and judge the deploys that are due."""

from slowpath.metrics.jobs import WatchLatency
from slowpath.metrics.service import checking, watching
from slowpath_worker.context import Context

__all__ = ["WatchLatency", "watch_latency"]


def watch_latency(_job: WatchLatency, context: Context) -> None:
    """Look at what came in since; environment by environment, each written down when it is done."""
    with context.reading() as session:
        environments = watching.environments(session)

    rng = context.dice()
    for number, environment_id in enumerate(environments):
        context.progress("looking for changes", number / len(environments))
        with context.reading() as session:
            gathered = watching.gather(session, environment_id)
            looks = checking.due_looks(session, gathered) if gathered is not None else []
        if gathered is None:
            continue
        found = watching.explained(gathered, watching.look(gathered, rng))
        judged = checking.judge(looks, rng)
        if found:
            with context.reading() as session:
                found = watching.without_rhythm(session, gathered, found)
        with context.writing() as session:
            watching.record(session, gathered, found)
            checking.record(session, judged)

    with context.finishing():
        pass
