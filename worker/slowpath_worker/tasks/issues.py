"""Create issues of production events and regressions at code hosts."""

from typing import cast

from slowpath.core.db_sessions import WriteSession
from slowpath.core.encryption import create_sealer
from slowpath.core.errors import InvalidRequest, NotFound, SlowpathError
from slowpath.sharing.notifications import wording
from slowpath.sharing.notifications.jobs import CreateIssue
from slowpath.sharing.notifications.rules import ChannelKind, IssueState
from slowpath.sharing.notifications.service import channels, issues
from slowpath.sharing.notifications.service.channel_types import open_code_host
from slowpath.sharing.notifications.service.issues import IssueSubject
from slowpath_worker.job_context import JobContext, JobFailure

__all__ = ["CreateIssue", "create_issue", "record_issue_failure"]


def create_issue(job: CreateIssue, context: JobContext) -> None:
    """Create an issue once: a repeated attempt first searches for the one that a lost attempt created."""
    try:
        with context.reading() as session:
            issue = issues.get_issue(session, job.issue_id)
            is_wanted = issue is not None and issue.state == IssueState.CREATING
            if issue is not None and is_wanted:
                tracker = issues.get_tracker(session, issue)
                token = channels.get_channel_secret(tracker, create_sealer(context.settings))
                kind = cast("IssueSubject", issue.kind)
                content = issues.compose_issue(session, kind, issue.subject_id, context.settings.public_url)
        if not is_wanted:
            with context.finishing():
                return
        title, body = wording.issue(content)
        with open_code_host(
            context.egress, ChannelKind(tracker.kind), tracker.target, token, now=context.clock.now()
        ) as host:
            found = host.find_issue(wording.comment_marker(content)) if context.claim.attempts > 1 else None
            created = found or host.create_issue(title, body)
    except (InvalidRequest, NotFound) as error:
        _record_failed(job, context, error)
    else:
        with context.finishing() as session:
            issues.record_created(session, job.issue_id, created)


def _record_failed(job: CreateIssue, context: JobContext, error: SlowpathError) -> None:
    with context.finishing() as session:
        issues.record_failed(session, job.issue_id, error.facts())


def record_issue_failure(session: WriteSession, job: CreateIssue, failure: JobFailure) -> None:
    """Record why no attempt created the issue."""
    issues.record_failed(session, job.issue_id, failure.problem)
