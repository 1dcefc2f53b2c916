"""The code host is asked once for the pull request of a commit.

Code before this version does not know the column, so it can run with it.
"""

from alembic import op

revision = "20261128_0520"
down_revision = "20261128_0510"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE commit ADD COLUMN pull_request_checked_at timestamptz")


def downgrade() -> None:
    op.execute("ALTER TABLE commit DROP COLUMN pull_request_checked_at")
