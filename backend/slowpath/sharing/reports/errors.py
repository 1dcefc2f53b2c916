"""What can go wrong with reports and share links."""

from slowpath.core.errors import Conflict, Gone, InvalidRequest, LimitExceeded, NotFound, TooLarge


class ReportNotFound(NotFound):
    """No such report in this team, or no such version of it."""

    slug = "report-not-found"
    title = "No such report"


class ShareLinkNotFound(NotFound):
    """No such share link."""

    slug = "share-link-not-found"
    title = "No such share link"


class ShareLinkEnded(Gone):
    """The link was good once: revoked, expired, or share links are off."""

    slug = "share-link-ended"
    title = "The share link is no longer valid"


class ReportConflict(Conflict):
    """The report was changed by another user meanwhile."""

    slug = "report-changed"
    title = "The report was changed by another user"


class ReportNotPublished(Conflict):
    """A link to the newest version of what was never published."""

    slug = "report-not-published"
    title = "The report is not published yet"


class ViewerNotBuilt(Conflict):
    """The pages that an exported file is made of are not built."""

    slug = "viewer-missing"
    title = "The web pages are not built"


class InvalidBlocks(InvalidRequest):
    """Blocks that are not of the report, or named twice."""

    slug = "blocks-refused"
    title = "The blocks are invalid"


class ShareLinksDisabled(InvalidRequest):
    """The team does not allow share links."""

    slug = "share-links-off"
    title = "Share links are disabled in this team"


class SnapshotTooLarge(TooLarge):
    """More answers than a view or a report may hold."""

    slug = "frozen-too-large"
    title = "The snapshot is too large"


class TooManyReportParts(LimitExceeded):
    """More blocks, versions or links than a report may have."""

    slug = "too-many-report-parts"
    title = "The report has reached a limit"
