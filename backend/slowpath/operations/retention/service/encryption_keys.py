"""Encrypt stored credentials again after the operator added an encryption key."""

from typing import Any, Final

import structlog
from sqlalchemy import select
from sqlalchemy.orm import InstrumentedAttribute

from slowpath.core.db_sessions import Database, TeamScope, WriteSession
from slowpath.core.encryption import DecryptionError, RenewedValues, SecretEncryptor
from slowpath.evidence.metric_sources.tables import MetricSource
from slowpath.inventory.repositories.tables import Repository
from slowpath.inventory.webhooks.tables import Webhook
from slowpath.platform.accounts.service.account_encryption import list_user_ids, renew_account_encryption
from slowpath.platform.accounts.service.audit_chain import list_team_slugs
from slowpath.platform.accounts.tables import Membership
from slowpath.sharing.notifications.tables import NotificationChannel

ENCRYPTED: Final[tuple[tuple[type[Any], InstrumentedAttribute[Any], tuple[str, ...]], ...]] = (
    (Repository, Repository.encrypted_credentials, ("team_id", "id")),
    (Webhook, Webhook.encrypted_secret, ("team_id", "id")),
    (Webhook, Webhook.encrypted_api_token, ("team_id", "id", "id")),
    (MetricSource, MetricSource.encrypted_credentials, ("team_id", "id")),
    (NotificationChannel, NotificationChannel.encrypted_secret, ("team_id", "id")),
)
"""Table, column and the IDs that a value is bound to."""
log = structlog.get_logger(__name__)


def renew_encryption(session: WriteSession, sealer: SecretEncryptor) -> RenewedValues:
    """Encrypt what another key encrypted. What no key decrypts stays as it is."""
    total = RenewedValues(0, 0)
    for table, column, bound_to in ENCRYPTED:
        for row in session.scalars(select(table).where(column.is_not(None)).with_for_update()):
            ids = [getattr(row, name) for name in bound_to]
            try:
                renewed = sealer.renew(getattr(row, column.key), *ids)
            except DecryptionError:
                log.warning("encryption.key_missing", table=table.__tablename__, id=str(row.id))
                total = total.plus(RenewedValues(0, 1))
                continue
            if renewed is not None:
                setattr(row, column.key, renewed)
                total = total.plus(RenewedValues(1, 0))
    return total


def renew_members(session: WriteSession, sealer: SecretEncryptor) -> RenewedValues:
    """Encrypt the sessions and second factors of the team's members in the same way."""
    total = RenewedValues(0, 0)
    for user_id in session.scalars(select(Membership.user_id).order_by(Membership.user_id)).all():
        with session.as_user(user_id):
            total = total.plus(renew_account_encryption(session, user_id, sealer))
    return total


def renew_all(database: Database, sealer: SecretEncryptor) -> RenewedValues:
    """Encrypt the values of all teams and users, each in its own transaction."""
    total = RenewedValues(0, 0)
    for team_id, _slug in list_team_slugs(database):
        with database.writing(TeamScope(team_id)) as session:
            total = total.plus(renew_encryption(session, sealer))
    for user_id in list_user_ids(database):
        with database.writing(TeamScope(user_id=user_id)) as session:
            total = total.plus(renew_account_encryption(session, user_id, sealer))
    return total
