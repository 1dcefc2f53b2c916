"""CI jobs without stored secrets: a service account trusts a repository, whose jobs exchange ID tokens for API tokens."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Row, delete, func, select, text

from slowpath.core.db_sessions import Database, ReadSession, WriteSession
from slowpath.core.errors import LimitExceeded
from slowpath.core.ids import TeamId, new_id
from slowpath.core.ports import EgressClient, IdTokenVerifier, RateLimiter
from slowpath.platform.accounts.errors import CiTokenRejected, CiTrustNotFound
from slowpath.platform.accounts.rules.ci_trust import (
    EXCHANGES_BY_ADDRESS,
    EXCHANGES_BY_TRUST,
    GITHUB_ISSUER,
    MAX_TRUSTS,
    TOKEN_SECONDS,
    CiProvider,
    find_issuer,
    is_trusted,
    read_job,
)
from slowpath.platform.accounts.rules.credentials import SECRET_BYTES, TOKEN_SHOWN_LETTERS, hash_secret, make_token
from slowpath.platform.accounts.rules.request_origin import rate_limit_key
from slowpath.platform.accounts.rules.roles import Caller, TokenScope
from slowpath.platform.accounts.service.audit_log import record_audit_event
from slowpath.platform.accounts.service.service_accounts import get_service_account
from slowpath.platform.accounts.service.tokens import require_scopes_of_role
from slowpath.platform.accounts.service.users import count_sign_in_attempt
from slowpath.platform.accounts.tables import ApiToken, CiTrust, ServiceAccount

FIND_TRUSTS = text("SELECT * FROM cross_team.list_ci_trusts(:slug, :issuer)")


def list_ci_trusts(session: ReadSession) -> Sequence[Row[CiTrust, str]]:
    """Return the trusts of the team with the names of their service accounts, newest first."""
    statement = select(CiTrust, ServiceAccount.name).join(
        ServiceAccount,
        (ServiceAccount.team_id == CiTrust.team_id) & (ServiceAccount.id == CiTrust.service_account_id),
    )
    return session.execute(statement.order_by(CiTrust.created_at.desc(), CiTrust.id.desc())).all()


def create_ci_trust(
    session: WriteSession,
    caller: Caller,
    outside: EgressClient,
    *,
    account_id: UUID,
    provider: CiProvider,
    issuer: str | None,
    repository: str,
    branch: str | None,
    environment: str | None,
    scopes: Sequence[TokenScope],
) -> tuple[CiTrust, str]:
    """Create a trust. Raises `ServiceAccountNotFound`, `LimitExceeded`, `AddressNotAllowed`, `InvalidRequest`."""
    account = get_service_account(session, account_id)
    require_scopes_of_role(account, frozenset(scopes))
    address = issuer or (GITHUB_ISSUER if provider is CiProvider.GITHUB else "https://gitlab.com")
    outside.check(address)
    if (count := session.scalar(select(func.count()).select_from(CiTrust)) or 0) >= MAX_TRUSTS:
        raise LimitExceeded(
            "The team has reached its limit of trusted repositories.",
            limit=MAX_TRUSTS,
            actual=count,
            unit="trusted repositories",
            remedy="Remove one that is no longer used.",
        )
    trust = CiTrust(
        team_id=caller.team_id,
        id=new_id(),
        service_account_id=account_id,
        provider=provider,
        issuer=address,
        repository=repository,
        branch=branch,
        environment=environment,
        scopes=sorted({scope.value for scope in scopes}),
    )
    session.add(trust)
    facts: dict[str, Any] = {"name": repository, "issuer": address, "branch": branch, "environment": environment}
    facts |= {"scopes": trust.scopes, "service_account": account.name}
    record_audit_event(session, caller, "ci-trust.created", "ci-trust", trust.id, facts)
    session.flush()  # the response contains the creation time, which the database sets
    return trust, account.name


def delete_ci_trust(session: WriteSession, caller: Caller, trust_id: UUID) -> None:
    """Delete a trust, and its tokens by the foreign key. Raises `CiTrustNotFound`."""
    trust = session.scalar(select(CiTrust).where(CiTrust.id == trust_id))
    if trust is None:
        raise CiTrustNotFound("The team has no such trusted repository.")
    record_audit_event(session, caller, "ci-trust.deleted", "ci-trust", trust.id, {"name": trust.repository})
    session.delete(trust)


def exchange_ci_token(
    session: WriteSession,
    database: Database,
    throttle: RateLimiter,
    verifier: IdTokenVerifier,
    *,
    team: str,
    id_token: str,
    audience: str,
    address: str,
    now: datetime,
) -> tuple[str, ApiToken]:
    """Return the secret of a short-lived token for the ID token of a CI job; the session's scope becomes the team's.

    Only issuers that a trust of the team names are asked for their keys.
    Raises `CiTokenRejected`, `LimitExceeded`, `AddressNotAllowed`, `UpstreamUnavailable`.
    """
    count_sign_in_attempt(throttle, EXCHANGES_BY_ADDRESS, f"ci-token:{rate_limit_key(address)}")
    issuer = find_issuer(id_token)
    with database.cross_team() as cross_team:
        trusts = cross_team.execute(FIND_TRUSTS, {"slug": team, "issuer": issuer or ""}).all()
    if issuer is None or not trusts:
        raise CiTokenRejected(
            "The team does not exist, or trusts no repository of this issuer.",
            remedy="An admin adds the repository under Settings, API tokens.",
        )
    count_sign_in_attempt(throttle, EXCHANGES_BY_TRUST, f"ci-token:{trusts[0].team_id}:{issuer}")
    claims = verifier.verify(TeamId(trusts[0].team_id), issuer, id_token, audience=audience, now=now)
    for trust in trusts:
        job = read_job(CiProvider(trust.provider), claims)
        if job is not None and is_trusted(
            job, repository=trust.repository, branch=trust.branch, environment=trust.environment
        ):
            session.scope.team_id = TeamId(trust.team_id)  # the transaction has not started yet
            return _issue_token(session, trust, job.subject, now)
    read = read_job(CiProvider(trusts[0].provider), claims)
    stated = f"repository {read.repository}, branch {read.branch}, environment {read.environment}" if read else "no job"
    raise CiTokenRejected(
        f"The team does not trust this job: {stated[:300]}.", remedy="Compare it with Settings, API tokens."
    )


def _issue_token(session: WriteSession, trust: Row[Any], subject: str, now: datetime) -> tuple[str, ApiToken]:
    expired = ApiToken.ci_trust_id == trust.trust_id, ApiToken.expires_at < now
    session.execute(delete(ApiToken).where(*expired))
    secret = make_token(secrets.token_bytes(SECRET_BYTES))
    expires_at = now + timedelta(seconds=TOKEN_SECONDS)
    token = ApiToken(
        team_id=session.team_id,
        id=new_id(),
        name=f"CI {trust.repository}"[:100],
        prefix=secret[:TOKEN_SHOWN_LETTERS],
        secret_hash=hash_secret(secret),
        scopes=trust.scopes,
        expires_at=expires_at,
        service_account_id=trust.service_account_id,
        ci_trust_id=trust.trust_id,
    )
    session.add(token)
    facts = {"name": trust.repository, "subject": subject, "expires_at": expires_at.isoformat()}
    record_audit_event(session, None, "ci-token.issued", "ci-trust", trust.trust_id, facts)
    return secret, token
