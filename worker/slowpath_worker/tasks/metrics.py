"""Fold the newest samples of a team into its packed hours, and delete what is too old."""

import structlog

from slowpath.analysis.metrics.folding import fold
from slowpath.metrics.jobs import FoldTail, ForgetOldSamples
from slowpath.metrics.rules import FOLD_SAMPLES
from slowpath.metrics.service import folding, parts
from slowpath_worker.context import Context

log = structlog.get_logger(__name__)

__all__ = ["FoldTail", "ForgetOldSamples", "fold_tail", "forget_old"]


def fold_tail(_job: FoldTail, context: Context) -> None:
    """Fold up to a job's worth of samples; ask for another job if there are more."""
    with context.reading() as session:
        gathered = folding.gather(session, FOLD_SAMPLES)

    folded = []
    if gathered is not None:
        total = max(len(gathered.sorted_out.parts), 1)
        for number, block in enumerate(fold(gathered.sorted_out, gathered.there)):
            folded.append(block)
            if number % 100 == 0:
                context.progress("folding", number / total)

    with context.finishing() as session:
        recorded = gathered is None or folding.record(session, gathered, folded)
        folding.go_on(session, gathered, recorded=recorded)


def forget_old(_job: ForgetOldSamples, context: Context) -> None:
    """Delete what is older than the team keeps, and ask for the same again later.

    Months of which no team keeps anything go as a whole before that, and those to come are made.
    """
    with context.door() as door:
        done = parts.tidy(door)
    if done:
        log.info("partitions of samples", **{part or "all": fate for part, fate in done})
    with context.finishing() as session:
        folding.forget_old(session, folding.now_ms(session))
        folding.go_on(session, None, recorded=True)
