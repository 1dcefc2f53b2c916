"""A runner states how long a measurement takes. Code before this version ignores the column."""

from alembic import op

revision = "20261128_0821"
down_revision = "20261128_0820"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE runner ADD COLUMN measurement_seconds double precision")


def downgrade() -> None:
    op.execute("-- squawk-ignore ban-drop-column\nALTER TABLE runner DROP COLUMN measurement_seconds")
