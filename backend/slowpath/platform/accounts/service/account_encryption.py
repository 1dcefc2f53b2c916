"""Encrypt what belongs to a user again after the operator added an encryption key."""

from collections.abc import Sequence

import structlog
from sqlalchemy import select

from slowpath.core.db_sessions import Database, WriteSession
from slowpath.core.encryption import DecryptionError, RenewedValues, SecretEncryptor
from slowpath.core.ids import UserId
from slowpath.platform.accounts import queries
from slowpath.platform.accounts.rules.second_factor import FactorKind
from slowpath.platform.accounts.service.linked_identities import TOKEN_PURPOSE
from slowpath.platform.accounts.service.second_factors import TOTP_PURPOSE
from slowpath.platform.accounts.tables import SecondFactor, UserSession

log = structlog.get_logger(__name__)


def list_user_ids(database: Database) -> Sequence[UserId]:
    """Return the IDs of all users."""
    with database.cross_team() as cross_team:
        return queries.select_user_ids(cross_team)


def renew_account_encryption(session: WriteSession, user_id: UserId, sealer: SecretEncryptor) -> RenewedValues:
    """Encrypt ID tokens of sessions, and secrets of apps for codes, that another key encrypted."""
    renewed = unreadable = 0
    sessions = select(UserSession).where(UserSession.user_id == user_id, UserSession.encrypted_id_token.is_not(None))
    for row in session.scalars(sessions.with_for_update()):
        try:
            token = sealer.renew(row.encrypted_id_token or b"", TOKEN_PURPOSE)
        except DecryptionError:
            log.warning("encryption.key_missing", table="user_session", id=str(row.id))
            unreadable += 1
            continue
        if token is not None:
            row.encrypted_id_token, renewed = token, renewed + 1
    factors = select(SecondFactor).where(SecondFactor.user_id == user_id, SecondFactor.kind == FactorKind.TOTP)
    for factor in session.scalars(factors.with_for_update()):
        try:
            secret = sealer.renew(factor.secret, TOTP_PURPOSE, factor.id)
        except DecryptionError:
            log.warning("encryption.key_missing", table="second_factor", id=str(factor.id))
            unreadable += 1
            continue
        if secret is not None:
            factor.secret, renewed = secret, renewed + 1
    return RenewedValues(renewed, unreadable)
