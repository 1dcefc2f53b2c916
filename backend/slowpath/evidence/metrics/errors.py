"""Errors of metrics."""

from typing import Self

from slowpath.analysis.kinds.metrics.protocols.ingest_batch import RejectedSamples
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


class TooManySamples(TooLarge):
    """The request would read too many samples."""

    slug = "too-many-samples"
    title = "Too many samples"

    @classmethod
    def of(cls, samples: int, limit: int) -> Self:
        """Return the error with the number of samples to read and its limit."""
        return cls(
            "No roll-up has few enough samples of this time range and these services.",
            limit=limit,
            actual=samples,
            unit="samples",
            remedy="Request fewer services, or a shorter time range.",
        )


class MetricPushTooLarge(TooLarge):
    """The push exceeds a size limit."""

    slug = "push-too-large"
    title = "The push is too large"
