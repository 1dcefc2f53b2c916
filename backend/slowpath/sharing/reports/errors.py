"""Errors of reports and share links."""

from slowpath.core.errors import Conflict, Gone, InvalidRequest, LimitExceeded, NotFound, TooLarge


class ReportNotFound(NotFound):
    """The team has no such report, or the report has no such version."""

    slug = "report-not-found"
    title = "No such report"


class ShareLinkNotFound(NotFound):
    """No such share link."""

    slug = "share-link-not-found"
    title = "No such share link"


class ShareLinkEnded(Gone):
    """The link is no longer valid: revoked, expired, or share links are disabled."""

    slug = "share-link-ended"
    title = "The share link is no longer valid"


class ReportConflict(Conflict):
    """The report was changed by another user meanwhile."""

    slug = "report-changed"
    title = "The report was changed by another user"


class ReportNotPublished(Conflict):
    """The link is to the newest version, but no version is published."""

    slug = "report-not-published"
    title = "The report is not published yet"


class ViewerNotBuilt(Conflict):
    """The web pages that an exported file contains are not built."""

    slug = "viewer-missing"
    title = "The web pages are not built"


class InvalidBlocks(InvalidRequest):
    """Blocks that do not belong to the report, or occur twice."""

    slug = "blocks-refused"
    title = "The blocks are invalid"


class ShareLinksDisabled(InvalidRequest):
    """The team does not allow share links."""

    slug = "share-links-off"
    title = "Share links are disabled in this team"


class SnapshotTooLarge(TooLarge):
    """More responses than a snapshot or a report may contain."""

    slug = "frozen-too-large"
    title = "The snapshot is too large"


class TooManyReportParts(LimitExceeded):
    """More blocks, versions or links than a report may have."""

    slug = "too-many-report-parts"
    title = "The report has reached a limit"
