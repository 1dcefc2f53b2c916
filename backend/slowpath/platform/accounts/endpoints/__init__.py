"""HTTP endpoints of users and teams."""

from fastapi import APIRouter

from slowpath.platform.accounts.endpoints import (
    account_deletion,
    audit_log,
    ci_trusts,
    confirmations,
    invitations,
    linked_identities,
    oidc,
    password_resets,
    saml,
    second_factors,
    teams,
    tokens,
    users,
)

router = APIRouter(prefix="/api/v1")
router.include_router(users.router)
router.include_router(password_resets.router)
router.include_router(second_factors.router)
router.include_router(confirmations.router)
router.include_router(linked_identities.router)
router.include_router(oidc.router)
router.include_router(saml.router)
router.include_router(account_deletion.router)
router.include_router(teams.router)
router.include_router(teams.inside)
router.include_router(audit_log.inside)
router.include_router(invitations.router)
router.include_router(invitations.inside)
router.include_router(tokens.router)
router.include_router(tokens.accounts)
router.include_router(ci_trusts.router)
router.include_router(ci_trusts.inside)
