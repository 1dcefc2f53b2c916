"""Encrypt the stored credentials of a team again after the operator added an encryption key."""

from typing import Any, Final

import structlog
from sqlalchemy import select
from sqlalchemy.orm import InstrumentedAttribute

from slowpath.core.db_sessions import WriteSession
from slowpath.core.encryption import DecryptionError, SecretEncryptor
from slowpath.evidence.metric_sources.tables import MetricSource
from slowpath.inventory.repositories.tables import Repository
from slowpath.inventory.webhooks.tables import Webhook
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


def renew_encryption(session: WriteSession, sealer: SecretEncryptor) -> int:
    """Encrypt what another key encrypted, and return the number of values. What no key decrypts stays as it is."""
    count = 0
    for table, column, bound_to in ENCRYPTED:
        for row in session.scalars(select(table).where(column.is_not(None)).with_for_update()):
            sealed, ids = getattr(row, column.key), [getattr(row, name) for name in bound_to]
            if sealer.is_current(sealed):
                continue
            try:
                setattr(row, column.key, sealer.seal(sealer.unseal(sealed, *ids), *ids))
            except DecryptionError:
                log.warning("encryption.key_missing", table=table.__tablename__, id=str(row.id))
                continue
            count += 1
    return count
