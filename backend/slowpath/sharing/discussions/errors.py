"""Errors of comments and mentions."""

from slowpath.core.errors import InvalidRequest, LimitExceeded, NotFound, PermissionDenied


class DiscussionSubjectNotFound(NotFound):
    """The team has no such subject."""

    slug = "subject-not-found"
    title = "No such object to discuss"


class CommentNotFound(NotFound):
    """The team has no such comment."""

    slug = "comment-not-found"
    title = "No such comment"


class MentionNotFound(NotFound):
    """The caller has no such mention."""

    slug = "mention-not-found"
    title = "No such mention"


class NotCommentAuthor(PermissionDenied):
    """Only the author can edit a comment; only the author or an admin can delete it."""

    slug = "not-the-author"
    title = "The comment has another author"


class MentionedUserNotInTeam(InvalidRequest):
    """A mentioned user is not in the team."""

    slug = "not-in-the-team"
    title = "A mentioned user is not in the team"


class ParentCommentMismatch(InvalidRequest):
    """The parent comment belongs to another discussion, or was deleted."""

    slug = "thread-elsewhere"
    title = "The parent comment is not in this discussion"


class TooManyComments(LimitExceeded):
    """The discussion has reached its limit of comments."""

    slug = "too-many-comments"
    title = "Too many comments"
