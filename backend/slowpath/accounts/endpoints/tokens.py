"""API tokens of a team."""

from uuid import UUID

from fastapi import APIRouter

from slowpath.accounts import service
from slowpath.accounts.access import InTeam, MayManage
from slowpath.accounts.schemas import TokenIn, TokenOut, moment_of, token_out
from slowpath.core.errors import NotAllowed, NotFound, NotSignedIn, Refused, TooMany
from slowpath.web.paging import Page, Paging
from slowpath.web.problems import problems
from slowpath.web.sessions import Now, Reading, Writing

router = APIRouter(prefix="/teams/{team_id}/tokens", tags=["tokens"], dependencies=[InTeam])
COMMON = (NotSignedIn, NotAllowed, NotFound)


@router.get("", operation_id="tokens:list", responses=problems(*COMMON, Refused))
def list_tokens(_caller: MayManage, session: Reading, paging: Paging) -> Page[TokenOut]:
    """List tokens that were not revoked, newest first."""
    rows = service.tokens(session, after=paging.after, limit=paging.limit + 1)
    return paging.page(rows, lambda row: token_out(*row), lambda row: moment_of(row[0]))


@router.post("", operation_id="tokens:create", status_code=201, responses=problems(*COMMON, Refused, TooMany))
def create_token(caller: MayManage, sent: TokenIn, session: Writing, clock: Now) -> TokenOut:
    """Make a token. Its secret is told here and never again."""
    made = service.create_token(
        session,
        caller,
        name=sent.name,
        scopes=sent.scopes,
        expires_in_days=sent.expires_in_days,
        now=clock.now(),
    )
    return token_out(*made)


@router.delete("/{token_id}", operation_id="tokens:revoke", status_code=204, responses=problems(*COMMON))
def revoke_token(caller: MayManage, token_id: UUID, session: Writing, clock: Now) -> None:
    """End a token at once."""
    service.revoke_token(session, caller, token_id, now=clock.now())
