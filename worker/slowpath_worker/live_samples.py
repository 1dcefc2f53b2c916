"""Samples of services that are queried live, for the jobs of this process."""

from typing import Final

from slowpath.core.encryption import create_sealer
from slowpath.evidence.metric_sources.service.federated_query import FederatedQueries
from slowpath.evidence.metric_sources.service.sample_buffers import SampleBuffers
from slowpath.evidence.metric_sources.service.watched_samples import WatchedSamples
from slowpath.evidence.metrics.service.live_samples import LiveReads
from slowpath_worker.job_context import JobContext

BUFFERS: Final = SampleBuffers()
"""One per process: a new one starts by reading hours of samples."""


def live_reads(context: JobContext, *, is_strict: bool = False) -> LiveReads:
    """Return the reader of one evaluation; the first bindings it reads are those it uses."""
    source = WatchedSamples(FederatedQueries(context.egress, create_sealer(context.settings)), BUFFERS)
    return LiveReads(source, int(context.clock.now().timestamp() * 1000), is_strict=is_strict)
