"""What tools read from the search. Members that tools do not read are ignored."""

from uuid import UUID

from pydantic import BaseModel


class SearchMatchRead(BaseModel):
    """An object that was found."""

    id: UUID
    title: str
    subtitle: str
    path: str


class SearchGroupRead(BaseModel):
    """The matches of one type."""

    type: str
    items: list[SearchMatchRead]


class SearchRead(BaseModel):
    """What a search found."""

    groups: list[SearchGroupRead]
