"""When a runner has ended by itself: its name is free at once, and nobody takes it for alive.

Adds a column; older code does not see it.
"""

from alembic import op

revision = "20261122_0350"
down_revision = "20261122_0300"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE runner ADD COLUMN left_at timestamptz")


def downgrade() -> None:
    op.execute("ALTER TABLE runner DROP COLUMN left_at")
