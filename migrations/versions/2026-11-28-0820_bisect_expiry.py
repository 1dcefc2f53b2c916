"""A bisect that has measured both of its boundaries ends at a time. Code before this version ignores the column."""

from alembic import op

revision = "20261128_0820"
down_revision = "20261128_0701"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE bisect ADD COLUMN expires_at timestamp with time zone")


def downgrade() -> None:
    op.execute("-- squawk-ignore ban-drop-column\nALTER TABLE bisect DROP COLUMN expires_at")
