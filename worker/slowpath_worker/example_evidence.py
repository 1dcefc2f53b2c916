"""What the example shows beside its files: the report of its bisect, and an explained gap of a request."""

from collections.abc import Sequence
from datetime import datetime

from slowpath.analysis.kinds.registry import SPAN_SET
from slowpath.core.db_sessions import ReadSession, WriteSession
from slowpath.core.ids import ArtifactId, ReportId
from slowpath.core.ports import BlobStore, InternalResponse
from slowpath.evidence.artifacts.tables import Artifact
from slowpath.evidence.spans.errors import SpanTraceNotFound
from slowpath.evidence.spans.service import span_sets
from slowpath.sharing.reports.rules import BlockUpdate
from slowpath.sharing.reports.service import reports, snapshots
from slowpath.sharing.reports.service.snapshots import SnapshotRequest
from slowpath.verdicts.bisects.endpoints.bisect_responses import make_bisect_out
from slowpath.verdicts.bisects.tables import Bisect
from slowpath.verdicts.gap_explanations.rules import GapRef

MAX_TITLE_CHARACTERS = 200


def create_bisect_report(session: WriteSession, blobs: BlobStore, bisect: Bisect, now: datetime) -> ReportId:
    """Create and publish the report of a finished bisect: its answer, and a snapshot of its page."""
    body = make_bisect_out(session, bisect, now)
    name, page = f"Bisect {bisect.number}", f"/bisects/{bisect.id}"
    row = reports.create_report(session, f"{name}: {body.sentence}"[:MAX_TITLE_CHARACTERS], session.scope.user_id, now)
    report_id = ReportId(row.id)
    markdown = (
        f"**{body.sentence}** It took {body.cost.deployments} deployments; plain `git bisect` with the best of five "
        f"would take about {body.cost.git_bisect_best_of_5_probes}."
    )
    reports.update_report(session, report_id, title=None, blocks=[BlockUpdate(None, markdown)], seen_at=None, now=now)
    answer = InternalResponse(page, 200, "application/json", body.model_dump_json().encode())
    wanted = SnapshotRequest(name, page, [page])
    snapshots.append_snapshot(session, blobs, report_id, wanted, answers=[answer], now=now)
    reports.publish_report(session, report_id, session.scope.user_id, now)
    return report_id


def find_largest_gap(
    session: ReadSession, blobs: BlobStore, files: Sequence[Artifact], trace_id: str, service: str
) -> tuple[ArtifactId, GapRef] | None:
    """Return the largest gap of a service's own span of a request; None if no file has the spans of this trace."""
    for file in files:
        if file.kind != SPAN_SET.id:
            continue
        artifact_id = ArtifactId(file.id)
        try:
            waterfall = span_sets.trace(span_sets.get_span_set(session, artifact_id), blobs, trace_id)
        except SpanTraceNotFound:
            continue
        gaps = [
            (gap.end_ns - gap.start_ns, row, number)
            for row, span in enumerate(waterfall.spans)
            if (span.service, span.kind) == (service, "server")
            for number, gap in enumerate(span.gaps)
        ]
        if gaps:
            _, row, number = max(gaps)
            return artifact_id, GapRef(trace_id, row, number)
    return None
