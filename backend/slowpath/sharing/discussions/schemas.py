"""Wire shapes of comments, mentions and the activity feed."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from typing_extensions import TypedDict

from slowpath.sharing.discussions.rules import (
    MOST_LETTERS,
    MOST_MENTIONS,
    MOST_PART_LETTERS,
    ActivityKind,
    SubjectKind,
    excerpt,
)
from slowpath.sharing.discussions.tables import Comment, Discussion, Mention

INBOX_LETTERS = 300
Markdown = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_LETTERS, pattern=r"^[^\x00]*$")
]
Part = Annotated[str, StringConstraints(max_length=MOST_PART_LETTERS, pattern=r"^[^\x00]*$")]
PartField = Field(
    description="key of a finding: its `kind|profile_kind|subject|quantile|normalization` (null is empty); `subject_id` is its comparison"
)
Picked = Annotated[list[UUID], Field(max_length=MOST_MENTIONS)]


class CommentIn(BaseModel):
    """A new comment. Members mentioned as `@Name` in the text are notified."""

    model_config = ConfigDict(extra="forbid")

    subject_kind: SubjectKind
    subject_id: UUID
    part: Annotated[Part, PartField] = ""
    text: Markdown
    parent_id: UUID | None = Field(None, description="the comment that this one replies to")
    mentioned_user_ids: Picked = Field(
        [], description="IDs of mentioned users, where several members have the same name"
    )


class CommentUpdate(BaseModel):
    """The new text of a comment."""

    model_config = ConfigDict(extra="forbid")

    text: Markdown
    mentioned_user_ids: Picked = []


class MentionedMemberOut(BaseModel):
    """A member with the displayed name."""

    user_id: UUID
    name: str


class CommentOut(BaseModel):
    """A comment."""

    id: UUID
    parent_id: UUID | None
    author_id: UUID | None = Field(description="null: written by a token, or the user was deleted")
    author_name: str
    author_kind: Literal["user", "token"]
    text: str = Field(description="Markdown; empty if the comment was deleted")
    mentions: list[MentionedMemberOut]
    created_at: datetime
    edited_at: datetime | None
    deleted_at: datetime | None

    @classmethod
    def of(cls, row: Comment, named: Mapping[UUID, str]) -> Self:
        """Return the wire shape of a comment."""
        return cls.model_validate(
            {
                "id": row.id,
                "parent_id": row.parent_id,
                "author_id": row.author_id,
                "author_name": row.author_name,
                "author_kind": row.author_kind,
                "text": row.text,
                "mentions": [MentionedMemberOut(user_id=user_id, name=name) for user_id, name in named.items()],
                "created_at": row.created_at,
                "edited_at": row.edited_at,
                "deleted_at": row.deleted_at,
            }
        )


class DiscussionOut(BaseModel):
    """The discussion of one object, oldest first; a reply names the first comment of its thread."""

    items: list[CommentOut]


class CommentCount(BaseModel):
    """The number of comments on one object."""

    subject_id: UUID
    part: str
    count: int


class CommentCounts(BaseModel):
    """The objects that have comments, with their numbers."""

    items: list[CommentCount]


class MentionOut(BaseModel):
    """A mention of the caller."""

    id: UUID
    comment_id: UUID
    author_name: str
    text: str = Field(description="the start of the comment, on one line")
    subject_kind: SubjectKind
    subject_id: UUID
    title: str
    path: str = Field(description="address of its page, relative to the team's")
    created_at: datetime
    read_at: datetime | None

    @classmethod
    def of(cls, mention: Mention, comment: Comment, discussion: Discussion) -> Self:
        """Return the wire shape of a mention."""
        return cls.model_validate(
            {
                "id": mention.id,
                "comment_id": comment.id,
                "author_name": comment.author_name,
                "text": excerpt(comment.text, INBOX_LETTERS),
                "subject_kind": discussion.subject_kind,
                "subject_id": discussion.subject_id,
                "title": discussion.title,
                "path": discussion.path,
                "created_at": mention.created_at,
                "read_at": mention.read_at,
            }
        )


class MarkMentionsReadIn(BaseModel):
    """The mentions that were read; null: all."""

    model_config = ConfigDict(extra="forbid")

    mention_ids: Annotated[list[UUID], Field(min_length=1, max_length=200)] | None = None


class MentionCount(BaseModel):
    """The number of unread mentions."""

    unread: int


class ActorOut(BaseModel):
    """The actor: a user, a token, or the system."""

    kind: Literal["user", "token", "system"]
    id: UUID | None
    name: str | None


ActivityDetails = TypedDict(
    "ActivityDetails",
    {
        "name": str,
        "title": str,
        "commit": str | None,
        "from": str | None,
        "to": str | None,
        "role": str,
        "version": int | str,
        "text": str,
        "sentence": str,
        "source": str,
    },
    total=False,
)
"""What the feed shows of an event: `from` and `to` of an update, `text` of a note or comment, ..."""


class ActivityOut(BaseModel):
    """One event of the activity feed."""

    id: UUID
    occurred_at: datetime
    kind: ActivityKind
    action: str = Field(description="for example `comparison.created`, `regression.opened`, `comment.created`, ...")
    actor: ActorOut
    subject_kind: str
    subject_id: UUID | None
    title: str | None = Field(description="name of the object")
    path: str | None = Field(description="address of its page, relative to the team's; null without a page")
    service_id: UUID | None
    details: ActivityDetails
