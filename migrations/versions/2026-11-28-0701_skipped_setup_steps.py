"""Steps that are skipped on the set-up page are remembered for the team. Code before this version ignores the column."""

from alembic import op

revision = "20261128_0701"
down_revision = "20261128_0700"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE team ADD COLUMN skipped_setup_steps varchar[] DEFAULT '{}' NOT NULL")


def downgrade() -> None:
    op.execute("-- squawk-ignore ban-drop-column\nALTER TABLE team DROP COLUMN skipped_setup_steps")
