"""Wire shapes of the search."""

from itertools import groupby
from uuid import UUID

from pydantic import BaseModel, Field

from slowpath.sharing.search.read_models import SearchResult
from slowpath.sharing.search.rules import SearchType


class SearchMatchOut(BaseModel):
    """One object that was found."""

    type: SearchType
    id: UUID = Field(description="of a function: the artifact or build that shows it")
    title: str
    subtitle: str
    path: str = Field(description="of its page, below the page of the team")


class SearchGroupOut(BaseModel):
    """The matches of one type, the best first."""

    type: SearchType
    items: list[SearchMatchOut]


class SearchOut(BaseModel):
    """The types with matches."""

    groups: list[SearchGroupOut]
    is_similar: bool = Field(description="whether no object contains the text: these have similar words")


def make_search_out(result: SearchResult) -> SearchOut:
    """Return the wire shape of what a search found."""
    return SearchOut(
        is_similar=result.is_similar,
        groups=[
            SearchGroupOut(
                type=searched,
                items=[
                    SearchMatchOut(type=one.type, id=one.id, title=one.title, subtitle=one.subtitle, path=one.path)
                    for one in of_type
                ],
            )
            for searched, of_type in groupby(result.matches, lambda match: match.type)
        ],
    )
