"""The schema of 2026-11-28, which the versions after it start from.

No version creates it: an empty database gets the newest schema at once (`migrations/env.py`).
"""

from alembic.util import CommandError

revision = "20261128_1000"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    raise CommandError("An empty database gets the newest schema; it cannot be migrated from nothing.")


def downgrade() -> None:
    raise CommandError("There is no version before 20261128_1000.")
