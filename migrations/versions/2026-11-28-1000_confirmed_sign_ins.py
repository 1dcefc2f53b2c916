"""A signed-in user can confirm the sign-in in place before a sensitive change. Code before this version ignores the column."""

from alembic import op

revision = "20261128_1000"
down_revision = "20261128_0860"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE user_session ADD COLUMN confirmed_at timestamptz")


def downgrade() -> None:
    op.execute("-- squawk-ignore ban-drop-column\nALTER TABLE user_session DROP COLUMN confirmed_at")
