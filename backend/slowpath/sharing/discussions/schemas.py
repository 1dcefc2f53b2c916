"""Comments, mentions and news on the wire."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

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
    """What to say about what. Members whose `@Name` stands in the text are told of it."""

    model_config = ConfigDict(extra="forbid")

    subject_kind: SubjectKind
    subject_id: UUID
    part: Annotated[Part, PartField] = ""
    text: Markdown
    parent_id: UUID | None = Field(None, description="the comment that is answered")
    people: Picked = Field([], description="who is meant where several members have one name")


class CommentUpdate(BaseModel):
    """How it shall be said instead."""

    model_config = ConfigDict(extra="forbid")

    text: Markdown
    people: Picked = []


class MentionedMemberOut(BaseModel):
    """A member, as they are called."""

    user_id: UUID
    name: str


class CommentOut(BaseModel):
    """What somebody said."""

    id: UUID
    parent_id: UUID | None
    author_id: UUID | None = Field(description="null: a token said it, or the person is no more")
    author_name: str
    author_kind: Literal["user", "token"]
    text: str = Field(description="Markdown; empty if it was deleted")
    mentions: list[MentionedMemberOut]
    created_at: datetime
    edited_at: datetime | None
    deleted_at: datetime | None

    @classmethod
    def of(cls, row: Comment, named: Mapping[UUID, str]) -> Self:
        """Return a row as it is told."""
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
    """All that was said about one thing, oldest first; answers name the comment that began their thread."""

    items: list[CommentOut]


class CommentCount(BaseModel):
    """How many comments stand where."""

    subject_id: UUID
    part: str
    count: int


class CommentCounts(BaseModel):
    """Where there are comments, and how many."""

    items: list[CommentCount]


class MentionOut(BaseModel):
    """Where whoever asks was named."""

    id: UUID
    comment_id: UUID
    author_name: str
    text: str = Field(description="the beginning of the comment, on one line")
    subject_kind: SubjectKind
    subject_id: UUID
    title: str
    path: str = Field(description="of its page, below the team's")
    created_at: datetime
    read_at: datetime | None

    @classmethod
    def of(cls, mention: Mention, comment: Comment, discussion: Discussion) -> Self:
        """Return rows as they are told."""
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
    """Which mentions were read; null: all."""

    model_config = ConfigDict(extra="forbid")

    mention_ids: Annotated[list[UUID], Field(min_length=1, max_length=200)] | None = None


class MentionCount(BaseModel):
    """How many mentions were not read."""

    unread: int


class ActorOut(BaseModel):
    """Who did it: a person, a token, or Slowpath itself (`machine`)."""

    kind: Literal["user", "token", "system"]
    id: UUID | None
    name: str | None


class ActivityOut(BaseModel):
    """One thing that happened."""

    id: UUID
    occurred_at: datetime
    kind: ActivityKind
    action: str = Field(description="what was done: `comparison.created`, `regression.opened`, `comment.created`, ...")
    actor: ActorOut
    subject_kind: str
    subject_id: UUID | None
    title: str | None = Field(description="how the thing is called")
    path: str | None = Field(description="of its page, below the team's; null if there is none")
    service_id: UUID | None
    details: dict[str, Any]
