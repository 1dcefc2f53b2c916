"""Windows of metrics on the sides of a comparison.

Adds a column with a default; older code does not see it.
"""

from alembic import op

revision = "20261121_1700"
down_revision = "20261121_1600"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE comparison ADD COLUMN windows jsonb DEFAULT '{}' NOT NULL")


def downgrade() -> None:
    op.execute("ALTER TABLE comparison DROP COLUMN windows")
