"""Search all objects of a team by a text."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from slowpath.core.db_sessions import ReadSession
from slowpath.sharing.search import queries
from slowpath.sharing.search.read_models import MeasuredFunctions, SearchMatch, SearchResult
from slowpath.sharing.search.rules import MOST_FUNCTIONS, SearchType, is_comparable, parse_words, unpack_functions


def search_objects(session: ReadSession, text: str, limit: int) -> SearchResult:
    """Return at most `limit` matches of each type, type by type, the best first; none for an empty text.

    Objects with similar words are returned only if no object contains the text.
    """
    words = parse_words(text)
    if not words:
        return SearchResult()
    places = _list_functions(session)
    found = _search(session, words, limit, places, is_similar=False)
    if found or not is_comparable(words):
        return SearchResult(found)
    return SearchResult(_search(session, words, limit, places, is_similar=True), is_similar=True)


def _search(
    session: ReadSession,
    words: Sequence[str],
    limit: int,
    places: Mapping[str, MeasuredFunctions],
    *,
    is_similar: bool,
) -> list[SearchMatch]:
    found: list[SearchMatch] = []
    select_rows = queries.select_similar if is_similar else queries.select_containing
    select_names = queries.select_similar_names if is_similar else queries.select_names_containing
    for searched in SearchType:
        if searched is SearchType.FUNCTION:
            names = select_names(session, list(places), words, limit) if places else ()
            found += [_make_function_match(name, places[name]) for name in names]
        else:
            rows = select_rows(session, searched, words, limit)
            found += [SearchMatch(searched, id_, title, subtitle, path) for id_, title, subtitle, path in rows]
    return found


def _list_functions(session: ReadSession) -> dict[str, MeasuredFunctions]:
    """Return the functions of the newest measured build of each service; of a shared one, the first service's."""
    places: dict[str, MeasuredFunctions] = {}
    for each in (MeasuredFunctions(*row) for row in queries.select_measured_functions(session)):
        for name in unpack_functions(each.content):
            if len(places) < MOST_FUNCTIONS:
                places.setdefault(name, each)
    return places


def _make_function_match(name: str, place: MeasuredFunctions) -> SearchMatch:
    """Return the function in a profile of the build; of a build whose profiles were deleted, the build."""
    path = f"/builds/{place.build_id}"
    if place.artifact_id is not None:
        path = f"/artifacts/{place.artifact_id}?{urlencode({'fn': name, 'q': name})}"
    return SearchMatch(SearchType.FUNCTION, place.artifact_id or place.build_id, name, place.service, path)
