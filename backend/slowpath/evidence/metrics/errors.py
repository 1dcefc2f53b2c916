"""What can go wrong with metrics."""

from typing import Self

from slowpath.analysis.kinds.metrics.ingest_batch import RejectedSamples
from slowpath.core.errors import InvalidRequest, NotFound, TooLarge


class MetricRuleNotFound(NotFound):
    """No such rule in this team."""

    slug = "metric-rule-not-found"
    title = "No such rule"


class MetricPushRejected(InvalidRequest):
    """A push of metrics that can not be taken: nothing of it was written."""

    slug = "write-refused"
    title = "Not written"


class MetricPushPartiallyWritten(InvalidRequest):
    """A push of which a part was refused; the rest is written."""

    slug = "partly-written"
    title = "Partly written"

    @classmethod
    def of(cls, faults: RejectedSamples, written: int) -> Self:
        """Return the error that names what was refused."""
        kinds = list(faults.counts.items())[:5]
        told = "; ".join(f"{count} × {slug}: {faults.details[slug][0]}" for slug, count in kinds)
        return cls(
            f"{sum(faults.counts.values())} refused, {written} written. {told}",
            remedy="What is named here is refused again when it is sent again; the rest is written.",
        )


class MetricPushTooLarge(TooLarge):
    """A push over a limit of size."""

    slug = "push-too-large"
    title = "Too large"
