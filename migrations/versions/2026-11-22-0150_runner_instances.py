"""Which process a runner is: two of one name are told apart, and the newer one is refused.

Adds columns; older code does not see them. A runner that says nothing of itself is the instance ''.
"""

from alembic import op

revision = "20261122_0150"
down_revision = "20261122_0100"
branch_labels = None
depends_on = None

COLUMNS = """
ALTER TABLE runner ADD COLUMN instance varchar DEFAULT '' NOT NULL;
ALTER TABLE runner ADD COLUMN host varchar DEFAULT '' NOT NULL;
"""


def upgrade() -> None:
    op.execute(COLUMNS)


def downgrade() -> None:
    op.execute("ALTER TABLE runner DROP COLUMN host; ALTER TABLE runner DROP COLUMN instance")
