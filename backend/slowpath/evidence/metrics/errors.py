"""Errors of metrics."""

from typing import Self

from slowpath.analysis.kinds.metrics.ingest_batch import RejectedSamples
from slowpath.core.errors import InvalidRequest, NotFound, TooLarge


class MetricRuleNotFound(NotFound):
    """The team has no such metric rule."""

    slug = "metric-rule-not-found"
    title = "No such metric rule"


class MetricPushRejected(InvalidRequest):
    """The push is not valid; none of it was written."""

    slug = "write-refused"
    title = "Not written"


class MetricPushPartiallyWritten(InvalidRequest):
    """A part of the push was rejected; the rest was written."""

    slug = "partly-written"
    title = "Partly written"

    @classmethod
    def of(cls, faults: RejectedSamples, written: int) -> Self:
        """Return the error with the number of rejected samples by reason."""
        kinds = list(faults.counts.items())[:5]
        reasons = "; ".join(f"{count} × {slug}: {faults.details[slug][0]}" for slug, count in kinds)
        return cls(
            f"{sum(faults.counts.values())} rejected, {written} written. {reasons}",
            remedy="Do not send the rejected samples again: they will be rejected again. The rest is written.",
        )


class MetricPushTooLarge(TooLarge):
    """The push exceeds a size limit."""

    slug = "push-too-large"
    title = "The push is too large"
