"""Each user states their logins at code hosts.

Code before this version does not know the column, so it can run with it.
"""

from alembic import op

revision = "20261127_2010"
down_revision = "20261127_1700"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE app_user ADD COLUMN code_host_logins varchar[] DEFAULT '{}' NOT NULL")


def downgrade() -> None:
    op.execute("ALTER TABLE app_user DROP COLUMN code_host_logins")
