"""What can go wrong with comments and mentions."""

from slowpath.core.errors import InvalidRequest, LimitExceeded, NotFound, PermissionDenied


class DiscussionSubjectNotFound(NotFound):
    """There is no such thing to talk about in this team."""

    slug = "subject-not-found"
    title = "No such object to discuss"


class CommentNotFound(NotFound):
    """No such comment in this team."""

    slug = "comment-not-found"
    title = "No such comment"


class MentionNotFound(NotFound):
    """No such mention of whoever asks."""

    slug = "mention-not-found"
    title = "No such mention"


class NotCommentAuthor(PermissionDenied):
    """A comment is changed by its author alone, and deleted by its author or an admin."""

    slug = "not-the-author"
    title = "The comment has another author"


class MentionedUserNotInTeam(InvalidRequest):
    """Somebody is named who is not in the team."""

    slug = "not-in-the-team"
    title = "A mentioned user is not in the team"


class ParentCommentMismatch(InvalidRequest):
    """What is answered stands in another discussion, or was deleted."""

    slug = "thread-elsewhere"
    title = "The parent comment is not in this discussion"


class TooManyComments(LimitExceeded):
    """A discussion has as many comments as it may."""

    slug = "too-many-comments"
    title = "Too many comments"
