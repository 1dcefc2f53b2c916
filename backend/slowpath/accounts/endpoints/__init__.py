"""People and teams over HTTP."""

from fastapi import APIRouter

from slowpath.accounts.endpoints import invitations, issuers, leaving, log, people, resets, teams, tokens

router = APIRouter(prefix="/api/v1")
router.include_router(people.router)
router.include_router(resets.router)
router.include_router(issuers.router)
router.include_router(leaving.router)
router.include_router(teams.router)
router.include_router(teams.inside)
router.include_router(log.inside)
router.include_router(invitations.router)
router.include_router(invitations.inside)
router.include_router(tokens.router)
router.include_router(tokens.accounts)
