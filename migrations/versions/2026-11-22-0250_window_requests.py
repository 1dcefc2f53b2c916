"""Of how many requests a window was read, where the board told its latency.

Adds a column; older code does not see it.
"""

from alembic import op

revision = "20261122_0250"
down_revision = "20261122_0200"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE probe_window ADD COLUMN requests bigint")


def downgrade() -> None:
    op.execute("ALTER TABLE probe_window DROP COLUMN requests")
