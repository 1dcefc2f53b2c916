"""A comparison has an assignee, and an export of a profile set has a sample type.

Code before this version does not know the columns, so it can run with them.
"""

from alembic import op

revision = "20261127_1230"
down_revision = "20261127_1220"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE comparison ADD COLUMN assignee_id uuid")
    op.execute("ALTER TABLE profile_export ADD COLUMN sample_type varchar")


def downgrade() -> None:
    op.execute("ALTER TABLE profile_export DROP COLUMN sample_type")
    op.execute("ALTER TABLE comparison DROP COLUMN assignee_id")
