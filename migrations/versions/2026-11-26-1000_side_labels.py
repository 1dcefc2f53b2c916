"""A side of a comparison can be limited to samples with given labels, such as one endpoint or tenant.

Code before this version ignores the column, so it can run with it.
"""

from alembic import op

revision = "20261126_1000"
down_revision = "20261126_1400"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE comparison ADD COLUMN side_labels jsonb DEFAULT '{}' NOT NULL")


def downgrade() -> None:
    op.execute("ALTER TABLE comparison DROP COLUMN side_labels")
