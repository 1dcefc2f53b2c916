"""The verdict on a build states what its executable needs of the stack.

Code before this version does not know the column, so it can run with it.
"""

from alembic import op

revision = "20261127_1700"
down_revision = "20261127_1650"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE build_verdict ADD COLUMN stack_check jsonb")


def downgrade() -> None:
    op.execute("ALTER TABLE build_verdict DROP COLUMN stack_check")
